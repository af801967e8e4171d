import { type ApiDefinition, type Ports, Unavailable } from "../apis/contract.ts"
import type { Envelope } from "../encode/envelope.ts"
import type { Log } from "../ports/log.ts"
import type { ChargeItem } from "../store/store.ts"
import type { Caller } from "./caller.ts"
import type { Charges } from "./charge.ts"
import { type Fault, toFault } from "./fault.ts"
import type { Gate } from "./gate.ts"
import type { RawInput, ReadInput } from "./input.ts"
import type { Mask } from "./present.ts"
import { noStanding, unknownCaller } from "./standing.ts"
import { nothingCharged, type Trail } from "./trail.ts"

/** One request for one API, whatever way it came in. */
export interface Call<T> extends Asking {
  readonly api: PreparedApi
  /** Reads the parameters. Called once the caller is known: a stranger learns nothing from a body. */
  read(): RawInput | Promise<RawInput>
  /** What becomes of the reply. Here, since to wait for it outside would be one promise more. */
  finish(reply: Reply): T
}

/** Who asks, as any request on the road tells it. */
export interface Asking {
  readonly key: string | null
  /** The client's IP address; asked only where a key is bound to addresses. */
  readonly address: () => string
  readonly requestId: string
}

export interface Reply extends Trail {
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
  /** What one call that succeeds is charged. */
  readonly earned: readonly ChargeItem[]
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

/** Takes a call down the road: gate → input → hold → run → settle → present. Throws only what `finish` does. */
export async function execute<T>(call: Call<T>, road: Road): Promise<T> {
  const { definition, credits, earned, readInput, mask } = call.api
  let caller: Caller | null = null
  let rate = noStanding
  let running = false
  let reply: Reply
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
      running = true
      const result = definition.run(input, { ports: road.ports })
      const data = result instanceof Promise ? await result : result
      running = false
      await road.charges.settle(hold, earned)
      const shown = caller.plan.premium ? data : mask(data)
      reply = succeed(shown, road.charges.standing(caller, rate), caller, earned)
    } finally {
      hold.release()
    }
  } catch (thrown) {
    const fault = toFault(thrown)
    logFault(fault, call.requestId, road.log, { message: !running })
    reply = fail(fault, caller ? road.charges.standing(caller, rate) : unknownCaller, caller)
  }
  return call.finish(reply)
}

export function succeed(
  data: Record<string, unknown>,
  { changing, stable } = unknownCaller,
  caller: Caller | null = null,
  charged: readonly ChargeItem[] = nothingCharged,
): Reply {
  return {
    status: 200,
    envelope: { status: "ok", error: null, data },
    headers: changing,
    stable,
    caller,
    charged,
    fault: null,
  }
}

/** The answer that a fault becomes. */
export function fail(
  fault: Fault,
  { changing, stable } = unknownCaller,
  caller: Caller | null = null,
): Reply {
  return {
    status: fault.status,
    envelope: { status: "error", error: fault.message, data: null },
    headers: { ...changing, ...fault.headers },
    stable,
    caller,
    charged: nothingCharged,
    fault: fault.code,
  }
}

/**
 * Server-side faults are logged with their cause; a caller's own mistakes are theirs to read.
 * @param message false for what an API's run has thrown: such messages quote input (JSON.parse, URL and others do), which
 *   may be a secret. Then only the kind of the error and where it was thrown is written.
 */
export function logFault(fault: Fault, requestId: string, log: Log, { message } = { message: true }): void {
  if (fault.status < 500) return
  const { cause } = fault
  if (fault.code === "upstreamUnavailable") {
    // The sentence for the client names what was asked for.
    log.info(fault.code, { requestId, reason: cause instanceof Unavailable ? cause.reason : "unavailable" })
    return
  }
  log.error(fault.code, { requestId, cause: describeCause(cause, message) })
}

function describeCause(cause: unknown, message: boolean): string {
  if (!(cause instanceof Error)) return message ? String(cause) : `a ${typeof cause} was thrown`
  if (message) return cause.stack ?? cause.message
  const code = "code" in cause && typeof cause.code === "string" ? ` ${cause.code}` : ""
  const frames = framesOf(cause)
  return `${cause.constructor.name}${code} (message withheld: it may quote input)${frames && `\n${frames}`}`
}

/** The stack without the message, which may itself have lines that look like frames. */
function framesOf({ stack = "", message }: Error): string {
  const start = message === "" ? 0 : stack.indexOf(message) + message.length
  return stack
    .slice(start)
    .split("\n")
    .filter((line) => /^\s+at .*:\d+:\d+\)?$/.test(line))
    .join("\n")
}
