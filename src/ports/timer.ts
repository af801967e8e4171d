import type { Timer } from "../apis/contract.ts"

/** The runtime's timers. They do not keep the process running. */
export const systemTimer = createTimer({ keepsRunning: false })

/** The runtime's timers. The process keeps running until they have run: for work whose result is awaited. */
export const keepAliveTimer = createTimer({ keepsRunning: true })

function createTimer({ keepsRunning }: { readonly keepsRunning: boolean }): Timer {
  /** All waits for a turn share one promise: a metered call waits for several. */
  let coming: Promise<void> | null = null
  return {
    after(delayMs, run) {
      const timeout = setTimeout(run, delayMs)
      if (!keepsRunning) timeout.unref()
      return () => clearTimeout(timeout)
    },
    turn() {
      coming ??= new Promise((resolve) => {
        setImmediate(() => {
          coming = null
          resolve()
        })
      })
      return coming
    },
  }
}
