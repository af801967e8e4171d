import type { Clock } from "../../apis/contract.ts"

/**
 * Translates instants of this process into the clock of the database, for deadlines: a statement that arrives after its
 * deadline must not be charged. Its time is never later than the true instant.
 */
export type ServerClock = ReturnType<typeof createServerClock>

/** Clocks drift apart, so old observations are forgotten. */
const windowMs = 30_000

/** Estimates the database's clock from the answers of statements. */
export function createServerClock({ monotonicMs }: Pick<Clock, "monotonicMs">) {
  let windowStartMs = monotonicMs()
  let previous: number | null = null
  let current: number | null = null

  return {
    /** Takes a time that the database told, with the monotonic local time at which the answer was read. */
    observe(serverMs: number, localMs: number): void {
      if (localMs - windowStartMs > windowMs) {
        previous = current
        current = null
        windowStartMs = localMs
      }
      // The answer was under way for a while, so the database's clock is further than this by now, never less.
      current = Math.max(current ?? Number.NEGATIVE_INFINITY, serverMs - localMs)
    },
    /** The database's time at a monotonic local time, or earlier; null before the database told its time. */
    at(localMs: number): number | null {
      const offsets = [previous, current].filter((offset) => offset !== null)
      return offsets.length === 0 ? null : localMs + Math.max(...offsets)
    },
  }
}
