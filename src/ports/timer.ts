import type { Timer } from "../apis/contract.ts"

/** The runtime's timers. They do not keep the process running. */
export const systemTimer = createTimer({ keepsRunning: false })

/** The runtime's timers. The process keeps running until they have run: for work whose result is awaited. */
export const keepAliveTimer = createTimer({ keepsRunning: true })

function createTimer({ keepsRunning }: { readonly keepsRunning: boolean }): Timer {
  return {
    after(delayMs, run) {
      const timeout = setTimeout(run, delayMs)
      if (!keepsRunning) timeout.unref()
      return () => clearTimeout(timeout)
    },
    turn: () => new Promise((resolve) => setImmediate(resolve)),
  }
}
