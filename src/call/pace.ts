import type { Clock } from "../apis/contract.ts"

/** Work that never waits gives way to everything else after so long. */
const sliceMs = 10

/**
 * Keeps many calculations in one request from holding up all other requests. To be asked before each: gives a promise to
 * wait for where a slice of time is used up, so that other work comes in between, and otherwise nothing.
 */
export function createPace(clock: Clock): () => Promise<void> | undefined {
  let sliceEndMs = clock.monotonicMs() + sliceMs
  let turn: Promise<void> | undefined

  async function giveWay(): Promise<void> {
    await new Promise(setImmediate)
    sliceEndMs = clock.monotonicMs() + sliceMs
    turn = undefined
  }

  /** Of all that wait for the same turn only so many go on as fit the next slice. */
  async function waitForSlice(): Promise<void> {
    while (clock.monotonicMs() >= sliceEndMs) {
      turn ??= giveWay()
      await turn
    }
  }

  return () => (clock.monotonicMs() >= sliceEndMs ? waitForSlice() : undefined)
}
