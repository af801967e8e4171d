import type { Waits } from "../apis/contract.ts"

/** The runtime's turns and timers. A deadline does not keep a process alive that has nothing else to do. */
export const systemWaits: Waits = {
  turn: () => new Promise((resolve) => setImmediate(resolve)),
  deadline(limitMs) {
    const controller = new AbortController()
    const timeout = setTimeout(() => controller.abort(), limitMs)
    timeout.unref()
    return { signal: controller.signal, release: () => clearTimeout(timeout) }
  },
}
