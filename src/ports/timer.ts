import type { Timer } from "../apis/contract.ts"

/** The runtime's timers. A timer alone does not keep the process running. */
export const systemTimer: Timer = {
  after(delayMs, run) {
    const timeout = setTimeout(run, delayMs)
    timeout.unref()
    return () => clearTimeout(timeout)
  },
  turn: () => new Promise((resolve) => setImmediate(resolve)),
}
