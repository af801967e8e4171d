import type { Clock } from "../../apis/contract.ts"
import type { AnyStoreOptions } from "../open-store.ts"
import { StoreUnavailable } from "../store.ts"
import type { ServerClock } from "./server-clock.ts"

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

  /** How far this machine's clock is ahead; null before the database told its time. */
  function aheadMs(): number | null {
    const serverMs = serverClock.at(clock.monotonicMs())
    return serverMs === null ? null : clock.now() - serverMs
  }

  /** Logs once that the clocks differ, and once that they differ too much. */
  function look(): void {
    const ahead = aheadMs() ?? 0
    const limitMs = [maxSkewMs, tolerableMs].find((limit) => Math.abs(ahead) >= limit) ?? 0
    const isNews = limitMs > loggedMs
    // Only well within the limit it is over, since clocks near it would be logged again and again.
    if (isNews || Math.abs(ahead) < loggedMs / 2) loggedMs = limitMs
    if (!isNews) return
    log?.warn("clocks differ", {
      secondsAheadOfDatabase: Math.round(ahead / 1_000),
      consequence:
        limitMs === maxSkewMs
          ? "Calls that cost credits are refused until the clocks agree. Set the clock of this machine or the database's right."
          : "Credit months, days and expiry follow this machine's clock; limits per minute follow the database's.",
    })
  }

  return {
    look,
    /** @throws StoreUnavailable when the clocks are too far apart for a charge */
    require(): void {
      const ahead = aheadMs()
      // The difference is only known to a few milliseconds. Near the limit, one call would be charged and the next one refused.
      isRefusing = Math.abs(ahead ?? 0) >= maxSkewMs - (isRefusing ? tolerableMs : 0)
      if (ahead === null || !isRefusing) return
      look()
      const seconds = Math.round(Math.abs(ahead) / 1_000)
      throw new StoreUnavailable(
        `The clock of this machine is ${seconds} s ${ahead > 0 ? "ahead of" : "behind"} the database's. Set the one that is wrong right; ` +
          "calls go on by themselves then.",
      )
    },
  }
}
