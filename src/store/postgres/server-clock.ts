import type { Clock } from "../../apis/contract.ts"
import { ClocksDiffer } from "../store.ts"
import type { AnyStoreOptions } from "../store-options.ts"

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

/** Months, days and expiry follow the clock of each machine, so it must not be far from the others'. Milliseconds. */
const tolerableMs = 2_000
/**
 * A clock that differs by more may be in another day or month: a charge would begin a new credit month, which cannot be undone.
 */
const defaultMaxMs = 60_000

/** Compares this machine's clock with the database's. */
export type ClockSkew = ReturnType<typeof createClockSkew>

/** Follows how far the two clocks are apart. `log` gets a line when that begins to matter. */
export function createClockSkew(
  clock: Clock,
  serverClock: ServerClock,
  { log, maxSkewMs = defaultMaxMs }: Pick<AnyStoreOptions, "log" | "maxSkewMs">,
) {
  let loggedMs = 0
  let isRefusing = false

  /** How far this machine's clock is ahead; 0 before the database told its time. */
  function aheadMs(): number {
    const nowMs = clock.now()
    return nowMs - (serverClock.at(clock.monotonicMs()) ?? nowMs)
  }

  /** Logs once that the clocks differ, and once that they differ too much. */
  function look(): void {
    const ahead = aheadMs()
    const limitMs = [maxSkewMs, tolerableMs].find((limit) => Math.abs(ahead) >= limit) ?? 0
    const isNews = limitMs > loggedMs
    // Only well within the limit it is over, since clocks near it would be logged again and again.
    if (isNews || Math.abs(ahead) < loggedMs / 2) loggedMs = limitMs
    if (!isNews) return
    log?.warn("clocks differ", {
      secondsAheadOfDatabase: Math.round(ahead / 1_000),
      consequence:
        limitMs === maxSkewMs
          ? "Calls that cost credits and changes are refused until the clocks agree, and nothing is sent. Set the clock of this machine or the database's right."
          : "Credit months, days and expiry follow this machine's clock; limits per minute follow the database's.",
    })
  }

  /** Whether the clocks are too far apart. Near the limit, where the difference is not exactly known, the answer stays. */
  function isOff(ahead: number): boolean {
    isRefusing = Math.abs(ahead) >= maxSkewMs - (isRefusing ? tolerableMs : 0)
    return isRefusing
  }

  /** How far off leases by this machine's clock would be. Where any difference is allowed, all processes have the same clock. */
  function offMs(): number {
    const ahead = aheadMs()
    return Math.abs(ahead) < tolerableMs || maxSkewMs === Number.POSITIVE_INFINITY ? 0 : Math.round(ahead)
  }

  return {
    look,
    /**
     * Lets an outbox lease by the database's clock, so that no instance sends what another one is sending. With a
     * clock that is too far off it leases nothing.
     */
    byDatabase<Row, Options extends { readonly nowMs: number }>(outbox: {
      claim(options: Options): Promise<Row | null>
      nextAttemptMs(nowMs: number): Promise<number | null>
    }) {
      return {
        claim: async (options: Options) =>
          isOff(aheadMs()) ? null : outbox.claim({ ...options, nowMs: options.nowMs - offMs() }),
        async nextAttemptMs(nowMs: number) {
          const nextMs = await outbox.nextAttemptMs(nowMs - offMs())
          return nextMs && nextMs + offMs()
        },
      }
    },
    /** @throws ClocksDiffer when the clocks are too far apart for a charge or a change */
    require(): void {
      const ahead = aheadMs()
      if (!isOff(ahead)) return
      look()
      const seconds = Math.round(Math.abs(ahead) / 1_000)
      throw new ClocksDiffer(
        `The clock of this machine is ${seconds} s ${ahead > 0 ? "ahead of" : "behind"} the database's. Set the one that is wrong right; ` +
          "calls go on by themselves then.",
      )
    },
  }
}
