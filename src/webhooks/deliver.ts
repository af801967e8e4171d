import { noticeData } from "../accounts/notice-data.ts"
import type { Timer } from "../apis/contract.ts"
import { createDeliveryLoop } from "../outbox/delivery-loop.ts"
import { maxDelayMs } from "../outbox/retry.ts"
import { webhookLimitMs } from "../ports/webhook-sender.ts"
import type { DueNotice, NoticeRecord } from "../store/outbox.ts"
import { type AttemptParts, attempt } from "./attempt.ts"

/** Longer than an attempt can take, so that no other worker sends the same notice meanwhile. */
const leaseMs = 60_000
/** Longer than any wait that this program stores, including the attempt before it. */
const maxWaitMs = maxDelayMs + leaseMs + webhookLimitMs

interface DeliveryParts extends AttemptParts {
  readonly timer: Timer
  /** Chooses how each attempt is signed and sent; all alike by default. */
  readonly partsFor?: (notice: DueNotice) => Pick<AttemptParts, "sender" | "sign">
}

/** Creates what sends notices to webhooks, each at least once, but does not start it. Attempts at one time go to other hosts. */
export function createDelivery(parts: DeliveryParts) {
  const { outbox, log, partsFor } = parts
  const loop = createDeliveryLoop<DueNotice>(
    {
      maxAttempts: 256,
      maxRetries: 128,
      claim: ({ nowMs, busyPlaces, untriedOnly }) =>
        outbox.claim({ nowMs, leaseMs, maxWaitMs, busyHosts: busyPlaces, untriedOnly }),
      nextAttemptMs: outbox.nextAttemptMs,
      placeOf: ({ host }) => host,
      isRetry: ({ attempts }) => attempts > 0,
      attempt: (notice) => attempt(notice, { ...parts, ...partsFor?.(notice) }),
    },
    parts,
  )
  return {
    ...loop,
    /** Logs one line for each new notice and wakes the delivery. Never throws. */
    raised(notices: readonly NoticeRecord[]) {
      for (const notice of notices) {
        log.info(notice.type, { notice: notice.id, ...noticeData(notice), state: notice.state })
      }
      loop.wake()
    },
  }
}
