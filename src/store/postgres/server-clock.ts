import type { Clock } from "../../apis/contract.ts"

/**
 * Translates instants of this process into the clock of the database, for deadlines: a statement that arrives after its
 * deadline must not be charged. Its time is never later than the true instant.
 */
export type ServerClock = ReturnType<typeof createServerClock>

/** When the database was asked for its time, and when the answer was read. Monotonic. */
export interface AskedTime {
  readonly sentMs: number
  readonly answeredMs: number
}

/** Clocks drift apart, so old observations are forgotten. */
const windowMs = 30_000
/** The database's clock may be slowed down. One that went back further was set. */
const setBackMs = 1_000

/** Estimates the database's clock from the answers of statements. */
export function createServerClock({ monotonicMs }: Pick<Clock, "monotonicMs">) {
  let windowStartMs = monotonicMs()
  let previous: number | null = null
  let current: number | null = null

  function best(): number | null {
    if (previous === null || current === null) return previous ?? current
    return Math.max(previous, current)
  }

  return {
    /** Takes a time that the database told. */
    observe(serverMs: number, { sentMs, answeredMs }: AskedTime): void {
      if (answeredMs - windowStartMs > windowMs) {
        previous = current
        current = null
        windowStartMs = answeredMs
      }
      if (serverMs - sentMs < (best() ?? Number.NEGATIVE_INFINITY) - setBackMs) {
        previous = null
        current = null
      }
      // The answer was under way for a while, so the database's clock is further than this by now, never less.
      current = Math.max(current ?? Number.NEGATIVE_INFINITY, serverMs - answeredMs)
    },
    /** The database's time at a monotonic local time, or earlier; null before the database told its time. */
    at(localMs: number): number | null {
      const offsetMs = best()
      return offsetMs === null ? null : localMs + offsetMs
    },
  }
}
