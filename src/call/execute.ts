import type { ApiDefinition, Ports } from "../apis/contract.ts"
import type { Envelope } from "../encode/formats.ts"
import type { Log } from "../ports/log.ts"
import type { Charges } from "./charge.ts"
import { type Fault, toFault } from "./fault.ts"
import type { Caller, Gate } from "./gate.ts"
import type { RawInput, ReadInput } from "./input.ts"
import type { Mask } from "./present.ts"
import {
  creditHeaders,
  monthHeaders,
  noStanding,
  type Standing,
  type StandingHeaders,
  unknownCaller,
} from "./standing.ts"

/** One request for one API, whatever way it came in. */
export interface Call {
  readonly api: PreparedApi
  readonly key: string | null
  /** The client's IP address; asked only where a key is bound to addresses. */
  readonly address: () => string
  readonly requestId: string
  /** Reads the parameters. Called once the caller is known: a stranger learns nothing from a body. */
  readonly read: () => RawInput | Promise<RawInput>
}

export interface Reply {
  readonly status: number
  readonly envelope: Envelope
  readonly headers: Readonly<Record<string, string>>
  /** Further headers: the same object for as long as nothing in it changes, so that a surface can prepare it. */
  readonly stable: Readonly<Record<string, string>>
}

/** An API with everything compiled that can be compiled at start. */
export interface PreparedApi {
  readonly definition: ApiDefinition
  readonly credits: number
  readonly readInput: ReadInput
  readonly mask: Mask
}

/** What the road leads past. */
export interface Road {
  readonly gate: Gate
  readonly charges: Charges
  readonly ports: Ports
  readonly log: Log
}

/** Takes a call down the road: gate → input → hold → run → settle → present. Never throws. */
export async function execute(call: Call, road: Road): Promise<Reply> {
  const { definition, credits, readInput, mask } = call.api
  let caller: Caller | null = null
  let rate = noStanding
  try {
    // What is there already is not awaited: a wait that is none costs a turn of the queue each time.
    const identified = road.gate.identify(call.key)
    caller = identified instanceof Promise ? await identified : identified
    road.gate.requireAddress(caller, call.address)
    road.gate.requireApi(caller, definition.id)
    const granted = road.gate.requireRate(caller)
    rate = granted instanceof Promise ? await granted : granted

    const raw = call.read()
    const input = readInput(raw instanceof Promise ? await raw : raw, caller.plan.premium)
    const hold = road.charges.hold(caller, credits)
    try {
      const result = definition.run(input, { ports: road.ports })
      const data = result instanceof Promise ? await result : result
      await road.charges.settle(hold, [{ api: definition.id, calls: 1, credits }])
      return succeed(caller.plan.premium ? data : mask(data), standingOf(caller, rate, road))
    } finally {
      hold.release()
    }
  } catch (thrown) {
    const fault = toFault(thrown)
    logFault(fault, call.requestId, road.log)
    return fail(fault, caller ? standingOf(caller, rate, road) : unknownCaller)
  }
}

/** Where a known caller stands: on success and refusal alike. */
export function standingOf(caller: Caller, rate: StandingHeaders, { charges }: Road): Standing {
  const balance = charges.balance(caller)
  const credit = creditHeaders(balance)
  return {
    changing: rate === noStanding ? credit : { ...rate, ...credit },
    stable: monthHeaders(balance, caller.plan),
  }
}

export function succeed(data: Record<string, unknown>, { changing, stable } = unknownCaller): Reply {
  return { status: 200, envelope: { status: "ok", error: null, data }, headers: changing, stable }
}

/** The answer that a fault becomes. */
export function fail(fault: Fault, { changing, stable } = unknownCaller): Reply {
  return {
    status: fault.status,
    envelope: { status: "error", error: fault.message, data: null },
    headers: { ...changing, ...fault.headers },
    stable,
  }
}

/** Server-side faults are logged with their cause; a caller's own mistakes are theirs to read. */
export function logFault(fault: Fault, requestId: string, log: Log): void {
  if (fault.status < 500) return
  const { cause } = fault
  if (fault.code === "upstreamUnavailable") {
    log.info(fault.code, { requestId, reason: fault.message })
    return
  }
  log.error(fault.code, {
    requestId,
    cause: cause instanceof Error ? (cause.stack ?? cause.message) : String(cause),
  })
}
