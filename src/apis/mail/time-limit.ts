import type { Timer } from "../contract.ts"

/** Runs `work` with a signal that fires after `limitMs`. */
export async function withTimeLimit<T>(
  timer: Pick<Timer, "after">,
  limitMs: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController()
  const cancel = timer.after(limitMs, () => limit.abort())
  try {
    return await work(limit.signal)
  } finally {
    cancel()
  }
}
