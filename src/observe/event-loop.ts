import type { Clock, Timer } from "../apis/contract.ts"
import { createHistogram, record } from "./counts.ts"

const periodMs = 500
const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]

/** Starts to measure how late timers run, in seconds. Requests wait as long. */
export function createLagMeter(timer: Timer, clock: Clock) {
  const lag = createHistogram(bounds)
  let cancel = begin()

  function begin(): () => void {
    const dueMs = clock.monotonicMs() + periodMs
    return timer.after(periodMs, () => {
      record(lag, Math.max(0, clock.monotonicMs() - dueMs) / 1_000)
      cancel = begin()
    })
  }

  return { lag, stop: () => cancel() }
}
