import type { Clock } from "../apis/contract.ts"

/** Work that never waits gives way to everything else after so long. */
const sliceMs = 10
/** Steps that take next to nothing need not look at the clock each time, which takes longer than some of them. */
const maxSteps = 8
const quickMs = 0.1

/**
 * Keeps many steps of one request from holding up all other requests. To be asked before each: gives a promise to wait for
 * where a slice of time is used up, so that other work comes in between, and otherwise nothing.
 */
export type Pace = () => Promise<void> | undefined

export function createPace(clock: Clock): Pace {
  let sliceEndMs = clock.monotonicMs() + sliceMs
  /** None before the first step of a slice, which is the first to be measured. */
  let askedMs = Number.NEGATIVE_INFINITY
  let steps = 1
  let stepsLeft = 0
  let turn: Promise<void> | undefined

  function isUsedUp(): boolean {
    if (stepsLeft-- > 0) return false
    const nowMs = clock.monotonicMs()
    steps = nowMs - askedMs < quickMs ? Math.min(2 * steps, maxSteps) : 1
    askedMs = nowMs
    const isOver = nowMs >= sliceEndMs
    stepsLeft = isOver ? 0 : steps - 1
    return isOver
  }

  async function giveWay(): Promise<void> {
    await new Promise(setImmediate)
    sliceEndMs = clock.monotonicMs() + sliceMs
    askedMs = Number.NEGATIVE_INFINITY
    turn = undefined
  }

  /** Of all that wait for the same turn only so many go on as fit the next slice. */
  async function waitForSlice(): Promise<void> {
    while (clock.monotonicMs() >= sliceEndMs) {
      turn ??= giveWay()
      await turn
    }
  }

  return () => (isUsedUp() ? waitForSlice() : undefined)
}
