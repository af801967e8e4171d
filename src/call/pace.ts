import type { Ports } from "../apis/contract.ts"

/** Work without waits gives way to everything else after so long. */
const sliceMs = 10
/** Steps that take next to no time are not measured one by one: reading the clock takes longer than some of them. */
const maxSteps = 8
const quickMs = 0.1

/**
 * Keeps the many steps of one request from holding up all other requests. Call it before each step: it gives a promise to
 * wait for when a slice of time is used up, so that other work comes in between, and otherwise nothing.
 */
export type Pace = () => Promise<void> | undefined

export function createPace({ clock, timer }: Pick<Ports, "clock" | "timer">): Pace {
  let sliceEndMs = clock.monotonicMs() + sliceMs
  let lastMs = Number.NEGATIVE_INFINITY
  let steps = 1
  let stepsLeft = 0
  let turn: Promise<void> | undefined

  function isUsedUp(): boolean {
    if (stepsLeft-- > 0) return false
    const nowMs = clock.monotonicMs()
    steps = nowMs - lastMs < quickMs ? Math.min(2 * steps, maxSteps) : 1
    lastMs = nowMs
    const isOver = nowMs >= sliceEndMs
    stepsLeft = isOver ? 0 : steps - 1
    return isOver
  }

  async function giveWay(): Promise<void> {
    await timer.turn()
    sliceEndMs = clock.monotonicMs() + sliceMs
    lastMs = Number.NEGATIVE_INFINITY
    turn = undefined
  }

  /** Of all steps that wait for the same turn, only those go on that fit the next slice. */
  async function waitForSlice(): Promise<void> {
    while (clock.monotonicMs() >= sliceEndMs) {
      turn ??= giveWay()
      await turn
    }
  }

  return () => (isUsedUp() ? waitForSlice() : undefined)
}
