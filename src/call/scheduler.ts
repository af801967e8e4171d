import type { Ports, Timer } from "../apis/contract.ts"

/**
 * The time that all long work may take in one turn; one step may exceed it. Requests that begin have as much time before it: in
 * one slice with long work, only one of them would begin in each turn.
 */
const sliceMs = 10
/** A step and what follows from it, such as the result of a GraphQL field, take up to this many microtasks. */
const microtasksPerStep = 16

/** Waits until the time of a step that was just begun is used, so that it counts before the next one begins. */
export async function afterStep(): Promise<void> {
  for (let left = microtasksPerStep; left > 0; left--) await undefined
}

/** A step that takes this long is reported: no input within the limits should cause it. */
const stallMs = 200

/** Called for each step that blocked the event loop for long, with the API that ran and the time in milliseconds. */
type OnStall = (api: string, ms: number) => void

/** Work that waits for its part of the turns. */
interface Slice {
  /** The steps that wait, by who has a turn; these are in the order of their turns. */
  readonly waiting: Map<string, Set<() => void>>
  /** The end of its time in this turn. */
  endMs: number
}

/**
 * Shares the time of the process among all long computations: calls, batches, queries with their lists, the writing of answers,
 * and the steps of an API's own run. A process has one.
 */
export type Scheduler = ReturnType<typeof createScheduler>

/** Creates the scheduler of a process. */
export function createScheduler(
  { clock, timer }: Pick<Ports, "clock" | "timer">,
  onStall: OnStall = () => {},
) {
  const begins: Slice = { waiting: new Map(), endMs: 0 }
  const work: Slice = { waiting: new Map(), endMs: 0 }
  /** Whether work has begun in this turn of the event loop. */
  let isTurnOpen = false
  /** The API of the current step; null while none is known. */
  let running: string | null = null
  let stepStartMs = 0

  /** Returns the time now, at which a step ends and the next one may begin. */
  function endStep(): number {
    const nowMs = clock.monotonicMs()
    if (running !== null && nowMs - stepStartMs >= stallMs) onStall(running, nowMs - stepStartMs)
    running = null
    stepStartMs = nowMs
    return nowMs
  }

  function openTurn(): void {
    isTurnOpen = true
    stepStartMs = clock.monotonicMs()
    begins.endMs = work.endMs = stepStartMs + sliceMs
    void timer.turn().then(beginTurn)
  }

  async function beginTurn(): Promise<void> {
    endStep()
    isTurnOpen = false
    if (begins.waiting.size + work.waiting.size === 0) return
    openTurn()
    // Requests that have begun wait with their work until the others have begun too.
    work.endMs = stepStartMs
    await wakeWaiting(begins)
    work.endMs = endStep() + sliceMs
    await wakeWaiting(work)
  }

  /** One by one: steps that are woken together would all find time left, since none of them has run yet. */
  async function wakeWaiting({ waiting, endMs }: Slice): Promise<void> {
    while (waiting.size > 0) {
      wakeNext(waiting)
      await afterStep()
      if (endStep() >= endMs) return
    }
  }

  function wakeNext(waiting: Slice["waiting"]): void {
    for (const [account, steps] of waiting) {
      waiting.delete(account)
      for (const wake of steps) {
        steps.delete(wake)
        if (steps.size > 0) waiting.set(account, steps)
        wake()
        return
      }
    }
  }

  function wait(
    { waiting, endMs }: Slice,
    whose: string | (() => string),
    api: string | null,
    mayBegin = true,
  ): Promise<void> | undefined {
    const isFree = mayBegin && (!isTurnOpen || endStep() < endMs)
    if (!isTurnOpen) openTurn()
    if (isFree) {
      running = api
      return
    }
    const name = typeof whose === "string" ? whose : whose()
    const steps = waiting.getOrInsertComputed(name, () => new Set())
    return new Promise((resolve) => {
      steps.add(() => {
        running = api
        resolve()
      })
    })
  }

  return {
    /**
     * Call it before each step, and wait for the promise before the step begins. Returns undefined if the step may begin at once,
     * which it may until the work of this turn has used up its slice of time. Then the accounts take turns, each with one waiting
     * step, while other requests come in between. A step should take less than 10 ms.
     * @example
     * const pause = scheduler.giveWay(caller.account.id)
     * if (pause) await pause
     * @param account who has a turn; a function is called only when the step has to wait
     * @param api whose step it is, if that is known
     */
    giveWay: (account: string | (() => string), api: string | null = null) => wait(work, account, api),
    /** The same after a wait for an answer from outside: always in a turn, since many steps may have waited for the same one. */
    resume: (account: string, api: string) => wait(work, account, api, false),
    /** The same before a request begins. Those who have a turn are addresses. */
    begin: (address: () => string) => wait(begins, address, null),
    /** Names the API whose step has begun, for reports of long ones. */
    nameStep(api: string) {
      running = api
    },
  }
}

/**
 * Gathers the items of one turn of the event loop into one batch. All items of a batch share one promise, since a promise for
 * each costs more than most of the work. `work` writes each item's result into the item; when it throws, every item of that batch
 * fails with the same error.
 */
export function createTurnBatch<Item>(
  timer: Pick<Timer, "turn">,
  work: (batch: readonly Item[]) => Promise<void>,
): (item: Item) => Promise<void> {
  let waiting: Item[] = []
  let turn: Promise<void> = Promise.resolve()

  function flush(): Promise<void> {
    const batch = waiting
    waiting = []
    return work(batch)
  }

  return (item) => {
    if (waiting.push(item) === 1) turn = timer.turn().then(flush)
    return turn
  }
}
