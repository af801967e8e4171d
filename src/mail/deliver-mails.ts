import type { Ports } from "../apis/contract.ts"
import { createDeliveryLoop, logFailure, maxDelayMs, nextDelayMs } from "../outbox/delivery-loop.ts"
import type { Log } from "../ports/log.ts"
import { type MailReply, type MailSender, mailLimitMs } from "../ports/mail-sender.ts"
import type { MailOutbox, MailRecord, MailResult } from "../store/mails.ts"
import { messageOf } from "../values/message-of.ts"
import {
  type ComposedMail,
  compose,
  toMessage,
  type UnsubscribeLink,
  unsubscribeOf,
  withToken,
} from "./compose.ts"
import type { MailBrand } from "./layout.ts"

/** Longer than an attempt can take, so that no other process sends the same mail meanwhile. */
const leaseMs = 60_000
const maxWaitMs = maxDelayMs + leaseMs + mailLimitMs
/** Connections to the mail server at once, by default. */
const usualConnections = 8

/** A server may repeat the link of a mail in its words, which operators read: while it works, it signs in. */
function withoutTokens(text: string): string {
  return text.replace(/\bpkl-[0-9A-Za-z]*|\/unsubscribe\/\S*/g, "…")
}

/** The parts that {@link createMailDelivery} needs. */
export interface MailDeliveryParts extends Pick<Ports, "clock" | "timer" | "random"> {
  readonly mails: MailOutbox
  /** Null without a mail server: mails are marked as not sent. */
  readonly sender: MailSender | null
  /** How mails look now: a configuration may change while the service runs. */
  readonly brand: () => MailBrand
  readonly unsubscribeLink: UnsubscribeLink
  /** Called with each mail before it is handed over, its link included; for a test double, which shows it. */
  readonly onComposed?: (mail: MailRecord, composed: ComposedMail) => void
  /** Connections to the mail server at once, from 1; with 1, mails arrive in the order in which they become due. */
  readonly maxConnections?: number
  readonly log: Log
}

/** How sending mail is going in this process. */
export interface MailHealth {
  /** Whether there is a mail server. */
  readonly isOn: boolean
  /** Why the last mail could not be handed over; null when it could, or none was tried. */
  readonly problem: string | null
}

/** Creates what sends mails from the outbox, each at least once, but does not start it. */
export function createMailDelivery(parts: MailDeliveryParts) {
  const { mails, sender, clock, random, log, maxConnections = usualConnections } = parts
  let problem: string | null = null

  async function attempt(mail: MailRecord): Promise<void> {
    const atMs = clock.now()
    const startMs = clock.monotonicMs()
    try {
      const { reply, result } = await settle(mail)
      const durationMs = Math.round(clock.monotonicMs() - startMs)
      await mails.record(mail.id, { atMs, durationMs, status: reply.status, error: reply.error }, result)
      const about = { mail: mail.id, template: mail.template, status: reply.status, error: reply.error }
      if (result.kind === "failed") log.error("mail not delivered", { ...about, attempts: mail.attempts + 1 })
      tellProblem(sender !== null && reply.kind === "retry" ? reply.error : null, about)
    } catch (cause) {
      logFailure(log, cause)
    }
  }

  /** Logs a problem of the mail server once, until it is another one or over. */
  function tellProblem(now: string | null, about: Readonly<Record<string, unknown>>): void {
    if (now !== null && now !== problem) log.warn("mail cannot be handed to the mail server", about)
    if (now === null && problem !== null) log.info("mail is handed to the mail server again", {})
    problem = now
  }

  async function settle(mail: MailRecord): Promise<{ reply: MailReply; result: MailResult }> {
    const ended = (kind: "unsent" | "expired", error: string) => ({
      reply: { kind: "refused" as const, status: null, error },
      result: { kind },
    })
    const leftMs = mail.expiresMs === null ? Number.POSITIVE_INFINITY : mail.expiresMs - clock.now()
    if (leftMs <= 0) return ended("expired", "its link was over before it could be sent")
    if (sender === null) return ended("unsent", "the service has no mail server (--smtp)")
    const complete = await withToken(mail, mails, clock.now(), random)
    if (complete === null) return ended("expired", "its link was used or taken back before it could be sent")
    const reply = await send(complete, sender)
    if (reply.kind === "accepted") return { reply, result: { kind: "delivered" } }
    if (reply.kind === "refused") return { reply, result: { kind: "failed" } }
    const { attempts, waitedMs } = mail
    const wait = { failures: attempts + 1, waitedMs, retryAfter: null }
    const delayMs = nextDelayMs(wait, clock.now(), random)
    if (delayMs === null) return { reply, result: { kind: "failed" } }
    // The data of the link are erased when it is over.
    return { reply, result: { kind: "retry", delayMs: Math.min(delayMs, leftMs) } }
  }

  async function send(mail: MailRecord, to: MailSender): Promise<MailReply> {
    const brand = parts.brand()
    const unsubscribe = await unsubscribeOf(mail, parts.unsubscribeLink)
    let message: Buffer
    try {
      const composed = compose(mail, brand, unsubscribe)
      parts.onComposed?.(mail, composed)
      message = await toMessage(mail, composed, brand)
    } catch (cause) {
      return { kind: "refused", status: null, error: `the mail cannot be written: ${messageOf(cause)}` }
    }
    const reply = await to.send({ from: brand.from, to: mail.recipient, message })
    return { ...reply, error: reply.error && withoutTokens(reply.error) }
  }

  const loop = createDeliveryLoop<MailRecord>(
    {
      maxAttempts: maxConnections,
      maxRetries: maxConnections / 2,
      claim: ({ nowMs, untriedOnly }) => mails.claim({ nowMs, leaseMs, maxWaitMs, untriedOnly }),
      nextAttemptMs: mails.nextAttemptMs,
      placeOf: ({ id }) => id,
      isRetry: ({ attempts }) => attempts > 0,
      attempt,
    },
    parts,
  )
  return { ...loop, health: (): MailHealth => ({ isOn: sender !== null, problem }) }
}
