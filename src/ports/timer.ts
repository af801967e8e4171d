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
      let isCancelled = false
      const runUnlessCancelled = () => {
        if (!isCancelled) run()
      }
      const timeout = setTimeout(() => afterInput(runUnlessCancelled), delayMs)
      if (!keepsRunning) timeout.unref()
      return () => {
        isCancelled = true
        clearTimeout(timeout)
      }
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

/**
 * Runs a function when the input that has arrived was read. After a pause of the process (SIGSTOP, a halted machine) timers are
 * due before that: an answer that lies in its socket would be taken for late. The first turn may come before input is read.
 */
function afterInput(run: () => void): void {
  setImmediate(() => setImmediate(run))
}
