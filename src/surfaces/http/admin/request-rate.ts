import { LRUCache } from "lru-cache"
import { AdminFault } from "../../../admin/fault.ts"
import type { Clock } from "../../../apis/contract.ts"
import { httpLimits } from "../limits.ts"

/** Limits how often an admin key is used, in each process. */
export interface RequestRate {
  /** @throws AdminFault 429 when the key's requests of a minute are used up */
  take(adminKeyId: string): void
}

export const unlimitedRate: RequestRate = { take() {} }

const minuteMs = 60_000
const requestMs = minuteMs / httpLimits.adminRequestsPerMinute
const maxKeys = 10_000

/** Each key has a minute's requests in store, which come back evenly (the generic cell rate algorithm). */
export function createRequestRate(clock: Clock): RequestRate {
  /** When each key has all its requests again. */
  const fullAtMs = new LRUCache<string, number>({ max: maxKeys })
  return {
    take(id) {
      const nowMs = clock.monotonicMs()
      const next = Math.max(nowMs, fullAtMs.get(id) ?? 0) + requestMs
      const waitMs = next - minuteMs - nowMs
      if (waitMs > 0) throw tooManyRequests(waitMs)
      fullAtMs.set(id, next)
    },
  }
}

function tooManyRequests(waitMs: number): AdminFault {
  const retryAfterSeconds = Math.ceil(waitMs / 1_000)
  return new AdminFault(
    "too-many-requests",
    `The limit of ${httpLimits.adminRequestsPerMinute} requests a minute of this admin key is reached; try again in ${retryAfterSeconds} s.`,
    { retryAfterSeconds },
  )
}
