import type { Ports } from "../apis/contract.ts"

/** After this long, work without waits lets other requests run. */
const sliceMs = 10
/** The clock is read once for up to this many quick steps, since reading it takes longer than some of them. */
const maxSteps = 8
const quickMs = 0.1

/**
 * Keeps the many steps of one request from holding up all other requests. Call the result before each step: it gives a
 * promise to wait for when the time slice is used up, and otherwise nothing.
 */
export function createPace({
  clock,
  timer,
}: Pick<Ports, "clock" | "timer">): () => Promise<void> | undefined {
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

  /** Of the steps that wait for one turn, only those continue that fit the next slice. */
  async function waitForSlice(): Promise<void> {
    while (clock.monotonicMs() >= sliceEndMs) {
      turn ??= giveWay()
      await turn
    }
  }

  return () => (isUsedUp() ? waitForSlice() : undefined)
}
