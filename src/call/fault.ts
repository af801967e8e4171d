import { InputRejected, Unavailable } from "../apis/contract.ts"
import { StoreUnavailable } from "../store/store.ts"

/** Every way a call can fail: its HTTP status, and whether what the client reads is told by the thrower or fixed. */
const table = {
  inputRejected: { status: 400, text: null },
  keyMissing: { status: 401, text: "An API key is needed: send it in the 'x-api-key' header." },
  keyMalformed: { status: 401, text: "The API key in the 'x-api-key' header is mistyped or cut short." },
  keyUnknown: { status: 401, text: "The API key in the 'x-api-key' header is not known." },
  keyExpired: { status: 401, text: "The API key in the 'x-api-key' header has expired." },
  keyRevoked: { status: 401, text: "The API key in the 'x-api-key' header has been revoked." },
  addressForbidden: { status: 403, text: "This API key may not be used from this IP address." },
  apiForbidden: { status: 403, text: null },
  notFound: { status: 404, text: null },
  methodNotAllowed: { status: 405, text: null },
  bodyTooSlow: { status: 408, text: null },
  bodyTooLarge: { status: 413, text: null },
  mediaTypeUnsupported: {
    status: 415,
    text: "The request 'body' must be JSON: send the header 'Content-Type: application/json'.",
  },
  rateLimited: { status: 429, text: null },
  creditsUsedUp: { status: 429, text: null },
  planMissing: { status: 500, text: null },
  internal: { status: 500, text: "Something went wrong here. Quote the request id when you report it." },
  overloaded: { status: 503, text: null },
  upstreamUnavailable: { status: 503, text: null },
  storeUnavailable: {
    status: 503,
    text: "The service cannot book calls just now. Nothing was charged; try again.",
  },
} as const satisfies Record<string, { status: number; text: string | null }>

export type FaultCode = keyof typeof table
/** All codes there are. */
export const faultCodes = Object.keys(table) as readonly FaultCode[]

type ToldCode = { [C in FaultCode]: (typeof table)[C]["text"] extends null ? C : never }[FaultCode]
type FixedCode = Exclude<FaultCode, ToldCode>

/** A call that ends in an error answer. `message` goes to the client; the cause, if any, to the log alone. */
export class Fault extends Error {
  override readonly name = "Fault"
  readonly code: FaultCode
  readonly status: number
  /** The parameter that has to change, when it is input that was rejected. */
  readonly parameter: string | null
  /** Headers that belong to the answer, such as `allow`. */
  readonly headers: Readonly<Record<string, string>>

  constructor(
    code: FaultCode,
    message: string,
    more: { parameter?: string; headers?: Readonly<Record<string, string>>; cause?: unknown } = {},
  ) {
    super(message, { cause: more.cause })
    this.code = code
    this.status = table[code].status
    this.parameter = more.parameter ?? null
    this.headers = more.headers ?? {}
  }
}

/** A fault whose text is fixed. Without a cause there is nothing to tell two of them apart, so one serves all. */
export function fixedFault(code: FixedCode, cause?: unknown): Fault {
  if (cause !== undefined) return new Fault(code, table[code].text, { cause })
  const known = fixed.get(code)
  if (known) return known
  const fault = new Fault(code, table[code].text)
  fixed.set(code, fault)
  return fault
}

const fixed = new Map<FixedCode, Fault>()

/** Input that is refused for a reason of the surface's own, in the words of {@link InputRejected}. */
export function inputFault(parameter: string, requirement: string): Fault {
  return toFault(new InputRejected(parameter, requirement))
}

/** Sorts anything thrown into the table. What is not known there is `internal`: no word of it reaches a client. */
export function toFault(thrown: unknown): Fault {
  if (thrown instanceof Fault) return thrown
  if (thrown instanceof InputRejected) {
    return new Fault("inputRejected", thrown.message, { parameter: thrown.parameter })
  }
  if (thrown instanceof Unavailable)
    return new Fault("upstreamUnavailable", thrown.message, { cause: thrown })
  if (thrown instanceof StoreUnavailable) return fixedFault("storeUnavailable", thrown)
  return fixedFault("internal", thrown)
}
