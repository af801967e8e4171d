import { Busy, InputRejected, Unavailable } from "../apis/contract.ts"
import { ChargeUnknown, StoreUnavailable } from "../store/store.ts"
import faults from "../values/faults.json"
import type { CallerIds } from "./caller.ts"

/**
 * Every way a call can fail: its HTTP status, and the text for the client; null when the text differs from call to call. Only
 * logs and metrics show `callerLeft`, whose status nginx uses for the same.
 */
const table = faults.calls

/** The code of a fault, as logs and metrics name it. */
export type FaultCode = keyof typeof table
/** The codes of all faults. */
export const faultCodes = Object.keys(table) as readonly FaultCode[]

type FixedCode = { [C in FaultCode]: (typeof table)[C]["text"] extends null ? never : C }[FaultCode]

/** Seconds after which to try again, where nothing better is known: each 503 tells a time (RFC 9110 §15.6.4). Null for others. */
export const retryAfterOf = (status: number): number | null => (status === 503 ? 5 : null)

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
    more: {
      parameter?: string
      retryAfterSeconds?: number | undefined
      cause?: unknown
      keyOwner?: CallerIds
    } = {},
  ) {
    super(message, { cause: more.cause })
    this.code = code
    this.status = table[code].status
    this.parameter = more.parameter ?? null
    this.retryAfterSeconds = more.retryAfterSeconds ?? retryAfterOf(this.status)
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
  if (thrown instanceof Unavailable) {
    const { message, retryAfterSeconds } = thrown
    return new Fault("upstreamUnavailable", message, { cause: thrown, retryAfterSeconds })
  }
  if (thrown instanceof Busy)
    return new Fault("overloaded", thrown.message, { retryAfterSeconds: thrown.retryAfterSeconds })
  if (thrown instanceof ChargeUnknown) return fixedFault("chargeUnknown", thrown)
  if (thrown instanceof StoreUnavailable) return fixedFault("storeUnavailable", thrown)
  return fixedFault("internal", thrown)
}
