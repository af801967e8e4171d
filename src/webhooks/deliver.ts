import type { Timer } from "../apis/contract.ts"
import { webhookLimitMs } from "../ports/webhook-sender.ts"
import type { NoticeRecord } from "../store/outbox.ts"
import { type AttemptParts, attempt, logFailure } from "./attempt.ts"
import { maxDelayMs } from "./backoff.ts"
import { toData } from "./message.ts"

export interface DeliveryParts extends AttemptParts {
  readonly timer: Timer
}

/** Brings notices to webhooks, at least once. */
export interface Delivery {
  /** Takes note of what a committed charge has raised: one log line each, and it is sent soon. Never throws. */
  raised(notices: readonly NoticeRecord[]): void
  /** Without {@link Delivery.start}: one attempt for everything that is due now; gives the number of attempts. */
  runDue(): Promise<number>
  /** Begins to deliver, with what an earlier process has left. */
  start(): void
  /** Claims nothing more; resolves when the attempts under way have ended and are written down. */
  stop(): Promise<void>
}

/** Longer than an attempt can take, so that nobody sends what is being sent. */
const leaseMs = 60_000
/** Later than any attempt that this program sets, whatever it took to make the one before. */
const horizonMs = maxDelayMs + leaseMs + webhookLimitMs
/**
 * Attempts at once, each to another host: receivers that do not answer hold up nobody but themselves until there are so
 * many of them.
 */
const maxAttempts = 256
/** Of these, how many may be repetitions: what is new always finds a place beside receivers known to be in trouble. */
const maxRetries = 128
/** The outbox is looked at so often at least: another process may have died, the clock may have been set. */
const maxSleepMs = 60_000
const minSleepMs = 1_000

export function createDelivery(parts: DeliveryParts): Delivery {
  const { outbox, clock, timer, log } = parts
  let state: "idle" | "started" | "stopped" = "idle"
  let filling: Promise<void> | null = null
  let again = false
  let cancelSleep = () => {}
  /** Attempts under way, by host. */
  const underWay = new Map<string, Promise<void>>()
  let retries = 0

  /** Begins the attempt that is due longest; false when nothing is due or no place is free. */
  async function begin(): Promise<boolean> {
    if (state === "stopped" || underWay.size >= maxAttempts) return false
    const busyHosts = [...underWay.keys()]
    const untriedOnly = retries >= maxRetries
    const notice = await outbox.claim({ nowMs: clock.now(), leaseMs, horizonMs, busyHosts, untriedOnly })
    if (!notice) return false
    const isRetry = notice.attempts > 0
    if (isRetry) retries++
    const ended = attempt(notice, parts).then(() => {
      underWay.delete(notice.host)
      if (isRetry) retries--
      // A place and a host are free again.
      wake()
    })
    underWay.set(notice.host, ended)
    return true
  }

  function wake(): void {
    if (state !== "started") return
    again = true
    filling ??= fill()
  }

  /** Fills the free places, then sleeps until something becomes due; the end of an attempt wakes it, too. */
  async function fill(): Promise<void> {
    cancelSleep()
    while (again && state === "started") {
      again = false
      let delayMs = maxSleepMs
      try {
        while (await begin());
        const nextMs = await outbox.nextAttemptMs(clock.now())
        if (nextMs !== null) delayMs = nextMs - clock.now()
      } catch (cause) {
        logFailure(log, cause)
        delayMs = minSleepMs
      }
      if (!again && state === "started") {
        cancelSleep = timer.after(Math.min(maxSleepMs, Math.max(minSleepMs, delayMs)), wake)
      }
    }
    // Here and not when the promise is seen to be settled: a wake in between would be lost.
    filling = null
  }

  return {
    raised(notices) {
      for (const notice of notices) {
        log.info("credits.threshold_reached", { notice: notice.id, ...toData(notice), state: notice.state })
      }
      wake()
    },
    async runDue() {
      for (let attempts = 0; ; ) {
        while (await begin()) attempts++
        if (underWay.size === 0) return attempts
        await Promise.race(underWay.values())
      }
    },
    start() {
      state = "started"
      wake()
    },
    async stop() {
      state = "stopped"
      cancelSleep()
      await filling
      await Promise.all(underWay.values())
    },
  }
}
