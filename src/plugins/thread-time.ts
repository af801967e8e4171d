import type { Clock } from "../apis/contract.ts"

/** After this time, half of what an account has used is forgotten. */
const halfMs = 10_000
/** A run that takes longer lets calls of others wait. */
export const longMs = 100
/** After a long run, an account leaves one thread of each pool to others for so many times as long; a minute at most. */
const heavyTimes = 20
const maxHeavyMs = 60_000
/** When there is nothing left to remember. */
const keptMs = 120_000

interface Used {
  readonly ms: number
  readonly atMs: number
  readonly heavyUntilMs: number
}

/** The thread time that accounts have used lately, in all pools of a process. */
export type ThreadTime = ReturnType<typeof createThreadTime>

/** Starts to count. */
export function createThreadTime({ monotonicMs }: Pick<Clock, "monotonicMs">) {
  /** Sorted by their last use of a thread, the latest last. */
  const accounts = new Map<string, Used>()

  /** Milliseconds that the account has used, the less the longer ago. */
  function usedMs(account: string): number {
    const used = accounts.get(account)
    return used ? used.ms * 2 ** ((used.atMs - monotonicMs()) / halfMs) : 0
  }

  return {
    usedMs,
    /** Whether a run of the account took long not long ago, or takes long now. */
    isHeavy: (account: string, runningMs = 0) =>
      runningMs > longMs || (accounts.get(account)?.heavyUntilMs ?? Number.NEGATIVE_INFINITY) > monotonicMs(),
    /**
     * Counts a run, or more of it.
     * @param runMs the length of a long run so far; 0 for a short one
     */
    add(account: string, ms: number, runMs: number): void {
      const atMs = monotonicMs()
      const before = accounts.get(account)?.heavyUntilMs ?? Number.NEGATIVE_INFINITY
      const heavyMs = runMs > 0 ? Math.min(maxHeavyMs, runMs * heavyTimes) : Number.NEGATIVE_INFINITY
      const used = { ms: usedMs(account) + ms, atMs, heavyUntilMs: Math.max(before, atMs + heavyMs) }
      accounts.delete(account)
      accounts.set(account, used)
      for (const [oldest, { atMs: lastMs }] of accounts) {
        if (lastMs > atMs - keptMs) break
        accounts.delete(oldest)
      }
    },
  }
}
