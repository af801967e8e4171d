import type { GiveWay } from "../apis/contract.ts"
import { isObject } from "../values/is-object.ts"
import { type Caller, type CallerRequest, nothingCharged } from "./caller.ts"
import { countUses, usesOf } from "./deprecated-use.ts"
import { inputFault } from "./fault.ts"
import type { IdempotentCall } from "./idempotency.ts"
import type { RawInput } from "./input.ts"
import { type Pipeline, requirePresent, type WorkResult } from "./pipeline.ts"
import type { PreparedApi } from "./prepared-api.ts"
import { checkAndRun, type Outcome, type RunContext } from "./run.ts"
import { afterStep } from "./scheduler.ts"

/** The most inputs of one batch. */
export const maxInputs = 200
/** Inputs that run at the same time. */
const maxConcurrent = 16

/** A batch of an admitted caller. */
interface BatchCall {
  readonly api: PreparedApi
  readonly request: CallerRequest
  readonly inputs: readonly unknown[]
  readonly writer: ResultWriter
}

/** The result of one input, as the answer lists it. */
interface Result {
  readonly index: number
  readonly status: "ok" | "error"
  readonly error: string | null
  /** Seconds after which the input may succeed. Left out where no time is known. */
  readonly retry_after?: number
  readonly data: Record<string, unknown> | null
}

/** Takes the results while the batch runs, so that they need not all be kept. */
export interface ResultWriter {
  /** Results for one call of `write`; the last call has fewer. */
  readonly resultsPerPart: number
  /** Takes the next results, in the order of the inputs. Returns a promise for large ones: the next call waits for it. */
  write(results: readonly Result[], firstIndex: number, giveWay: GiveWay): Promise<void> | undefined
  /** Returns a promise to wait for while there is no room for more results; undefined if there is room. */
  room(): Promise<void> | undefined
  /** Counts an input that runs, or a result that waits for those before it. Returns its bytes. */
  count(value: unknown): number
  /** Takes off bytes that were counted. */
  free(bytes: number): void
}

type WriterInSteps = ResultWriter & { readonly giveWay: GiveWay }

/**
 * Runs a batch: hold what all inputs would cost → run each → settle those that succeeded. The results go to `writer`; the
 * data has the numbers only.
 * @param idempotent the batch's Idempotency-Key
 * @throws Fault when the credits do not cover all inputs, the client has left, or the batch cannot be charged
 */
export async function runBatch(
  { api, request, inputs, writer }: BatchCall,
  caller: Caller,
  pipeline: Pipeline,
  idempotent: IdempotentCall | null = null,
): Promise<WorkResult> {
  requirePresent(request)
  const { definition, credits } = api
  const giveWay = () => pipeline.scheduler.giveWay(caller.account.id)
  const hold = pipeline.charges.hold(caller, credits * inputs.length, idempotent)
  try {
    const context = { caller, request, pipeline }
    const uses = new Map<string, number>()
    const succeeded = await runAll(inputs, api, context, { ...writer, giveWay }, uses)
    requirePresent(request)
    const count = inputs.length
    const used = credits * succeeded
    const charged = succeeded > 0 ? [{ api: definition.id, calls: succeeded, credits: used }] : nothingCharged
    if (succeeded > 0) await pipeline.charges.settle(hold, charged, request, usesOf(uses))
    const numbers = { count, succeeded, failed: count - succeeded }
    if (idempotent?.firstCharge) {
      // A repetition gets the charge of the first call; prices may have changed since.
      const data = { ...numbers, credits_used: idempotent.firstCharge.credits }
      return { data, charged: nothingCharged, fault: null, isReplay: true }
    }
    return { data: { ...numbers, credits_used: used }, charged, fault: null }
  } finally {
    hold.release()
  }
}

/** The inputs of a batch's body. Throws the Fault of one that has none, or too many. */
export function requireInputs({ inputs }: Readonly<Record<string, unknown>>): readonly unknown[] {
  if (!Array.isArray(inputs) || inputs.length === 0 || inputs.length > maxInputs) {
    const found = Array.isArray(inputs) ? `; it has ${inputs.length.toLocaleString("en-US")}` : ""
    throw inputFault("inputs", `must be an array of 1 to ${maxInputs} objects${found}`)
  }
  return inputs
}

/**
 * Begins the inputs one after the other and returns how many succeeded. While a run waits, the next ones begin. None begins once
 * the client has left.
 */
async function runAll(
  inputs: readonly unknown[],
  api: PreparedApi,
  context: RunContext,
  writer: WriterInSteps,
  uses: Map<string, number>,
): Promise<number> {
  const findDeprecated = api.findDeprecated()
  const take = createInOrder(inputs.length, writer)
  const underWay = new Set<Promise<void>>()
  let succeeded = 0

  function end(index: number, { data, fault }: Outcome): Promise<void> | undefined {
    if (fault) {
      const { message: error, retryAfterSeconds } = fault
      const retry = retryAfterSeconds !== null && { retry_after: retryAfterSeconds }
      return take({ index, status: "error", error, ...retry, data })
    }
    succeeded++
    if (findDeprecated) countUses(uses, findDeprecated(toTyped(inputs[index])))
    return take({ index, status: "ok", error: null, data })
  }

  async function endLater(index: number, running: Promise<Outcome>): Promise<void> {
    const bytes = writer.count(inputs[index])
    const outcome = await running
    writer.free(bytes)
    await end(index, outcome)
  }

  /** A large result is being written, or as many inputs wait as may. */
  let before: Promise<void> | undefined
  for (let index = 0; index < inputs.length; index++) {
    if (before) await before
    let pause = writer.giveWay()
    if (pause) await pause
    // After the pause, in which other inputs have run. Who waited for room may be one of many, and waits for time again.
    for (let room = writer.room(); room; room = writer.room()) {
      await room
      pause = writer.giveWay() ?? room
      await pause
    }
    if ((before || pause) && context.request.hasLeft()) break
    const running = runInput(inputs[index], index, api, context)
    if (running instanceof Promise) {
      const ending = endLater(index, running).then(() => {
        underWay.delete(ending)
      })
      // One that fails stays, and is thrown where it is waited for.
      ending.catch(() => {})
      underWay.add(ending)
      await afterStep()
      before = underWay.size < maxConcurrent ? undefined : Promise.race(underWay)
    } else before = end(index, running)
  }
  await Promise.all([before, ...underWay])
  return succeeded
}

/** Passes results on in the order of the inputs, in whatever order they come. Returns a promise while a large one is written. */
function createInOrder(total: number, { resultsPerPart, write, count, free, giveWay }: WriterInSteps) {
  const waiting = new Map<number, Result>()
  /** The bytes of those that came before their turn. */
  const counted = new Map<number, number>()
  let part: Result[] = []
  let next = 0
  let writing: Promise<void> | undefined

  function takeWaiting(): Result | undefined {
    if (waiting.size === 0) return
    const result = waiting.get(next)
    waiting.delete(next)
    free(counted.get(next) ?? 0)
    counted.delete(next)
    return result
  }

  function writeReady(first = takeWaiting()): Promise<void> | undefined {
    for (let ready = first; ready; ready = takeWaiting()) {
      next++
      part.push(ready)
      if (part.length < resultsPerPart && next < total) continue
      const full = part
      part = []
      const pause = write(full, next - full.length, giveWay) ?? (waiting.has(next) ? giveWay() : undefined)
      if (pause) return pause.then(() => writeReady())
    }
    writing = undefined
  }

  return (result: Result) => {
    if (!writing && result.index === next) writing = writeReady(result)
    else {
      waiting.set(result.index, result)
      counted.set(result.index, count(result))
    }
    return writing
  }
}

function runInput(input: unknown, index: number, api: PreparedApi, context: RunContext) {
  if (!isObject(input)) {
    const fault = inputFault(`inputs[${index}]`, "must be an object with the API's parameters")
    return { data: null, fault }
  }
  return checkAndRun(api, toTyped(input), context.request.trace?.span ? { ...context, index } : context)
}

function toTyped(input: unknown): RawInput {
  return { kind: "typed", values: input as Record<string, unknown> }
}
