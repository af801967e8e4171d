import type { Clock } from "../apis/contract.ts"

/** The machine's clock. */
export const systemClock: Clock = { now: () => Date.now(), monotonicMs: () => performance.now() }
