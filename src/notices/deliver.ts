import { addressRule } from "../account/webhook.ts"
import type { Clock, Random } from "../apis/contract.ts"
import type { Log } from "../ports/log.ts"
import type { Timer } from "../ports/timer.ts"
import type { WebhookResponse, WebhookSender } from "../ports/webhook-sender.ts"
import type { DueNotice, NoticeRecord, Outbox, Verdict } from "../store/outbox.ts"
import { maxDelayMs, nextDelayMs } from "./backoff.ts"
import { signedHeaders, toData, toMessage } from "./message.ts"

export interface DeliveryParts {
  readonly outbox: Outbox
  readonly sender: WebhookSender
  readonly clock: Clock
  readonly random: Random
  readonly timer: Timer
  readonly log: Log
}

/** Brings notices to webhooks, at least once. */
export interface Delivery {
  /** Takes note of what a committed charge has raised: one log line each, and it is sent soon. Never throws. */
  raised(notices: readonly NoticeRecord[]): void
  /** Makes one attempt for everything that is due now; gives the number of attempts. */
  runDue(): Promise<number>
  /** Begins to deliver, with what an earlier process has left. */
  start(): void
  /** Claims nothing more; resolves when the attempts under way have ended and are written down. */
  stop(): Promise<void>
}

/** Longer than an attempt can take, so that nobody sends what is being sent. */
const leaseMs = 60_000
/** Attempts at once; one slow receiver holds up the others for its 10 s at most. */
const batchSize = 16
/** The outbox is looked at so often at least: another process may have died, the clock may have been set. */
const maxSleepMs = 60_000
const minSleepMs = 1_000

export function createDelivery(parts: DeliveryParts): Delivery {
  const { outbox, clock, timer, log } = parts
  let state: "idle" | "started" | "stopped" = "idle"
  let running: Promise<void> | null = null
  let again = false
  let cancelSleep = () => {}

  async function runDue(): Promise<number> {
    let attempts = 0
    while (state !== "stopped") {
      const options = { nowMs: clock.now(), leaseMs, horizonMs: maxDelayMs, limit: batchSize }
      const notices = await outbox.claim(options)
      if (notices.length === 0) break
      await Promise.all(notices.map((notice) => attempt(notice, parts)))
      attempts += notices.length
    }
    return attempts
  }

  function wake(): void {
    if (state !== "started") return
    again = true
    if (running) return
    cancelSleep()
    running = work().finally(() => {
      running = null
      sleep()
    })
  }

  async function work(): Promise<void> {
    while (again && state === "started") {
      again = false
      await runDue().catch((cause) => logFailure(log, cause))
    }
  }

  async function sleep(): Promise<void> {
    if (state !== "started") return
    const nextMs = await outbox.nextAttemptMs().catch(() => null)
    // Woken or stopped in the meantime.
    if (running || state !== "started") return
    const delayMs = nextMs === null ? maxSleepMs : nextMs - clock.now()
    cancelSleep()
    cancelSleep = timer.after(Math.min(maxSleepMs, Math.max(minSleepMs, delayMs)), wake)
  }

  return {
    raised(notices) {
      for (const notice of notices) {
        log.info("credits.threshold_reached", { notice: notice.id, ...toData(notice), state: notice.state })
      }
      wake()
    },
    runDue,
    start() {
      state = "started"
      wake()
    },
    async stop() {
      state = "stopped"
      cancelSleep()
      await running
    },
  }
}

/** One attempt: sign, send, judge, write down. Never throws: what is not written down is tried again after its lease. */
async function attempt(notice: DueNotice, parts: DeliveryParts): Promise<void> {
  const { outbox, clock, log } = parts
  try {
    const atMs = clock.now()
    const startMs = clock.monotonicMs()
    const response = await send(notice, parts.sender, atMs)
    const durationMs = Math.round(clock.monotonicMs() - startMs)
    const verdict = judge(notice, response, parts)
    const status = "status" in response ? response.status : null
    const error = "error" in response ? response.error : null
    await outbox.record(notice, { atMs, durationMs, status, error }, verdict)
    if (verdict.kind === "failed" || verdict.kind === "gone") {
      const { id, accountId: account } = notice
      log.error("notice not delivered", { notice: id, account, attempts: notice.attempts + 1, status, error })
    }
  } catch (cause) {
    logFailure(log, cause)
  }
}

function send(notice: DueNotice, sender: WebhookSender, nowMs: number): Promise<WebhookResponse> {
  const { url, secret, allowPrivate } = notice.webhook
  const body = JSON.stringify(toMessage(notice))
  const headers = signedHeaders(notice.id, body, secret, nowMs)
  return sender.send({ url, headers, body, allows: addressRule(new URL(url), allowPrivate) })
}

/**
 * Standard Webhooks: 2xx is delivered, 410 means never again, everything else (redirects and other 4xx too, since
 * receivers answer those while they are being repaired) is tried again.
 */
function judge(
  { attempts, waitedMs }: DueNotice,
  response: WebhookResponse,
  { clock, random }: DeliveryParts,
): Verdict {
  const status = "status" in response ? response.status : 0
  if (status >= 200 && status <= 299) return { kind: "delivered" }
  if (status === 410) return { kind: "gone" }
  const retryAfter = "status" in response ? response.retryAfter : null
  const delayMs = nextDelayMs({ failures: attempts + 1, waitedMs, retryAfter }, clock.now(), random)
  return delayMs === null ? { kind: "failed" } : { kind: "retry", delayMs }
}

function logFailure(log: Log, cause: unknown): void {
  log.error("notice delivery failed", {
    cause: cause instanceof Error ? (cause.stack ?? cause.message) : String(cause),
  })
}
