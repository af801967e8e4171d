import type { Clock } from "../../apis/contract.ts"

/** A clock that stands still until it is moved. */
export interface MockClock extends Clock {
  /** Sets the wall clock, also backwards. `monotonicMs` never goes back. */
  set(nowMs: number): void
}

export function createMockClock(startMs: number): MockClock {
  let nowMs = startMs
  let monotonicMs = 0
  return {
    now: () => nowMs,
    monotonicMs: () => monotonicMs,
    set(nextMs) {
      monotonicMs += Math.max(0, nextMs - nowMs)
      nowMs = nextMs
    },
  }
}
