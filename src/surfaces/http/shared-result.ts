import type { Clock } from "../../apis/contract.ts"

/**
 * Limits how often strangers can cause a costly piece of work: all who ask within `maxAgeMs` of its start, or while it runs,
 * get the same result, a failure too.
 */
export function createSharedResult<T>(
  work: () => Promise<T>,
  maxAgeMs: number,
  { monotonicMs }: Pick<Clock, "monotonicMs">,
): () => Promise<T> {
  let latest: Promise<T> | null = null
  let startedMs = 0
  let isRunning = false
  return () => {
    if (latest !== null && (isRunning || monotonicMs() - startedMs < maxAgeMs)) return latest
    startedMs = monotonicMs()
    isRunning = true
    latest = work().finally(() => {
      isRunning = false
    })
    return latest
  }
}
