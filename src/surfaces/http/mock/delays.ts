import type { Timer } from "../../../apis/contract.ts"

/** Waits in real time, also while the mock's clock does not move. */
export function createDelays(timer: Timer) {
  const waiting = new Set<() => void>()
  let isEnded = false
  return {
    wait(delayMs: number): Promise<void> {
      if (isEnded) return Promise.resolve()
      return new Promise((resolve) => {
        const finish = () => {
          cancel()
          waiting.delete(finish)
          resolve()
        }
        const cancel = timer.after(delayMs, finish)
        waiting.add(finish)
      })
    },
    /** Ends every wait now, and lets later ones end at once. */
    end(): void {
      isEnded = true
      for (const finish of waiting) finish()
    },
  }
}
