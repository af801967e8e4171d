import type { Clock } from "../apis/contract.ts"

/** The machine's clock. */
export const systemClock: Clock = { now: () => Date.now(), monotonicMs: () => performance.now() }

/** Returns a function that returns the current time as ISO 8601. It formats once per millisecond. */
export function createIsoTime(clock: Clock): () => string {
  let lastMs = Number.NaN
  let text = ""
  return () => {
    const nowMs = clock.now()
    if (nowMs !== lastMs) {
      lastMs = nowMs
      text = new Date(nowMs).toISOString()
    }
    return text
  }
}
