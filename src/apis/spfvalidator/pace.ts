import type { Ports } from "../contract.ts"
import { limits } from "./limits.ts"

/**
 * Keeps a long computation from holding up all other calls. To be asked between its parts: gives a promise to wait for
 * once the time of a slice is used up, and otherwise nothing.
 */
export function createPace({
  clock,
  timer,
}: Pick<Ports, "clock" | "timer">): () => Promise<void> | undefined {
  let sliceEndMs = clock.monotonicMs() + limits.sliceMilliseconds

  async function giveWay(): Promise<void> {
    await timer.turn()
    sliceEndMs = clock.monotonicMs() + limits.sliceMilliseconds
  }

  return () => (clock.monotonicMs() >= sliceEndMs ? giveWay() : undefined)
}
