import { type ApiDefinition, Busy, type Clock, type RunContext, type Timer } from "../apis/contract.ts"
import type { PluginWorker } from "./plugin-worker.ts"
import type { Place } from "./run-questions.ts"
import { longMs, type ThreadTime } from "./thread-time.ts"

/** The caller of a run, and for whom it counts. */
export interface PoolCaller {
  /** Runs of one account together have half of the places at most. */
  readonly account: string
  /** Whether the run may ask other servers. */
  readonly asks?: boolean
  /** Throws when the caller has left. */
  readonly requirePresent?: (() => void) | undefined
}

/** The caller of a run of an API. */
export function toPoolCaller(
  { asksDns, asksWeb }: Pick<ApiDefinition, "asksDns" | "asksWeb">,
  { account = "", requirePresent }: Pick<RunContext, "account" | "requirePresent">,
): PoolCaller {
  return { account, asks: asksDns === true || asksWeb === true, requirePresent }
}

/** A call on its way through a pool. It waits for a place, and runs in it but while others answer its questions. */
export interface PooledCall extends PoolCaller {
  /** Null until it begins. */
  worker: PluginWorker | null
  /** Since when it has its place; null while it has none. */
  heldSinceMs: number | null
  heldMs: number
  /** How much of its time is counted for its account. */
  countedMs: number
  /** Whether it has waited so long that another thread may be started for it. */
  isDue: boolean
  /** How often it was looked at while it waited for its worker or ran. */
  looks: number
  /** Whether its run was ended once and begins again, for which the kept place is not. */
  isMoved: boolean
  /** Called with its worker when it has a place. */
  begin(worker: PluginWorker): void
  fail(cause: unknown): void
  /** Why it was ended; undefined if it was not. */
  endedBy: unknown
}

/** Calls that may wait. An account may have as many as are free; after that, as many as each other one. */
const maxWaiting = 256
/** Most calls take less time than the start of a thread, so a call first waits this long for a worker that becomes free. */
const startAfterMs = 20
/** Accounts that have used less are alike: one that has used a little must not wait for the first runs of many new ones. */
const littleMs = 100
/** How often calls are looked at that wait or run. One whose caller has left ends, if it has run for one or two looks. */
const lookMs = 250
/** A call that has waited for 10 s is refused: after 30 s its connection would be closed without an answer. */
const maxLooks = 40
const retrySeconds = 10
/** The least that a run counts for, so that accounts take turns however short their runs are. */
const leastMs = 0.1
/** Runs that may ask other servers, for each place: while they wait for answers, others have their places. */
const askingPerPlace = 2

/**
 * Makes the places of a pool, in which runs compute.
 * @param match called when a call may begin: the pool takes calls then
 */
export function createPlaces(
  { clock, timer, time }: { clock: Pick<Clock, "monotonicMs">; timer: Timer; time: ThreadTime },
  match: () => void,
) {
  /** Oldest first. */
  const waiting = new Set<PooledCall>()
  const running = new Set<PooledCall>()
  let isLooking = false
  let isFreeing = false
  let places = 1

  const isHeavy = (call: PooledCall, runningMs = 0) => call.isMoved || time.isHeavy(call.account, runningMs)

  /** The calls that have a place, and how many of them are long or of accounts with long runs. */
  function findHeld() {
    const nowMs = clock.monotonicMs()
    const held = [...running].filter(({ heldSinceMs }) => heldSinceMs !== null)
    return { held, heavy: held.filter((one) => isHeavy(one, nowMs - (one.heldSinceMs ?? nowMs))).length }
  }

  /** Tells of a call whether there is a place for it now. One place is kept for accounts whose runs are short. */
  function findPlaces(): (call: PooledCall) => boolean {
    const { held, heavy } = findHeld()
    const asking = [...running].filter(({ asks }) => asks)
    const free = places * askingPerPlace - asking.length
    return (call) => {
      if (held.length >= places || countOf(held, call) >= Math.max(1, Math.floor(places / 2))) return false
      if (heavy >= Math.max(1, places - 1) && isHeavy(call)) return false
      return call.worker !== null || !call.asks || countOf(asking, call) < free
    }
  }

  /**
   * While a call waits for the kept place: ends the run that began last when it has become long there, as the first run of a new
   * account may. It begins again in another place.
   */
  function freeKept(): void {
    const short = [...waiting].filter((call) => !isHeavy(call))
    isFreeing = short.length > 0
    if (!isFreeing) return
    timer.after(startAfterMs, freeKept)
    const { held, heavy } = findHeld()
    // A place of a run that was ended becomes free as soon as its thread is gone.
    if (held.some(({ worker }) => worker?.isUsable() === false)) return
    const last = held.filter(({ isMoved }) => !isMoved).at(-1)
    if (places === 1 || heavy < places || short.every((call) => countOf(held, call) > 0)) return
    if (!last?.worker || last.worker.computedMs() <= longMs) return
    last.isMoved = true
    last.worker.end()
  }

  /** Refuses the latest call of the account with the most, so that a few accounts cannot keep all others out. */
  function makeRoom(caller: PoolCaller): void {
    const [most = []] = [...Map.groupBy(waiting, ({ account }) => account).values()].sort(
      (a, b) => b.length - a.length,
    )
    const last = most.findLast(({ worker }) => worker === null)
    if (!last || most.length <= countOf(waiting, caller) + 1) throw tooBusy()
    waiting.delete(last)
    last.fail(tooBusy())
  }

  /** Ends a call whose caller has left, or that has waited for too long. */
  function endUnlessWanted(call: PooledCall): void {
    try {
      call.requirePresent?.()
      if (call.worker === null && call.looks > maxLooks) throw tooBusy()
    } catch (cause) {
      waiting.delete(call)
      call.endedBy = cause
      call.fail(cause)
      call.worker?.end()
    }
  }

  function look(): void {
    isLooking = waiting.size + running.size > 0
    if (!isLooking) return
    timer.after(lookMs, look)
    // A run without an end must not count as none until it is ended.
    for (const call of running) count(call)
    // A run that was ended is told no second time.
    for (const call of new Set([...waiting, ...running]))
      if (call.worker?.isUsable() !== false && ++call.looks > 1) endUnlessWanted(call)
  }

  const heldMsOf = ({ heldMs, heldSinceMs }: PooledCall) =>
    heldMs + (heldSinceMs === null ? 0 : clock.monotonicMs() - heldSinceMs)

  /** Counts the time that a run has used since the last time. On busy processors a long one holds its place for longer. */
  function count(call: PooledCall): void {
    const heldMs = heldMsOf(call)
    const usedMs = Math.max(call.worker?.usedMs() ?? heldMs, leastMs)
    time.add(call.account, usedMs - call.countedMs, usedMs > longMs ? Math.max(usedMs, heldMs) : 0)
    call.countedMs = usedMs
  }

  function leavePlace(call: PooledCall): void {
    call.heldMs = heldMsOf(call)
    call.heldSinceMs = null
  }

  return {
    setCount(count: number) {
      places = count
    },
    /**
     * Takes a call that can begin, and gives it a place: the oldest of the account that has used the least time, and among
     * accounts that have used little of the one with the fewest calls that wait.
     */
    take(hasThread: boolean): PooledCall | undefined {
      for (const call of waiting) if (call.worker === null) endUnlessWanted(call)
      const hasPlace = waiting.size > 0 ? findPlaces() : () => false
      const ready = [...waiting].filter(
        (call) => (hasThread || call.isDue || call.worker !== null) && hasPlace(call),
      )
      const byAccount = [...Map.groupBy(ready, ({ account }) => account)]
      const [first] = byAccount
        .map(([account, calls]) => ({ calls, usedMs: Math.max(time.usedMs(account), littleMs) }))
        .sort((a, b) => a.usedMs - b.usedMs || a.calls.length - b.calls.length)
      const next = first?.calls[0]
      if (next === undefined) return undefined
      waiting.delete(next)
      running.add(next)
      next.heldSinceMs = clock.monotonicMs()
      return next
    },
    /** Waits for a place and a worker. A call that is moved waits again. */
    async enter(caller: PoolCaller, isMoved = false) {
      if (countOf(waiting, caller) >= maxWaiting - waiting.size) makeRoom(caller)
      const { promise, resolve, reject } = Promise.withResolvers<PluginWorker>()
      const call: PooledCall = {
        ...{ worker: null, heldSinceMs: null, heldMs: 0, countedMs: 0, isDue: false, looks: 0 },
        ...{ ...caller, isMoved, endedBy: undefined },
        begin(worker) {
          call.worker = worker
          call.looks = 0
          resolve(worker)
        },
        fail: reject,
      }
      waiting.add(call)
      match()
      if (waiting.has(call))
        timer.after(startAfterMs, () => {
          call.isDue = true
          match()
        })
      if (!isLooking) {
        isLooking = true
        timer.after(lookMs, look)
      }
      if (!isFreeing) freeKept()
      return { call, worker: await promise }
    },
    /** The place of a running call. */
    placeOf(call: PooledCall): Place {
      /** Several answers of a run may wait for its place: all go on when it has it. */
      let entering: Promise<void> | null = null
      return {
        leave() {
          leavePlace(call)
          match()
        },
        enter() {
          // Answers also come to runs that have ended. Such a run must take no place, since nothing would end it there.
          if (call.heldSinceMs !== null || !running.has(call)) return undefined
          if (entering !== null) return entering
          const { promise, resolve } = Promise.withResolvers<void>()
          entering = promise
          call.begin = () => {
            entering = null
            resolve()
          }
          waiting.add(call)
          match()
          return promise
        },
      }
    },
    /** Lets a call wait again that has found no thread, but starts none for it. */
    putBack(call: PooledCall): void {
      running.delete(call)
      leavePlace(call)
      call.isDue = false
      if (call.endedBy === undefined) waiting.add(call)
      match()
    },
    /** How many calls run, with those that wait for answers. */
    runningCount: () => running.size,
    /** Forgets a call that has ended, but for the time of its run. */
    remove(call: PooledCall): void {
      if (call.worker !== null) count(call)
      running.delete(call)
      waiting.delete(call)
      leavePlace(call)
    },
    /** Refuses all calls that have not begun. */
    refuseAll(cause: unknown): void {
      for (const call of [...waiting].filter(({ worker }) => worker === null)) {
        waiting.delete(call)
        call.fail(cause)
      }
    },
  }
}

function countOf(calls: Iterable<PooledCall>, caller: PoolCaller): number {
  let count = 0
  for (const { account } of calls) if (account === caller.account) count++
  return count
}

function tooBusy(): Busy {
  return new Busy("The API has too many calls right now. Nothing was charged; try again.", retrySeconds)
}
