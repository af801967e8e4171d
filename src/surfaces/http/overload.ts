import { Fault } from "../../call/fault.ts"

/**
 * What a call is told that is one too many (RFC 9110 §15.6.4). Saying so costs no look at the key, the body or the store: a
 * service that is at its limit must not be kept there by it. Nothing is charged and no limit per minute counts it. Half of what
 * is under way is mostly answered in far less than the second it names.
 */
export const overloaded = new Fault(
  "overloaded",
  "The service is at its limit of calls under way. Nothing was charged; try again.",
  { headers: { "retry-after": "1" } },
)
