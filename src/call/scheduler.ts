import type { Ports } from "../apis/contract.ts"

/** All long work of the process together computes for this long in one turn of the event loop, and for one step more. */
const sliceMs = 10
/** A woken step and what follows from it, such as the result of a GraphQL field, take up to this many microtasks. */
const microtasksPerStep = 4

/**
 * Shares the time of the process among all work that computes for long: single calls, batches, queries with their lists, the writing of
 * answers, and the steps of an API's own run. There is one for the process.
 */
export interface Scheduler {
  /**
   * Call it before each step, and wait for the promise before the step begins. It gives nothing when the step may begin at
   * once, which is so until the work of this turn has used up its slice of time. Then the accounts take turns, each with one
   * waiting step, while other requests come in between. A step should take less than 10 ms.
   * @example
   * const pause = scheduler.giveWay(caller.account.id)
   * if (pause) await pause
   */
  giveWay(account: string): Promise<void> | undefined
}

/** Creates the scheduler of a process. */
export function createScheduler({ clock, timer }: Pick<Ports, "clock" | "timer">): Scheduler {
  /** The steps that wait, by account; the accounts are in the order of their turns. */
  const waiting = new Map<string, Set<() => void>>()
  /** Whether work has begun in this turn of the event loop. */
  let isSliceOpen = false
  let sliceEndMs = 0

  function openSlice(): void {
    isSliceOpen = true
    sliceEndMs = clock.monotonicMs() + sliceMs
    void timer.turn().then(beginTurn)
  }

  async function beginTurn(): Promise<void> {
    isSliceOpen = false
    if (waiting.size === 0) return
    openSlice()
    // One by one: steps that are woken together would all find time left, since none of them has run yet.
    do {
      wakeNext()
      for (let left = microtasksPerStep; left > 0; left--) await undefined
    } while (waiting.size > 0 && clock.monotonicMs() < sliceEndMs)
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
    giveWay(account) {
      if (!isSliceOpen) {
        openSlice()
        return
      }
      if (clock.monotonicMs() < sliceEndMs) return
      const steps = waiting.get(account) ?? new Set()
      waiting.set(account, steps)
      return new Promise((resolve) => steps.add(resolve))
    },
  }
}
