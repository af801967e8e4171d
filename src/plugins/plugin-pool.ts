import { ApiMistake, type Clock, type Timer, Unavailable } from "../apis/contract.ts"
import { messageOf } from "../values/message-of.ts"
import { createPlaces, type PoolCaller, type PooledCall } from "./places.ts"
import { type CallContext, type PluginWorker, type RunLimits, ThreadBusy } from "./plugin-worker.ts"
import type { ThreadTime } from "./thread-time.ts"

interface PoolOptions {
  readonly start: () => Promise<PluginWorker>
  readonly clock: Pick<Clock, "monotonicMs">
  readonly timer: Timer
  readonly time: ThreadTime
  /**
   * Returns the output if it follows its schema.
   * @throws ApiMistake
   */
  readonly checkOutput: (output: unknown) => Record<string, unknown>
  /** Called with each fault of the API, and whether it rests now for the account. */
  readonly onFault: (fault: ApiMistake, rests: boolean) => void
  /** Faults in a row, all of an account's, after which the API rests for the account; 5 by default. */
  readonly maxFaults?: number
  /** Whether one worker is kept ready while nobody calls; by default it is. */
  readonly keepsOne?: boolean
}

const restMs = 10_000
/** Accounts whose faults in a row are counted. */
const maxFaulty = 1_000
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

type RunOptions = Omit<CallContext, "place">

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
  const places = createPlaces(options, match)
  /** Functions that keep idle workers from ending. */
  const cancelEnd = new Map<PluginWorker, () => void>()
  /** The most threads that stay while nobody needs them. */
  let mostIdle = 1
  /** Faults in a row. */
  const faultsOf = new WeakMap<PluginWorker, number>()
  let workers = 1
  let isEnded = false
  /** Whether the last start of a thread failed: then none is started before the next call. */
  let hasFailedStart = false
  /** By account, so that the inputs of one do not stop the calls of others. */
  const faulty = new Map<string, { faults: number; restsUntilMs: number; isTrying: boolean }>()

  /** Gives places to waiting calls, and starts threads for those that have waited for a while. */
  function match(): void {
    // The thread of one may live on: something failed in it after its call.
    for (const worker of idle.filter((one) => !one.isUsable())) endIdle(worker)
    const take = () => places.take(idle.length > 0 || workers === 0)
    for (let call = take(); call; call = take()) {
      // The one that was used last is warm, and the others can end.
      const worker = call.worker ?? idle.pop()
      if (!worker) void startFor(call)
      else {
        stopEnd(worker)
        call.begin(worker)
      }
    }
    if (keepsOne && !isEnded && !hasFailedStart && workers === 0) void startSpare()
    if (isEnded) for (const worker of [...idle]) endIdle(worker)
  }

  async function startFor(call: PooledCall): Promise<void> {
    workers++
    try {
      const worker = await start()
      hasFailedStart = false
      if (call.endedBy === undefined) return call.begin(worker)
      makeIdle(worker)
    } catch (cause) {
      workers--
      hasFailedStart = true
      // It waits for one of those that run, such as while its API's files are changed.
      if (workers > 0) return places.putBack(call)
      call.fail(new ApiMistake(`no thread can be started for it: ${messageOf(cause)}`))
    }
    places.remove(call)
    match()
  }

  async function startSpare(): Promise<void> {
    workers++
    try {
      makeIdle(await start())
    } catch {
      // A call that waits or the next one starts one, and gets the cause if that fails too.
      workers--
      hasFailedStart = true
    }
    match()
  }

  /**
   * Ends a call. Its worker can be used again, unless it is worn or failed twice in a row: then the call keeps its place until
   * the thread is gone, or callers of runs that cannot be stopped would have more threads than there are places.
   */
  function leave(call: PooledCall, worker: PluginWorker, isFault: boolean): void {
    const faultsInARow = isFault ? (faultsOf.get(worker) ?? 0) + 1 : 0
    faultsOf.set(worker, faultsInARow)
    if (!worker.isUsable() || faultsInARow >= maxFaultsOfThread) {
      workers--
      worker.end(() => {
        places.remove(call)
        match()
      })
    } else {
      places.remove(call)
      makeIdle(worker)
    }
    match()
    // A thread of a run that waited for answers is soon needed for another such run, and has its code compiled.
    const surplus = idle.length - Math.max(mostIdle, places.runningCount())
    for (const worker of idle.slice(0, Math.max(0, surplus))) endIdle(worker)
  }

  function makeIdle(worker: PluginWorker): void {
    idle.push(worker)
    // The worker that was the only one may have no timer.
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

  /** Returns whether the call tries the API again for its account after a rest. */
  function requireAwake(account: string): boolean {
    const found = faulty.get(account)
    if (!found || found.faults < maxFaults) return false
    const waitMs = found.restsUntilMs - clock.monotonicMs()
    if (waitMs > 0 || found.isTrying) {
      const seconds = Math.max(1, Math.ceil(waitMs / 1_000))
      const text = `The API failed several times in a row. Try again in ${seconds} s.`
      throw Object.assign(new Unavailable(text, "resting"), { retryAfterSeconds: seconds })
    }
    found.isTrying = true
    return true
  }

  function countFault(fault: ApiMistake, account: string): void {
    const faults = (faulty.get(account)?.faults ?? 0) + 1
    const rests = faults >= maxFaults
    faulty.delete(account)
    faulty.set(account, { faults, restsUntilMs: clock.monotonicMs() + restMs, isTrying: false })
    for (const oldest of faulty.keys()) if (faulty.size > maxFaulty) faulty.delete(oldest)
    onFault(fault, rests)
  }

  /** Runs the API on a thread; on another one when something of an earlier run keeps the first busy. */
  async function runOnce(input: unknown, context: RunOptions, caller: PoolCaller, limits: RunLimits) {
    let isMoved = false
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      if (isEnded) throw ended()
      const { call, worker } = await places.enter(caller, isMoved)
      let isFault = false
      try {
        return checkOutput(await worker.run(input, { ...context, place: places.placeOf(call) }, limits))
      } catch (thrown) {
        if (call.endedBy !== undefined) throw call.endedBy
        if (call.isMoved && !isMoved && thrown instanceof ApiMistake) {
          isMoved = true
          continue
        }
        isFault = thrown instanceof ApiMistake
        if (!(thrown instanceof ThreadBusy)) throw thrown
        countFault(new ApiMistake(leftOver), caller.account)
      } finally {
        leave(call, worker, isFault)
      }
    }
    throw new ApiMistake(leftOver)
  }

  return {
    /**
     * Runs the API on the next free worker.
     * @throws the errors of the worker's run and of `requirePresent`; Busy if too many calls wait, or this one for too long;
     * Unavailable while the API rests, or if the pool has ended
     */
    async run(input: unknown, context: RunOptions, caller: PoolCaller, limits: PoolLimits) {
      const isTrial = requireAwake(caller.account)
      places.setCount(limits.maxWorkers)
      // Not those of runs that waited for answers, nor the one that is kept for short runs.
      mostIdle = Math.max(1, limits.maxWorkers - 1)
      try {
        const output = await runOnce(input, context, caller, limits)
        faulty.delete(caller.account)
        return output
      } catch (thrown) {
        if (thrown instanceof ApiMistake) countFault(thrown, caller.account)
        const found = faulty.get(caller.account)
        if (isTrial && found) found.isTrying = false
        throw thrown
      }
    },
    /** Ends the workers; those that run a call, after it. Calls that come later are refused. */
    end() {
      isEnded = true
      places.refuseAll(ended())
      match()
    },
  }
}

function ended(): Unavailable {
  return new Unavailable("The service is stopping. Try again.", "stopping")
}
