import type { Caller } from "./caller.ts"
import { type Asking, fail, logFault, type PreparedApi, type Reply, type Road, succeed } from "./execute.ts"
import { inputFault, toFault } from "./fault.ts"
import { createPace } from "./pace.ts"
import { type Outcome, runOne } from "./run.ts"
import { noStanding, unknownCaller } from "./standing.ts"
import { nothingCharged } from "./trail.ts"

/** Inputs one batch may hold. */
export const maxInputs = 200
/** Inputs that wait for the outside world at the same time. */
const maxConcurrent = 16

/** One request that runs one API on many inputs. */
export interface BatchCall extends Asking {
  readonly api: PreparedApi
  /** Reads the body. Called once the caller is known. */
  readonly readBody: () => Promise<Readonly<Record<string, unknown>>>
}

/**
 * Takes a batch down the road: gate once → hold what all inputs would cost → run each → settle what succeeded. One input
 * that fails leaves the others alone. Never throws.
 */
export async function executeBatch(call: BatchCall, road: Road): Promise<Reply> {
  const { definition, credits } = call.api
  let caller: Caller | null = null
  let rate = noStanding
  try {
    caller = await road.gate.identify(call.key)
    road.gate.requireAddress(caller, call.address)
    road.gate.requireApi(caller, definition.id)
    rate = await road.gate.requireRate(caller)

    const inputs = requireInputs(await call.readBody())
    const hold = road.charges.hold(caller, credits * inputs.length)
    try {
      const { results, succeeded } = await runAll(inputs, call, caller, road)
      const used = credits * succeeded
      const charged =
        succeeded > 0 ? [{ api: definition.id, calls: succeeded, credits: used }] : nothingCharged
      if (succeeded > 0) await road.charges.settle(hold, charged)
      const count = results.length
      const data = { count, succeeded, failed: count - succeeded, credits_used: used, results }
      return succeed(data, road.charges.standing(caller, rate), caller, charged)
    } finally {
      hold.release()
    }
  } catch (thrown) {
    const fault = toFault(thrown)
    logFault(fault, call.requestId, road.log)
    return fail(fault, caller ? road.charges.standing(caller, rate) : unknownCaller, caller)
  }
}

function requireInputs({ inputs }: Readonly<Record<string, unknown>>): readonly unknown[] {
  if (!Array.isArray(inputs) || inputs.length === 0 || inputs.length > maxInputs) {
    const found = Array.isArray(inputs) ? `; it has ${inputs.length.toLocaleString("en-US")}` : ""
    throw inputFault("inputs", `must be an array of 1 to ${maxInputs} objects${found}`)
  }
  return inputs
}

interface Results {
  readonly results: readonly Result[]
  readonly succeeded: number
}

/** One input's part of the answer. */
interface Result {
  readonly index: number
  readonly status: "ok" | "error"
  readonly error: string | null
  readonly data: Record<string, unknown> | null
}

async function runAll(
  inputs: readonly unknown[],
  { api, requestId }: BatchCall,
  caller: Caller,
  road: Road,
): Promise<Results> {
  const results: Result[] = []
  const pace = createPace(road.ports.clock)
  let succeeded = 0
  let next = 0

  async function work(): Promise<void> {
    while (next < inputs.length) {
      const pause = pace()
      if (pause) {
        await pause
        continue
      }
      const index = next++
      const running = runInput(inputs[index], index)
      const { data, fault } = running instanceof Promise ? await running : running
      if (!fault) succeeded++
      results[index] = { index, status: fault ? "error" : "ok", error: fault?.message ?? null, data }
    }
  }

  function runInput(input: unknown, index: number): Outcome | Promise<Outcome> {
    if (typeof input !== "object" || input === null || Array.isArray(input)) {
      return {
        data: null,
        fault: inputFault(`inputs[${index}]`, "must be an object with the API's parameters"),
      }
    }
    return runOne(api, { kind: "typed", values: input as Record<string, unknown> }, caller, requestId, road)
  }

  // Where runs do not wait, the first worker has done it all before there is a second.
  const workers: Promise<void>[] = []
  while (workers.length < maxConcurrent && next < inputs.length) workers.push(work())
  await Promise.all(workers)
  return { results, succeeded }
}
