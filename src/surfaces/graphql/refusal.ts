import type { GraphQLFormattedError, SourceLocation } from "graphql"
import type { Fault, FaultCode } from "../../call/fault.ts"

/** The HTTP status of each code that refuses a whole request. */
export const statuses = {
  BAD_REQUEST: 400,
  FILE_UPLOAD_NOT_SUPPORTED: 400,
  GRAPHQL_PARSE_FAILED: 400,
  GRAPHQL_VALIDATION_FAILED: 400,
  OPERATION_NOT_SUPPORTED: 400,
  QUERY_TOO_COMPLEX: 400,
  INVALID_API_KEY: 401,
  INSUFFICIENT_CREDITS: 402,
  FORBIDDEN: 403,
  PLAN_LIMIT_EXCEEDED: 403,
  METHOD_NOT_ALLOWED: 405,
  RATE_LIMITED: 429,
  INTERNAL_SERVER_ERROR: 500,
  GRAPHQL_NOT_SUPPORTED: 501,
  UPSTREAM_UNAVAILABLE: 503,
} as const

/** A code in the `extensions` of an error that refuses a whole request. */
export type RefusalCode = keyof typeof statuses

/** The GraphQL code of each fault. */
const codes = {
  inputRejected: "BAD_REQUEST",
  keysDiffer: "BAD_REQUEST",
  keyMissing: "INVALID_API_KEY",
  keyMalformed: "INVALID_API_KEY",
  adminKeySent: "INVALID_API_KEY",
  keyUnknown: "INVALID_API_KEY",
  keyExpired: "INVALID_API_KEY",
  keyRevoked: "INVALID_API_KEY",
  keyRotated: "INVALID_API_KEY",
  keyDisabled: "INVALID_API_KEY",
  addressForbidden: "FORBIDDEN",
  originForbidden: "FORBIDDEN",
  apiForbidden: "FORBIDDEN",
  notFound: "BAD_REQUEST",
  apiGone: "BAD_REQUEST",
  methodNotAllowed: "METHOD_NOT_ALLOWED",
  bodyInPieces: "BAD_REQUEST",
  bodyTooSlow: "BAD_REQUEST",
  bodyTooLarge: "BAD_REQUEST",
  mediaTypeUnsupported: "BAD_REQUEST",
  rateLimited: "RATE_LIMITED",
  creditsUsedUp: "INSUFFICIENT_CREDITS",
  callerLeft: "BAD_REQUEST",
  planMissing: "INTERNAL_SERVER_ERROR",
  internal: "INTERNAL_SERVER_ERROR",
  overloaded: "UPSTREAM_UNAVAILABLE",
  upstreamUnavailable: "UPSTREAM_UNAVAILABLE",
  storeUnavailable: "UPSTREAM_UNAVAILABLE",
  chargeUnknown: "UPSTREAM_UNAVAILABLE",
} as const satisfies Record<FaultCode, RefusalCode>

/** Messages quote queries and variables, and a query can repeat one mistake thousands of times. */
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

/** The refusal for a fault that ends the whole request. */
export function toRefusal({ code, message, retryAfterSeconds }: Fault): Refusal {
  return new Refusal(codes[code], message, retryAfterSeconds)
}

/** The code of a fault in a single field. */
export function fieldCodeOf({ code }: Fault): RefusalCode | "BAD_USER_INPUT" {
  return code === "inputRejected" ? "BAD_USER_INPUT" : codes[code]
}

/** Shortens a long message in its middle, where a quoted value is. */
export function shorten(message: string): string {
  const half = maxMessageLength / 2
  return message.length > maxMessageLength ? `${message.slice(0, half)}…${message.slice(-half)}` : message
}
