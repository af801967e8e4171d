import type { Timer } from "../../src/ports/timer.ts"

/** A timer that goes off when the test says so. */
export interface ManualTimer extends Timer {
  /** Delays that are being waited for. */
  readonly waiting: readonly number[]
  /** Resolves when something has begun to wait. */
  asked(): Promise<void>
  /** Ends all waiting. */
  fire(): void
}

export function createManualTimer(): ManualTimer {
  const entries = new Set<{ delayMs: number; run: () => void }>()
  let askers: (() => void)[] = []
  return {
    after(delayMs, run) {
      const entry = { delayMs, run }
      entries.add(entry)
      for (const resolve of askers) resolve()
      askers = []
      return () => entries.delete(entry)
    },
    get waiting() {
      return [...entries].map(({ delayMs }) => delayMs)
    },
    asked() {
      if (entries.size > 0) return Promise.resolve()
      return new Promise((resolve) => askers.push(resolve))
    },
    fire() {
      const due = [...entries]
      entries.clear()
      for (const { run } of due) run()
    },
  }
}
