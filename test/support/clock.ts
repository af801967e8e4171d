import type { Clock } from "../../src/apis/contract.ts"

/** A clock that the test moves by hand. */
export interface ManualClock extends Clock {
  set(iso: string): void
  advance(ms: number): void
}

export function createManualClock(iso = "2025-01-01T00:00:00Z"): ManualClock {
  let nowMs = Date.parse(iso)
  let monotonic = 0
  return {
    now: () => nowMs,
    monotonicMs: () => monotonic,
    set(next) {
      nowMs = Date.parse(next)
    },
    advance(ms) {
      nowMs += ms
      monotonic += ms
    },
  }
}

/** A clock on which each step takes 20 ms, longer than a slice of time, so that each waits for its own turn. */
export function createSlowClock(): Clock {
  let monotonicMs = 0
  return {
    now: () => Date.parse("2025-01-01T00:00:00Z"),
    monotonicMs() {
      monotonicMs += 20
      return monotonicMs
    },
  }
}
