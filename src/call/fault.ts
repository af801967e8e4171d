import { Busy, InputRejected, Unavailable } from "../apis/contract.ts"
import { ChargeUnknown, StoreUnavailable } from "../store/store.ts"
import type { CallerIds } from "./caller.ts"

/** Every way a call can fail: its HTTP status, and the text for the client; null when the text differs from call to call. */
const table = {
  inputRejected: { status: 400, text: null },
  keysDiffer: {
    status: 400,
    text: "The headers 'x-api-key' and 'Authorization' hold different keys. Send the key in one of them.",
  },
  keyMissing: {
    status: 401,
    text: "An API key is needed: send it in the 'x-api-key' header, or as 'Authorization: Bearer KEY'.",
  },
  keyMalformed: { status: 401, text: "The API key is mistyped or cut short." },
  adminKeySent: {
    status: 401,
    text: "This is a key of the admin API. Send an API key here: it begins with 'pk-'.",
  },
  keyUnknown: { status: 401, text: "The API key is not known." },
  keyExpired: { status: 401, text: "The API key has expired." },
  keyRevoked: { status: 401, text: "The API key has been revoked." },
  keyRotated: {
    status: 401,
    text: "The API key was rotated, and its time has ended. Use the key that replaced it.",
  },
  keyDisabled: {
    status: 401,
    text: "This API key is disabled. The operator of this service can enable it again.",
  },
  addressForbidden: { status: 403, text: "This API key may not be used from this IP address." },
  apiForbidden: { status: 403, text: null },
  originForbidden: { status: 403, text: null },
  notFound: { status: 404, text: null },
  methodNotAllowed: { status: 405, text: null },
  idempotencyKeyInUse: { status: 409, text: null },
  apiGone: { status: 410, text: null },
  bodyInPieces: {
    status: 400,
    text: "The request 'body' arrives in too many small pieces: send a 'Content-Length' header, or larger chunks.",
  },
  bodyTooSlow: { status: 408, text: null },
  bodyTooLarge: { status: 413, text: null },
  mediaTypeUnsupported: {
    status: 415,
    text: "The request 'body' must be JSON: send the header 'Content-Type: application/json'.",
  },
  idempotencyKeyReused: {
    status: 422,
    text: "The 'Idempotency-Key' was used for a call with other input. Send a new key with each new call.",
  },
  rateLimited: { status: 429, text: null },
  creditsUsedUp: { status: 429, text: null },
  idempotencyKeyUsedUp: { status: 429, text: null },
  /** Only logs and metrics show it. nginx uses the same status. */
  callerLeft: { status: 499, text: "The connection ended before the answer. Nothing was charged." },
  planMissing: { status: 500, text: null },
  internal: { status: 500, text: "Something went wrong here. Quote the request id when you report it." },
  overloaded: { status: 503, text: null },
  upstreamUnavailable: { status: 503, text: null },
  storeUnavailable: {
    status: 503,
    text: "The service cannot record charges right now. Nothing was charged. Try again.",
  },
  chargeUnknown: {
    status: 503,
    text:
      "The service lost its database while it recorded the charge, so this call may have been charged. " +
      "Compare 'GET /v1/usage' before you try again; a call with an 'Idempotency-Key' can be sent again as it was.",
  },
} as const satisfies Record<string, { status: number; text: string | null }>

/** The code of a fault, as logs and metrics name it. */
export type FaultCode = keyof typeof table
/** The codes of all faults. */
export const faultCodes = Object.keys(table) as readonly FaultCode[]

type FixedCode = { [C in FaultCode]: (typeof table)[C]["text"] extends null ? never : C }[FaultCode]

/** A call that ends in an error answer. `message` goes to the client, the cause only to the log. */
export class Fault extends Error {
  override readonly name = "Fault"
  readonly code: FaultCode
  readonly status: number
  /** The parameter to change; null for faults that are not about input. */
  readonly parameter: string | null
  /** Seconds after which the same call may succeed; null when that is not known. */
  readonly retryAfterSeconds: number | null
  /** The owner of the refused key, for logs and metrics alone; null if the fault is not about a known key. */
  readonly keyOwner: CallerIds | null

  constructor(
    code: FaultCode,
    message: string,
    more: { parameter?: string; retryAfterSeconds?: number; cause?: unknown; keyOwner?: CallerIds } = {},
  ) {
    super(message, { cause: more.cause })
    this.code = code
    this.status = table[code].status
    this.parameter = more.parameter ?? null
    this.retryAfterSeconds = more.retryAfterSeconds ?? null
    this.keyOwner = more.keyOwner ?? null
  }
}

/** How a caller without a key can go on. */
export const ownKeyHelps =
  "With an API key of your own you can go on: the first page of this service says how to get one."

/** A fault with the fixed text of its code. */
export function fixedFault(code: FixedCode, cause?: unknown): Fault {
  return new Fault(code, table[code].text, { cause })
}

/** The fault of a known key that must not be used. Its owner is for logs and metrics alone. */
export function refusedKey(code: FixedCode, { account, key }: CallerIds): Fault {
  return new Fault(code, table[code].text, { keyOwner: { account: { id: account.id }, key: { id: key.id } } })
}

/**
 * The fault of a parameter that a surface refuses.
 * @param requirement goes on from "The 'x' parameter …", without a full stop
 */
export function inputFault(parameter: string, requirement: string): Fault {
  return toFault(new InputRejected(parameter, requirement))
}

/** Turns anything thrown into a fault. An unknown error becomes `internal`, so its message never reaches a client. */
export function toFault(thrown: unknown): Fault {
  if (thrown instanceof Fault) return thrown
  if (thrown instanceof InputRejected)
    return new Fault("inputRejected", thrown.message, { parameter: thrown.parameter })
  if (thrown instanceof Unavailable)
    return new Fault("upstreamUnavailable", thrown.message, { cause: thrown })
  if (thrown instanceof Busy)
    return new Fault("overloaded", thrown.message, { retryAfterSeconds: thrown.retryAfterSeconds })
  if (thrown instanceof ChargeUnknown) return fixedFault("chargeUnknown", thrown)
  if (thrown instanceof StoreUnavailable) return fixedFault("storeUnavailable", thrown)
  return fixedFault("internal", thrown)
}
