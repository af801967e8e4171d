import type { GraphQLFormattedError, SourceLocation } from "graphql"
import type { Fault } from "../../call/fault.ts"
import statuses from "./statuses.json"

/** A code in the `extensions` of an error that refuses a whole request. The table has the HTTP status of each. */
export type RefusalCode = keyof typeof statuses

/** The GraphQL code of a fault, by its HTTP status. */
const codes: Readonly<Record<number, RefusalCode>> = {
  401: "INVALID_API_KEY",
  403: "FORBIDDEN",
  405: "METHOD_NOT_ALLOWED",
  409: "IDEMPOTENCY_KEY_IN_USE",
  422: "IDEMPOTENCY_KEY_REUSED",
  429: "RATE_LIMITED",
  500: "INTERNAL_SERVER_ERROR",
  503: "UPSTREAM_UNAVAILABLE",
}

function codeOf({ code, status }: Fault): RefusalCode {
  if (code === "creditsUsedUp") return "INSUFFICIENT_CREDITS"
  if (code === "idempotencyKeyUsedUp") return "IDEMPOTENCY_KEY_USED_UP"
  return codes[status] ?? "BAD_REQUEST"
}

/** Messages quote names of queries, and a query can repeat one mistake thousands of times. */
const maxMessageLength = 500
const maxLocations = 20

/** A mistake in a query, and its places there. */
export interface Problem {
  readonly message: string
  readonly locations?: readonly SourceLocation[] | undefined
}

/** Thrown when a request is refused as a whole: the answer has errors and no data. */
export class Refusal extends Error {
  override readonly name = "Refusal"
  readonly code: RefusalCode
  readonly status: number
  readonly errors: readonly GraphQLFormattedError[]
  /** Seconds after which the same request may succeed; null when that is not known. */
  readonly retryAfterSeconds: number | null

  /** @param problems the errors of the answer: one text, or several with their places in the query */
  constructor(
    code: RefusalCode,
    problems: string | readonly Problem[],
    retryAfterSeconds: number | null = null,
  ) {
    const all: readonly Problem[] = typeof problems === "string" ? [{ message: problems }] : problems
    super(all[0]?.message)
    this.code = code
    this.status = statuses[code]
    this.errors = all.map(({ message, locations }) => ({
      message: shorten(message),
      ...(locations && { locations: locations.slice(0, maxLocations) }),
      extensions: { code },
    }))
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** The name of a code in logs, metrics and kept requests, where all faults have one form: `methodNotAllowed`. */
export function faultNameOf(code: RefusalCode): string {
  return code.toLowerCase().replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

/** The refusal for a fault that ends the whole request. */
export function toRefusal(fault: Fault): Refusal {
  return new Refusal(codeOf(fault), fault.message, fault.retryAfterSeconds)
}

/** The code of a fault in a single field. */
export function fieldCodeOf(fault: Fault): RefusalCode | "BAD_USER_INPUT" {
  return fault.code === "inputRejected" ? "BAD_USER_INPUT" : codeOf(fault)
}

/** A message of graphql-js without the values that it quotes, which may be secret. A long one is shortened in its middle. */
export function shorten(message: string): string {
  const text = message
    .replace(/( cannot represent [^:]*): [\s\S]*$/, "$1.")
    .replace(/^(Expected value of type [^,]*), found [\s\S]*$/, "$1.")
    .replace(/^(Syntax Error: .*?\b(?:BlockString|String|Int|Float)) [\s\S]*$/, "$1.")
  const half = maxMessageLength / 2
  return text.length > maxMessageLength ? `${text.slice(0, half)}…${text.slice(-half)}` : text
}
