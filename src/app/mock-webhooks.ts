import type { Clock, Timer } from "../apis/contract.ts"
import type { WebhookFault } from "../mock/faults.ts"
import type { Log } from "../ports/log.ts"
import { createWebhookSender, type WebhookResponse, webhookLimitMs } from "../ports/webhook-sender.ts"
import type { DueNotice, NoticeRecord, Outbox } from "../store/outbox.ts"
import { hostOf, isLoopback } from "../values/ip.ts"
import { toIso } from "../values/time-text.ts"
import { signedHeaders, toMessage } from "../webhooks/attempt.ts"
import { createDelivery } from "../webhooks/deliver.ts"

/** A request to a receiver as the test double shows it. */
interface ShownAttempt {
  /** The time of the test double's clock. */
  readonly at: string
  /** How long it took by that clock, milliseconds: 0 while it stands still. */
  readonly duration_ms: number
  readonly url: string
  /** The status of the answer; null without one. */
  readonly status: number | null
  /** Why there was no answer; null with one. */
  readonly error: string | null
  /** The fault that changed it; null without one. */
  readonly fault: WebhookFault | null
  /** Whether it was sent: a fault may answer instead of the receiver. */
  readonly sent: boolean
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

interface MockWebhooksParts {
  readonly outbox: Outbox
  readonly clock: Clock
  /** The machine's clock, by which receivers check the time of a signature. */
  readonly machineClock: Clock
  readonly timer: Timer
  readonly log: Log
  /** Whether the clock runs on its own. */
  readonly clockRunsOn: boolean
  /** Whose time is signed. */
  readonly signsTimeOf: "machine" | "mock"
  /** Takes the fault of the next attempt; null without one. */
  readonly takeFault: (attempts: number) => WebhookFault | null
}

/** The longest that one move of the clock waits for receivers in real time, and an attempt more. */
const moveLimitMs = 20_000
/** Longer than any move of the clock. */
const maxMoveMs = 8_640_000_000_000_000
/** How long a look at the notices waits for attempts in progress, in real time. */
const lookWaitMs = 1_000
/** The most requests to receivers that are kept to be shown, about a kilobyte each. */
const maxShown = 10_000
/** Signs with another secret. */
const wrongSecret = `whsec_${Buffer.alloc(32, "wrong").toString("base64")}`
/** Receivers refuse times older than 5 minutes. */
const lateMs = 600_000

const notLocal =
  "not sent: the test double delivers to this machine alone, which is localhost, 127.0.0.0/8 and ::1"

/** Waits as long as they can be, so that the same tests see the same: 5 s, doubling up to an hour. */
const longestWaits = { bytes: (length: number) => new Uint8Array(length).fill(255) }

/** A clock that stands still wakes nobody. Whoever moves it runs what became due. */
const noTimer = { after: () => () => {} }

/** Delivers the webhooks of a test double, as a service does, to receivers on this machine alone. */
export function createMockWebhooks(parts: MockWebhooksParts) {
  const { outbox, clock, machineClock, timer, takeFault } = parts
  const ended = new AbortController()
  const local = createWebhookSender({ timer, ended: ended.signal })
  const shown = new Map<string, ShownAttempt[]>()
  let shownCount = 0
  /** Receivers that were silent during the present move of the clock: they would be at each attempt of the move. */
  let silent: Set<string> | null = null

  const delivery = createDelivery({
    ...parts,
    outbox: {
      ...outbox,
      // Events of the time that a move passes over are in the outbox before the clock is there.
      claim: (options) => outbox.claim(silent === null ? options : { ...options, maxWaitMs: maxMoveMs }),
    },
    sender: local,
    random: longestWaits,
    timer: parts.clockRunsOn ? timer : { ...timer, ...noTimer },
    partsFor(notice) {
      const isLocal = isLoopback(hostOf(new URL(notice.webhook.url)))
      const fault = isLocal ? takeFault(notice.attempts) : null
      return {
        sign(id, body, secret, nowMs) {
          const ms = parts.signsTimeOf === "mock" ? nowMs : machineClock.now()
          const signedMs = fault?.late_timestamp ? ms - lateMs : ms
          return signedHeaders(id, body, fault?.bad_signature ? wrongSecret : secret, signedMs)
        },
        sender: {
          async send({ url, headers, body }) {
            if (!isLocal) return { error: notLocal, retryMs: null }
            const request = { url, headers, body, allows: isLoopback }
            const first = await exchange(notice, request, fault)
            if (fault?.twice) await exchange(notice, request, fault)
            return first
          },
        },
      }
    },
  })

  /** Sends one request, unless a fault answers it or its receiver was silent, and keeps it to be shown. */
  async function exchange(
    { id, host }: DueNotice,
    request: Parameters<typeof local.send>[0],
    fault: WebhookFault | null,
  ): Promise<WebhookResponse> {
    const at = toIso(clock.now())
    const startMs = clock.monotonicMs()
    const beganMs = machineClock.monotonicMs()
    const instead = answerInstead(fault, silent?.has(host) ?? false)
    const response = instead ?? (await local.send(request))
    if (instead === null && machineClock.monotonicMs() - beganMs >= webhookLimitMs) silent?.add(host)
    const { url, headers, body } = request
    show(id, {
      at,
      duration_ms: Math.round(clock.monotonicMs() - startMs),
      url,
      status: "status" in response ? response.status : null,
      error: "error" in response ? response.error : null,
      fault,
      sent: instead === null,
      headers,
      body,
    })
    return response
  }

  function show(id: string, attempt: ShownAttempt): void {
    shown.set(id, [...(shown.get(id) ?? []), attempt])
    shownCount++
    for (const [oldest, attempts] of shown) {
      if (shownCount <= maxShown) break
      shownCount -= attempts.length
      shown.delete(oldest)
    }
  }

  /** Waits for attempts that are due or in progress, but not long: a receiver may be silent, or be the one who asks. */
  async function settle(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const cancel = timer.after(lookWaitMs, resolve)
    await Promise.race([delivery.runDue(), promise])
    cancel()
  }

  return {
    raised: delivery.raised,
    start: delivery.start,
    /** Notices with their attempts, oldest first. */
    async list() {
      await settle()
      return (await outbox.list()).map((notice) => toShown(notice, shown.get(notice.id) ?? []))
    },
    /**
     * Moves the clock to each instant up to `untilMs` at which something is due, and makes those attempts. If receivers are slow,
     * it stops after a time, and the rest is late.
     * @param raise raises the events of the time up to `untilMs`
     */
    async deliverUntil(untilMs: number, raise: () => Promise<void>, setClock: (nowMs: number) => void) {
      const beganMs = machineClock.monotonicMs()
      silent = new Set()
      try {
        await raise()
        for (;;) {
          await delivery.runDue()
          const nextMs = await outbox.nextAttemptMs(clock.now())
          const isLate = machineClock.monotonicMs() - beganMs > moveLimitMs
          if (nextMs === null || nextMs > untilMs || isLate) return
          setClock(nextMs)
        }
      } finally {
        silent = null
      }
    },
    /** Ends the attempts in progress. */
    async stop() {
      ended.abort()
      await delivery.stop()
    },
  }
}

/** The answer to a request that is not sent; null to send it. */
function answerInstead(fault: WebhookFault | null, isSilent: boolean): WebhookResponse | null {
  if (fault?.status !== undefined) return { status: fault.status, retryAfter: null }
  if (fault?.drop) return { error: "dropped by a fault" }
  if (fault?.delay_ms !== undefined) return { error: "delayed by a fault", retryMs: fault.delay_ms }
  if (isSilent) return { error: "not sent: the receiver was silent before, in the same move of the clock" }
  return null
}

function toShown(notice: NoticeRecord, attempts: readonly ShownAttempt[]) {
  const { id, state, nextAttemptMs, lastError } = notice
  const reason = state === "unsent" ? "its account has no webhook, or gets its notices by mail" : lastError
  return {
    ...{ id, ...toMessage(notice), state, reason: state === "delivered" ? null : reason },
    ...{ next_attempt: toIso(nextAttemptMs), attempts },
  }
}
