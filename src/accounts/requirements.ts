import { firstHidden } from "../values/hidden-characters.ts"
import { toNetworks } from "../values/ip.ts"
import { messageOf } from "../values/message-of.ts"
import { parseDuration, parseInstant } from "../values/time-text.ts"
import type { Plan, Plans } from "./plan.ts"

/**
 * Refuses a name of spaces, marks and format characters alone, and one with a character that deceives.
 * @param what begins the message, such as "The name of a key"
 * @throws AccountError
 */
export function requireName(name: string, what: string): void {
  refuseHidden(name, what, "name")
  if (/[^\p{Zs}\p{M}\p{Cf}]/u.test(name)) return
  throw new AccountError(
    `${what} needs at least one visible character, such as a letter, a digit or an emoji.`,
    "name",
  )
}

/**
 * Refuses characters that can disguise a name or forge a line.
 * @param what begins the message, such as "The name of a key"
 * @throws AccountError
 */
export function refuseHidden(text: string, what: string, parameter: string): void {
  const found = firstHidden(text)
  if (found === null) return
  throw new AccountError(
    `${what} must not have characters that are not seen, such as controls, have no shape of their own, or change the direction of text. ` +
      `This one has ${found}.`,
    parameter,
  )
}

/** Returns a plan by its name. Throws AccountError for a plan that is not configured. */
export function requirePlan(name: string, plans: Plans): Plan {
  const plan = plans.get(name)
  if (plan) return plan
  throw new AccountError(`There is no plan '${name}'. The plans are ${[...plans.keys()].join(", ")}.`, "plan")
}

/** Returns `ids`. Throws AccountError for an id that is not in `known`. */
export function requireApis(ids: readonly string[], known: readonly string[], parameter: string) {
  const unknown = ids.find((id) => !known.includes(id))
  if (unknown === undefined) return ids
  throw new AccountError(`There is no API '${unknown}'. The APIs are ${known.join(", ")}.`, parameter)
}

/** Returns `texts`. Throws AccountError for a text that is no IP address and no network in CIDR form. */
export function requireNetworks(texts: readonly string[]): readonly string[] {
  try {
    toNetworks(texts)
  } catch (cause) {
    throw new AccountError(`${messageOf(cause)}.`, "allow_ips")
  }
  return texts
}

/**
 * Reads when a key expires: `2027-01-31`, `2027-01-31T12:00:00Z`, or `30d` from now.
 * @throws AccountError for other texts, and for times in the past
 */
export function requireExpiry(text: string, nowMs: number): number {
  const duration = parseDuration(text)
  const atMs = duration === null ? parseInstant(text) : nowMs + duration
  if (atMs === null)
    throw new AccountError(
      "The expiry must be a date such as 2027-01-31, an instant such as 2027-01-31T12:00:00Z, or a time from now such as 30d.",
      "expires",
    )
  if (atMs > nowMs) return atMs
  throw new AccountError("The expiry of a key must be in the future.", "expires")
}

/**
 * Reads how long the old secret of a rotated key still works, in milliseconds.
 * @throws AccountError
 */
export function requireGrace(text: string): number {
  const graceMs = parseDuration(text)
  if (graceMs !== null) return graceMs
  throw new AccountError("The grace must be a time such as 15m, 24h, 7d, or 0 for none.", "grace")
}

/** An operator's request that cannot be carried out. The message is for the operator and says what to change. */
export class AccountError extends Error {
  override readonly name = "AccountError"
  /** `conflict`: impossible in the present state, for example because the account is closed. */
  readonly code: "invalid" | "not-found" | "conflict"
  /** The parameter to change; null if there is none. */
  readonly parameter: string | null
  constructor(message: string, parameter: string | null = null, code: AccountError["code"] = "invalid") {
    super(message)
    this.code = code
    this.parameter = parameter
  }
}
