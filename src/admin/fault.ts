import { shortenKeys } from "../accounts/key.ts"
import problems from "./problems.json"

/** Why an operation is refused, with the HTTP status and the end of the problem's `type`. */
export const adminFaults = problems.administration

/** The code of a fault. The `type` of its problem details ends with it. */
export type AdminFaultCode = keyof typeof adminFaults

/** An operation that is refused. The message is one or more sentences that say what to change; it holds no secret. */
export class AdminFault extends Error {
  override readonly name = "AdminFault"
  readonly code: AdminFaultCode
  /** The parameter to change, where there is one. */
  readonly parameter: string | null
  /** The refused id, if the code that refuses it does not know which parameter it came from. */
  readonly id: string | null
  readonly retryAfterSeconds: number | null
  /** Every mistake of a list; empty for other refusals. */
  readonly mistakes: readonly Mistake[]
  constructor(
    code: AdminFaultCode,
    message: string,
    { parameter = null, id = null, retryAfterSeconds = null, mistakes = [], cause }: AdminFaultDetails = {},
  ) {
    super(message, { cause })
    this.code = code
    this.parameter = parameter
    this.id = id
    this.retryAfterSeconds = retryAfterSeconds
    this.mistakes = mistakes
  }
}

/** A mistake in an entry of a list. */
export interface Mistake {
  /** Counted from 0. */
  readonly index: number
  /** The parameter of the entry to change; null if it is about the entry. */
  readonly parameter: string | null
  /** The correction, for the reader. */
  readonly detail: string
}

interface AdminFaultDetails {
  readonly parameter?: string | null
  readonly id?: string | null
  readonly retryAfterSeconds?: number | null
  readonly mistakes?: readonly Mistake[]
  readonly cause?: unknown
}

/** The refusal of a parameter's value. */
export function invalid(parameter: string, message: string, cause?: unknown): AdminFault {
  return new AdminFault("invalid", message, { parameter, cause })
}

/** The refusal of something that the present state does not allow, whichever parameter is to blame. */
export function conflict(message: string, parameter: string | null = null): AdminFault {
  return new AdminFault("conflict", message, { parameter })
}

/** The refusal of something that the actor may not do. */
export function forbidden(message: string, parameter: string | null = null): AdminFault {
  return new AdminFault("forbidden", message, { parameter })
}

/** @throws AdminFault for something that does not exist */
export function missing(...what: Parameters<typeof noSuch>): never {
  throw noSuch(...what)
}

/** The refusal of something that does not exist, or belongs to another customer. */
export function noSuch(
  kind: "account" | "key" | "notice" | "admin key" | "person" | "passkey" | "invitation",
  id: string,
): AdminFault {
  const form = kind === "key" ? ", which starts with key_" : ""
  const list = kind === "person" ? "people" : `the ${kind}s`
  return new AdminFault("not-found", `There is no ${kind} '${id}'. List ${list} to find its id${form}.`, {
    id,
  })
}

/** The name of a parameter can be as long as a body. */
const maxNameShown = 100

/** @throws AdminFault for the first name that is not known */
export function requireKnownNames(known: readonly string[], given: readonly string[]): void {
  const unknown = given.find((name) => !known.includes(name))
  if (unknown === undefined) return
  const names = known.length === 0 ? "There are none." : `Known are: ${known.join(", ")}.`
  // A key may have been sent instead of a name.
  const shown = shortenKeys(unknown.slice(0, maxNameShown))
  throw invalid(shown, `There is no parameter '${shown}'. ${names}`)
}
