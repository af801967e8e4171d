import type { Clock, Timer } from "../apis/contract.ts"
import { toMessage as toMail } from "../mail/compose.ts"
import { createMailDelivery, type MailDeliveryParts } from "../mail/deliver-mails.ts"
import type { WebhookFault } from "../mock/faults.ts"
import { notLocal } from "../mock/webhook-secret.ts"
import type { Log } from "../ports/log.ts"
import type { MailReply, MailSender } from "../ports/mail-sender.ts"
import {
  createWebhookSender,
  type WebhookRequest,
  type WebhookResponse,
  webhookLimitMs,
} from "../ports/webhook-sender.ts"
import type { DueNotice, NoticeRecord, Outbox } from "../store/outbox.ts"
import { hostOf, isLoopback } from "../values/ip.ts"
import { override } from "../values/stand-in.ts"
import { toIso } from "../values/time-text.ts"
import { within } from "../values/within.ts"
import { createDelivery, signedHeaders, toMessage } from "../webhooks/deliver.ts"
import type { MockMails } from "./mock-mails.ts"

/** A request to a receiver as the test double shows it. */
type ShownAttempt = ReturnType<typeof toAttempt>

interface MockDeliveriesParts {
  readonly outbox: Outbox
  /** The mails, and how they are written and sent. */
  readonly mailing: Pick<MailDeliveryParts, "mails" | "brand" | "unsubscribeLink" | "random"> & {
    readonly sender: MailSender
    readonly shown: MockMails
  }
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
/** How long a look at the notices waits for attempts in progress, in real time. */
const lookWaitMs = 1_000
/** The most requests to receivers that are kept to be shown, about a kilobyte each. */
const maxShown = 10_000
/** Signs with another secret. */
const wrongSecret = `whsec_${Buffer.alloc(32, "wrong").toString("base64")}`
/** Receivers refuse times older than 5 minutes. */
const lateMs = 600_000

/** Stands for the mail catcher among the hosts of receivers. */
const catcher = "mail catcher"
const silentBefore = "not sent: the receiver was silent before, in the same move of the clock"

/** Waits as long as they can be, so that the same tests see the same: 5 s, doubling up to an hour. */
const longestWaits = { bytes: (length: number) => new Uint8Array(length).fill(255) }

/** Delivers webhooks and mails of a test double, as a service does, on this machine alone. */
export function createMockDeliveries(parts: MockDeliveriesParts) {
  const { outbox, mailing, clock, machineClock, timer, takeFault } = parts
  // A clock that stands still wakes nobody. Whoever moves it runs what became due.
  const loopTimer = parts.clockRunsOn ? timer : { ...timer, after: () => () => {} }
  const ended = new AbortController()
  const local = createWebhookSender({ timer, ended: ended.signal })
  const { promise: mailsEnded, resolve: endMails } = Promise.withResolvers<MailReply>()
  const shown = new Map<string, ShownAttempt[]>()
  let shownCount = 0
  /** The ids of delivered messages, in the order in which receivers took them. */
  const arrived = new Map<string, number>()
  /** Receivers that were silent during the present move of the clock: they would be at each attempt of the move. */
  let silent: Set<string> | null = null

  /** Events of the time that a move passes over are in the outbox before the clock is there: they wait long. */
  const whileMoving = <Options extends object>(options: Options): Options =>
    silent === null ? options : { ...options, maxWaitMs: Number.MAX_SAFE_INTEGER / 2 }

  const mails = override(mailing.mails, {
    claim: (options) => mailing.mails.claim(whileMoving(options)),
    async record(id, attempt, result) {
      await mailing.mails.record(id, attempt, result)
      mailing.shown.attempted(id, attempt, result)
    },
  })
  const mailSender: MailSender = {
    async send(mail) {
      if (silent?.has(catcher)) return { kind: "retry", status: null, error: silentBefore }
      return noteSilence(catcher, Promise.race([mailing.sender.send(mail), mailsEnded]))
    },
  }
  const mailDelivery = createMailDelivery({
    ...parts,
    ...mailing,
    ...{ mails, sender: mailSender, onComposed: mailing.shown.add, timer: loopTimer, maxConnections: 1 },
  })
  const delivery = createDelivery({
    ...parts,
    outbox: override(outbox, {
      claim: (options) => outbox.claim(whileMoving(options)),
      async record(notice, attempt, result) {
        if (result.kind === "delivered") arrived.set(notice.id, arrived.get(notice.id) ?? arrived.size + 1)
        await outbox.record(notice, attempt, result)
      },
    }),
    sender: local,
    random: longestWaits,
    timer: loopTimer,
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
  async function exchange({ id, host }: DueNotice, request: WebhookRequest, fault: WebhookFault | null) {
    const at = toIso(clock.now())
    const startMs = clock.monotonicMs()
    const instead = answerInstead(fault, silent?.has(host) ?? false)
    const response = instead ?? (await noteSilence(host, local.send(request)))
    const durationMs = Math.round(clock.monotonicMs() - startMs)
    show(id, toAttempt(request, response, { at, durationMs, fault, sent: instead === null }))
    return response
  }

  /** Remembers a receiver that took the whole time, or the mail catcher. */
  async function noteSilence<Reply>(receiver: string, reply: Promise<Reply>): Promise<Reply> {
    const beganMs = machineClock.monotonicMs()
    const given = await reply
    if (machineClock.monotonicMs() - beganMs >= webhookLimitMs) silent?.add(receiver)
    return given
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

  const runDue = () => Promise.all([delivery.runDue(), mailDelivery.runDue()])

  /** Waits for attempts that are due or in progress, but not long: a receiver may be silent, or be the one who asks. */
  async function settle(): Promise<void> {
    await within({ timer, limitMs: lookWaitMs }, runDue(), () => {})
  }

  return {
    raised(notices: readonly NoticeRecord[]) {
      delivery.raised(notices)
      mailDelivery.wake()
    },
    start(options: { readonly looks: boolean }) {
      delivery.start(options)
      mailDelivery.start(options)
    },
    settle,
    /** Notices with their attempts, oldest first. */
    async list() {
      await settle()
      const notices = await outbox.list()
      return notices.map((notice) => toShown(notice, shown.get(notice.id) ?? [], arrived.get(notice.id)))
    },
    /** Sends a mail again, once. Throws as {@link MockMails.requireEnded}. */
    async resendMail(id: string): Promise<void> {
      const { mail, composed } = mailing.shown.requireEnded(id)
      const brand = mailing.brand()
      const message = await toMail(mail, composed, brand)
      const atMs = clock.now()
      const { kind, status, error } = await mailSender.send({ from: brand.from, to: mail.recipient, message })
      const result = { kind: kind === "accepted" ? ("delivered" as const) : ("failed" as const) }
      await mails.record(id, { atMs, durationMs: 0, status, error }, result)
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
          await runDue()
          const nowMs = clock.now()
          const next = await Promise.all([outbox.nextAttemptMs(nowMs), mailing.mails.nextAttemptMs(nowMs)])
          const nextMs = Math.min(...next.map((ms) => ms ?? Number.POSITIVE_INFINITY))
          if (nextMs > untilMs || machineClock.monotonicMs() - beganMs > moveLimitMs) return
          setClock(nextMs)
        }
      } finally {
        silent = null
      }
    },
    /** Ends the attempts in progress. */
    async stop() {
      ended.abort()
      endMails({ kind: "retry", status: null, error: "the test double was reset" })
      await Promise.all([delivery.stop(), mailDelivery.stop()])
    },
  }
}

/** The answer to a request that is not sent; null to send it. */
function answerInstead(fault: WebhookFault | null, isSilent: boolean): WebhookResponse | null {
  if (fault?.status !== undefined) return { status: fault.status, retryAfter: null }
  if (fault?.drop) return { error: "dropped by a fault" }
  if (fault?.delay_ms !== undefined) return { error: "delayed by a fault", retryMs: fault.delay_ms }
  if (isSilent) return { error: silentBefore }
  return null
}

type Made = { at: string; durationMs: number; fault: WebhookFault | null; sent: boolean }

/** Times are those of the test double's clock: while it stands still, an attempt takes 0 ms. */
function toAttempt(
  { url, headers, body }: Pick<WebhookRequest, "url" | "headers" | "body">,
  response: WebhookResponse,
  { at, durationMs, fault, sent }: Made,
) {
  const status = "status" in response ? response.status : null
  const error = "error" in response ? response.error : null
  return { at, duration_ms: durationMs, url, status, error, fault, sent, headers, body }
}

function toShown(notice: NoticeRecord, attempts: readonly ShownAttempt[], arrival: number | null = null) {
  const { id, state, nextAttemptMs, lastError } = notice
  const status = attempts.at(-1)?.status ?? 0
  const why = lastError ?? (status >= 300 ? `answered ${status}` : null)
  const reason = state === "unsent" ? "its account has no webhook, or gets its notices by mail" : why
  return {
    ...{ id, ...toMessage(notice), state, reason: state === "delivered" ? null : reason },
    ...{ arrival, next_attempt: toIso(nextAttemptMs), attempts },
  }
}
