import { noticeData } from "../accounts/notice-data.ts"
import type { Timer } from "../apis/contract.ts"
import { webhookLimitMs } from "../ports/webhook-sender.ts"
import type { NoticeRecord } from "../store/outbox.ts"
import { type AttemptParts, attempt, logFailure, maxDelayMs } from "./attempt.ts"

/** Longer than an attempt can take, so that no other worker sends the same notice meanwhile. */
const leaseMs = 60_000
/** Longer than any wait that this program stores, including the attempt before it. */
const maxWaitMs = maxDelayMs + leaseMs + webhookLimitMs
/** Attempts at the same time, each to another host. Silent receivers delay others only when there are this many. */
const maxAttempts = 256
/** The share of repetitions in {@link maxAttempts}, so that new notices always find a place. */
const maxRetries = 128
/** The outbox is read at least this often: another process may have died, or the clock may have been set. */
const maxSleepMs = 60_000
const minSleepMs = 1_000

/** Sends notices to webhooks, each at least once. */
export type Delivery = ReturnType<typeof createDelivery>

/** Creates the delivery, but does not start it. */
export function createDelivery(parts: AttemptParts & { readonly timer: Timer }) {
  const { outbox, clock, timer, log } = parts
  let state: "idle" | "started" | "stopped" = "idle"
  let filling: Promise<void> | null = null
  let isWoken = false
  let cancelSleep = () => {}
  /** Attempts in progress, by host. */
  const inProgress = new Map<string, Promise<void>>()
  let retries = 0

  /** Starts the attempt that has been due longest. False when nothing is due or no place is free. */
  async function startAttempt(): Promise<boolean> {
    if (state === "stopped" || inProgress.size >= maxAttempts) return false
    const busyHosts = [...inProgress.keys()]
    const untriedOnly = retries >= maxRetries
    const notice = await outbox.claim({ nowMs: clock.now(), leaseMs, maxWaitMs, busyHosts, untriedOnly })
    if (!notice) return false
    const isRetry = notice.attempts > 0
    if (isRetry) retries++
    const ended = attempt(notice, parts).then(() => {
      inProgress.delete(notice.host)
      if (isRetry) retries--
      wake()
    })
    inProgress.set(notice.host, ended)
    return true
  }

  function wake(): void {
    if (state !== "started") return
    isWoken = true
    filling ??= fill()
  }

  /** Starts attempts while there is something due and a free place, then sleeps until the next notice is due. */
  async function fill(): Promise<void> {
    cancelSleep()
    while (isWoken && state === "started") {
      isWoken = false
      let delayMs = maxSleepMs
      try {
        while (await startAttempt());
        const nextMs = await outbox.nextAttemptMs(clock.now())
        if (nextMs !== null) delayMs = nextMs - clock.now()
      } catch (cause) {
        logFailure(log, cause)
        delayMs = minSleepMs
      }
      if (!isWoken && state === "started")
        cancelSleep = timer.after(Math.min(maxSleepMs, Math.max(minSleepMs, delayMs)), wake)
    }
    // In the same step as the last check of isWoken: a wake in between would be lost.
    filling = null
  }

  return {
    /** Logs one line for each new notice and wakes the delivery. Never throws. */
    raised(notices: readonly NoticeRecord[]) {
      for (const notice of notices) {
        log.info(notice.type, { notice: notice.id, ...noticeData(notice), state: notice.state })
      }
      wake()
    },
    /** Makes one attempt for every due notice and returns the number of attempts. Works without `start`. */
    async runDue() {
      for (let attempts = 0; ; ) {
        while (await startAttempt()) attempts++
        if (inProgress.size === 0) return attempts
        await Promise.race(inProgress.values())
      }
    },
    /** Starts sending in the background, first the notices of earlier processes. */
    start() {
      state = "started"
      wake()
    },
    /** Starts no more attempts. Resolves when those in progress have ended and are recorded. */
    async stop() {
      state = "stopped"
      cancelSleep()
      await filling
      await Promise.all(inProgress.values())
    },
  }
}
