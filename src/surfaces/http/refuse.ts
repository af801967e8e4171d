import { Fault } from "../../call/fault.ts"
import { toReply } from "../../call/pipeline.ts"
import { tooManyUnsent } from "../../call/unsent.ts"
import type { RecordRequest } from "../../observe/request-record.ts"
import { finishBody, type HttpContext } from "./context.ts"
import type { Exchange } from "./exchange.ts"
import { sendFault } from "./reply.ts"

/**
 * Why a new call is refused; null when there is room for it. A request that waits for its client to send more does not count,
 * or slow clients could fill the service. One whose answer is not read yet does count.
 */
export function overloadOf({ calls, maxCalls, pipeline }: HttpContext): Fault | null {
  if (calls.count - calls.awaited > maxCalls) return tooManyCalls
  return pipeline.unsent.isFull() ? tooManyUnsent : null
}

/** The refusal of one call too many (RFC 9110 §15.6.4). It uses no key, body or store, so that refusing costs little. */
export const tooManyCalls = new Fault(
  "overloaded",
  "The service is at its limit of calls under way. Nothing was charged; try again.",
  { retryAfterSeconds: 1 },
)

/** The refusal of metrics without their token. */
export const metricsTokenNeeded =
  "The metrics need the token of --metrics-token: send it as 'Authorization: Bearer TOKEN'."

/** Refuses one call too many, in the format that it asks for. */
export async function refuseOverload(
  overload: Fault,
  { request, set, incoming }: Exchange,
  record: RecordRequest,
  context: HttpContext,
): Promise<string> {
  record(incoming, toReply(overload))
  await finishBody(request, set, context)
  return sendFault(overload, request, set)
}
