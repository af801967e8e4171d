/** Waiting in real time, however still the mock's own clock stands. */
export interface Delays {
  wait(delayMs: number): Promise<void>
  /** Lets everything that waits go on, and whatever comes later not wait. */
  end(): void
}

export function createDelays(): Delays {
  const waiting = new Map<ReturnType<typeof setTimeout>, () => void>()
  let ended = false
  return {
    wait(delayMs) {
      if (ended) return Promise.resolve()
      return new Promise((resolve) => {
        const timeout = setTimeout(() => {
          waiting.delete(timeout)
          resolve()
        }, delayMs)
        waiting.set(timeout, resolve)
      })
    },
    end() {
      ended = true
      for (const [timeout, resolve] of waiting) {
        clearTimeout(timeout)
        resolve()
      }
      waiting.clear()
    },
  }
}
