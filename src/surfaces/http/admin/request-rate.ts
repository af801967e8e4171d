import { LRUCache } from "lru-cache"
import { AdminFault } from "../../../admin/fault.ts"
import type { Clock } from "../../../apis/contract.ts"
import { httpLimits } from "../read/limits.ts"

/** Limits how often someone sends requests, in each process. */
export type RequestRate = ReturnType<typeof createRequestRate>

export const unlimitedRate: RequestRate = { take() {}, takeChange() {}, takeQuestion() {} }

const minuteMs = 60_000
const maxIds = 10_000

/** Counts requests and changes of each key, session and account. */
export function createRequestRate(clock: Clock) {
  const { adminRequestsPerMinute, customerChangesPerMinute, mailQuestionsPerMinute } = httpLimits
  const limit = (perMinute: number, what: string) =>
    createLimit(clock, perMinute, `The limit of ${perMinute} ${what} is reached`)
  return {
    /**
     * Counts a request of an admin key or a session.
     * @throws AdminFault 429 when the requests of a minute are used up
     */
    take: limit(adminRequestsPerMinute, "requests a minute"),
    /**
     * Counts a change by a customer, for all sessions of the account together: each change leaves a permanent record in the
     * store. API calls leave none.
     * @throws AdminFault 429
     */
    takeChange: limit(customerChangesPerMinute, "changes a minute of an account"),
    /**
     * Counts a question of a network for a link by mail. How many are sent is limited in the store.
     * @throws AdminFault 429
     */
    takeQuestion: limit(mailQuestionsPerMinute, "questions a minute from your network"),
  }
}

/** Each id has a minute's requests in store, which come back evenly (the generic cell rate algorithm). */
function createLimit(clock: Clock, perMinute: number, refusal: string): (id: string) => void {
  const requestMs = minuteMs / perMinute
  /** The time when each id has all its requests again. */
  const fullAtMs = new LRUCache<string, number>({ max: maxIds })
  return (id) => {
    const nowMs = clock.monotonicMs()
    const next = Math.max(nowMs, fullAtMs.get(id) ?? 0) + requestMs
    const waitMs = next - minuteMs - nowMs
    if (waitMs > 0) {
      const retryAfterSeconds = Math.ceil(waitMs / 1_000)
      const text = `${refusal}; try again in ${retryAfterSeconds} s.`
      throw new AdminFault("too-many-requests", text, { retryAfterSeconds })
    }
    fullAtMs.set(id, next)
  }
}
