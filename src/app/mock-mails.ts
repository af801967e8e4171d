import { reject, type Timer } from "../apis/contract.ts"
import { Fault } from "../call/fault.ts"
import type { Config } from "../config/load.ts"
import { ConfigError } from "../config/setting-name.ts"
import type { ComposedMail } from "../mail/compose.ts"
import { createMailSender, type MailSender } from "../ports/mail-sender.ts"
import { webhookLimitMs } from "../ports/webhook-sender.ts"
import type { MailRecord, MailResult } from "../store/mails.ts"
import type { Attempt } from "../store/outbox.ts"
import { isLoopback } from "../values/ip.ts"
import { isObject } from "../values/is-object.ts"
import { toIso } from "../values/time-text.ts"
import { mailServerOf } from "./mails.ts"

/** Takes each mail without handing it to anyone: it is shown. */
const nobody: MailSender = { send: async () => ({ kind: "accepted", status: null, error: null }) }

/**
 * Hands mails to the catcher of `--smtp`, or to nobody.
 * @throws ConfigError for a mail server that is not on this machine
 */
export function mockMailSender(config: Config, timer: Timer): MailSender {
  const server = mailServerOf(config)
  if (server === null) return nobody
  if (!isLoopback(server.host))
    throw new ConfigError("--smtp of a test double must be on this machine, such as smtp://127.0.0.1:1025.")
  // Mail catchers have no certificate that would be trusted.
  const security = server.security === "starttls" ? "none" : server.security
  return createMailSender({ ...server, security }, { timer, limitMs: webhookLimitMs })
}

type KeptAttempt = Attempt & Pick<MailResult, "kind">
type KeptMail = { readonly mail: MailRecord; readonly composed: ComposedMail; attempts: KeptAttempt[] }

export type MockMails = ReturnType<typeof createMockMails>

/**
 * Keeps mails as their readers would see them, with the attempts to send them.
 * @param sends whether they go to a mail catcher
 */
export function createMockMails(sends: boolean) {
  const kept = new Map<string, KeptMail>()
  return {
    /** A repeated attempt has another link, which replaces the one before. */
    add(mail: MailRecord, composed: ComposedMail): void {
      kept.set(mail.id, { mail, composed, attempts: kept.get(mail.id)?.attempts ?? [] })
    },
    attempted(id: string, attempt: Attempt, { kind }: MailResult): void {
      kept.get(id)?.attempts.push({ ...attempt, kind })
    },
    /** A mail that waits for nothing. Throws Fault `notFound` without it, and InputRejected if it is still to be sent. */
    requireEnded(id: string) {
      const one = kept.get(id)
      if (!one) throw new Fault("notFound", `There is no mail '${id}'. GET /_mock/mails lists them.`)
      const { kind = "retry" } = one.attempts.at(-1) ?? {}
      return kind === "retry" ? reject("id", "is of a mail that is still to be sent") : one
    },
    /** Oldest first. */
    list() {
      const shown = [...kept.values()].map((one) => toShown(one, sends))
      return shown.sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1))
    },
  }
}

/** A notice has no link, and a mail that was asked for no `unsubscribe`. */
function toShown({ mail, composed, attempts }: KeptMail, sent: boolean) {
  const { id, recipient: to, template, accountId: account, raisedMs } = mail
  const { subject, text, html, unsubscribe } = composed
  const data: unknown = JSON.parse(mail.data ?? "null")
  const link = isObject(data) && typeof data.link === "string" ? data.link : null
  const tries = attempts.map(({ atMs, status, error }) => ({ at: toIso(atMs), status, error, sent }))
  const head = { id, to, template, account, subject, link, unsubscribe }
  return { ...head, text, html, raised: toIso(raisedMs), attempts: tries }
}

const placeOf = ({ raised, to, text }: ReturnType<typeof toShown>) => raised + to + text
