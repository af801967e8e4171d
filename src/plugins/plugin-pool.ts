import { ApiMistake, type Clock, type Timer, Unavailable, unavailable } from "../apis/contract.ts"
import { messageOf } from "../values/message-of.ts"
import { type CallContext, type PluginWorker, type RunLimits, ThreadBusy } from "./plugin-worker.ts"
import { createWaitingCalls, type WaitingCall } from "./waiting-calls.ts"

interface PoolOptions {
  readonly start: () => Promise<PluginWorker>
  readonly clock: Pick<Clock, "monotonicMs">
  readonly timer: Timer
  /**
   * Returns the output if it follows its schema.
   * @throws ApiMistake
   */
  readonly checkOutput: (output: unknown) => Record<string, unknown>
  /** Called with each fault of the API, and whether it rests now. */
  readonly onFault: (fault: ApiMistake, rests: boolean) => void
  /** Faults in a row after which the API rests; 5 by default. */
  readonly maxFaults?: number
  /** Whether one worker is kept ready while nobody calls; by default it is. */
  readonly keepsOne?: boolean
}

interface CallForWorker extends WaitingCall {
  isDue: boolean
  take(worker: PluginWorker): void
  fail(cause: unknown): void
}

/**
 * Places for calls that wait for a worker. An account may have as many as are free: one alone has half of them, a second one a
 * quarter. So a few accounts cannot take all.
 */
const maxWaiting = 256
/** Most calls take less time than the start of a thread, so a call first waits this long for a worker that becomes free. */
const startAfterMs = 20
const restMs = 10_000
/** A worker that nobody uses for this time ends, unless it is the only one. */
const idleMs = 5_000
/** The only worker ends after this time, unless one is kept. */
const onlyIdleMs = 60_000
/** Faults in a row after which a thread ends: a call may have broken something in it for all later ones, such as a prototype. */
const maxFaultsOfThread = 2
/** Threads that are tried for one call. */
const maxAttempts = 3

const leftOver = "what an earlier call left behind, such as a timer, kept its thread busy or ended it"

/** The workers of one API of the operator. */
export type PluginPool = ReturnType<typeof createPluginPool>

/** The limits of a call in a pool. */
export interface PoolLimits extends RunLimits {
  /** Workers of the pool from this call on. */
  readonly maxWorkers: number
}

/**
 * Makes a pool in which each worker runs one call at a time.
 * @param first a worker that was started already
 */
export function createPluginPool(first: PluginWorker, options: PoolOptions) {
  const { start, clock, timer, checkOutput, onFault, maxFaults = 5, keepsOne = true } = options
  const idle: PluginWorker[] = [first]
  const waiting = createWaitingCalls<CallForWorker>()
  /** What keeps idle workers from ending. */
  const cancelEnd = new Map<PluginWorker, () => void>()
  /** Faults in a row. */
  const faultsOf = new WeakMap<PluginWorker, number>()
  /** Workers in use, by account. */
  const inUse = new Map<string, number>()
  let maxWorkers = 1
  let workers = 1
  let starting = 0
  let isEnded = false
  let faults = 0
  let restsUntilMs = Number.NEGATIVE_INFINITY
  /** Whether a call is under way that tries the API again after its rest. */
  let isTrying = false

  /** How many more workers the account may use. */
  function roomOf(account: string): number {
    return Math.max(1, Math.floor(maxWorkers / 2)) - (inUse.get(account) ?? 0)
  }

  /** Assigns free workers to waiting calls, and starts more where calls have waited for a while. */
  function match(): void {
    // The thread of one may live on: something failed in it after its call.
    for (const worker of idle.filter((one) => !one.isUsable())) endIdle(worker)
    while (idle.length > 0) {
      const call = waiting.takeNext(roomOf)
      if (!call) break
      // The one that was used last is warm, and the others can end.
      const worker = idle.pop()
      if (!worker) break
      stopEnd(worker)
      inUse.set(call.account, (inUse.get(call.account) ?? 0) + 1)
      call.take(worker)
    }
    const startable = () => waiting.runnable(roomOf, workers > 0)
    const isBare = () => keepsOne && !isEnded && workers === 0
    while (isBare() || (workers < maxWorkers && idle.length + starting < startable())) void add()
    if (isEnded) for (const worker of [...idle]) endIdle(worker)
  }

  async function add(): Promise<void> {
    workers++
    starting++
    try {
      makeIdle(await start())
      starting--
      match()
    } catch (cause) {
      workers--
      starting--
      const fault = new ApiMistake(`no thread can be started for it: ${messageOf(cause)}`)
      // Nobody else would wake the calls that wait for this worker. The next call tries again, and not this one for ever.
      if (workers - idle.length <= 0) for (const call of waiting.takeAll()) call.fail(fault)
    }
  }

  function giveBack(worker: PluginWorker, account: string, isFault: boolean): void {
    const faultsInARow = isFault ? (faultsOf.get(worker) ?? 0) + 1 : 0
    faultsOf.set(worker, faultsInARow)
    const left = (inUse.get(account) ?? 1) - 1
    if (left > 0) inUse.set(account, left)
    else inUse.delete(account)
    if (!worker.isUsable() || faultsInARow >= maxFaultsOfThread) {
      worker.end()
      workers--
    } else makeIdle(worker)
    match()
  }

  function makeIdle(worker: PluginWorker): void {
    idle.push(worker)
    // The one that was the only worker so far had no end.
    for (const one of idle)
      if (!cancelEnd.has(one))
        cancelEnd.set(
          one,
          timer.after(idleMs, () => endUnused(one)),
        )
  }

  function endUnused(worker: PluginWorker): void {
    cancelEnd.delete(worker)
    if (workers > 1) endIdle(worker)
    else if (!keepsOne)
      cancelEnd.set(
        worker,
        timer.after(onlyIdleMs - idleMs, () => endIdle(worker)),
      )
  }

  function endIdle(worker: PluginWorker): void {
    stopEnd(worker)
    idle.splice(idle.indexOf(worker), 1)
    worker.end()
    workers--
  }

  function stopEnd(worker: PluginWorker): void {
    cancelEnd.get(worker)?.()
    cancelEnd.delete(worker)
  }

  function nextWorker(account: string): Promise<PluginWorker> {
    if (isEnded) throw ended()
    if (waiting.countOf(account) >= maxWaiting - waiting.count())
      unavailable("The API has too many calls right now. Try again.", "busy")
    const { promise, resolve, reject } = Promise.withResolvers<PluginWorker>()
    const call: CallForWorker = { account, isDue: false, take: resolve, fail: reject }
    waiting.add(call)
    match()
    if (waiting.countOf(account) > 0)
      timer.after(startAfterMs, () => {
        call.isDue = true
        match()
      })
    return promise
  }

  function requireAwake(): void {
    if (faults < maxFaults) return
    const waitMs = restsUntilMs - clock.monotonicMs()
    if (waitMs > 0 || isTrying) {
      const seconds = Math.max(1, Math.ceil(waitMs / 1_000))
      unavailable(`The API failed several times in a row. Try again in ${seconds} s.`, "resting")
    }
    isTrying = true
  }

  function countFault(fault: ApiMistake): void {
    faults++
    const rests = faults >= maxFaults
    if (rests) restsUntilMs = clock.monotonicMs() + restMs
    onFault(fault, rests)
  }

  /** Runs the API on a thread; on another one when something of an earlier run keeps the first busy. */
  async function runOnce(
    input: unknown,
    context: CallContext,
    account: string,
    limits: RunLimits,
  ): Promise<Record<string, unknown>> {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const worker = await nextWorker(account)
      let isFault = false
      try {
        return checkOutput(await worker.run(input, context, limits))
      } catch (thrown) {
        isFault = thrown instanceof ApiMistake
        if (!(thrown instanceof ThreadBusy)) throw thrown
        countFault(new ApiMistake(leftOver))
      } finally {
        giveBack(worker, account, isFault)
      }
    }
    throw new ApiMistake(leftOver)
  }

  return {
    /**
     * Runs the API on the next free worker.
     * @param account the caller's; one account gets half of the workers at most
     * @throws the errors of the worker's run, and Unavailable while the API rests, too many calls wait, or the pool has ended
     */
    async run(input: unknown, context: CallContext, account: string, limits: PoolLimits) {
      requireAwake()
      maxWorkers = limits.maxWorkers
      const isTrial = isTrying && faults >= maxFaults
      try {
        const output = await runOnce(input, context, account, limits)
        faults = 0
        return output
      } catch (thrown) {
        if (thrown instanceof ApiMistake) countFault(thrown)
        throw thrown
      } finally {
        if (isTrial) isTrying = false
      }
    },
    /** Ends the workers; those that run a call, after it. Calls that come later are refused. */
    end() {
      isEnded = true
      match()
      for (const call of waiting.takeAll()) call.fail(ended())
    },
  }
}

function ended(): Unavailable {
  return new Unavailable("The service is stopping. Try again.", "stopping")
}
