import type { Ports } from "../apis/contract.ts"

/** The time that all long work may take in one turn; one step may exceed it. */
const sliceMs = 10
/** A woken step and what follows from it, such as the result of a GraphQL field, take up to this many microtasks. */
const microtasksPerStep = 4

/** A step that takes this long is reported: no input within the limits should cause it. */
const stallMs = 200

/** Called for each step that blocked the event loop for long, with the API that ran and the time in milliseconds. */
type OnStall = (api: string, ms: number) => void

/**
 * Shares the time of the process among all long computations: calls, batches, queries with their lists, the writing of answers,
 * and the steps of an API's own run. A process has one.
 */
export interface Scheduler {
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
  giveWay(account: string | (() => string), api?: string): Promise<void> | undefined
  /** Names the API whose step has begun, for reports of long ones. */
  nameStep(api: string): void
}

/** Creates the scheduler of a process. */
export function createScheduler(
  { clock, timer }: Pick<Ports, "clock" | "timer">,
  onStall: OnStall = () => {},
): Scheduler {
  /** The steps that wait, by account; the accounts are in the order of their turns. */
  const waiting = new Map<string, Set<() => void>>()
  /** Whether work has begun in this turn of the event loop. */
  let isSliceOpen = false
  let sliceEndMs = 0
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

  function openSlice(): void {
    isSliceOpen = true
    stepStartMs = clock.monotonicMs()
    sliceEndMs = stepStartMs + sliceMs
    void timer.turn().then(beginTurn)
  }

  async function beginTurn(): Promise<void> {
    endStep()
    isSliceOpen = false
    if (waiting.size === 0) return
    openSlice()
    // One by one: steps that are woken together would all find time left, since none of them has run yet.
    do {
      wakeNext()
      for (let left = microtasksPerStep; left > 0; left--) await undefined
    } while (waiting.size > 0 && endStep() < sliceEndMs)
  }

  function wakeNext(): void {
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

  return {
    giveWay(account, api) {
      const isFree = isSliceOpen ? endStep() < sliceEndMs : true
      if (isFree) {
        if (!isSliceOpen) openSlice()
        running = api ?? null
        return
      }
      const name = typeof account === "string" ? account : account()
      const steps = waiting.get(name) ?? new Set()
      waiting.set(name, steps)
      return new Promise((resolve) => {
        steps.add(() => {
          running = api ?? null
          resolve()
        })
      })
    },
    nameStep(api) {
      running = api
    },
  }
}
