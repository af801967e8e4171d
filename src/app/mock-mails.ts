import { ConfigError } from "../config/config-error.ts"
import type { Config } from "../config/load.ts"
import type { ComposedMail } from "../mail/compose.ts"
import { createMailSender, type MailSender } from "../ports/mail-sender.ts"
import { systemTimer } from "../ports/timer.ts"
import type { MailRecord } from "../store/mails.ts"
import { isLoopback } from "../values/ip.ts"
import { isObject } from "../values/is-object.ts"
import { toIso } from "../values/time-text.ts"
import { mailServerOf } from "./mails.ts"

/** Takes each mail without handing it to anyone: it is shown. */
const nobody: MailSender = { send: async () => ({ kind: "accepted", status: 250, error: null }) }

/**
 * Hands mails to the catcher of `--smtp`, or to nobody.
 * @throws ConfigError for a mail server that is not on this machine
 */
export function mockMailSender(config: Config): MailSender {
  const server = mailServerOf(config)
  if (server === null) return nobody
  if (!isLoopback(server.host))
    throw new ConfigError("--smtp of a test double must be on this machine, such as smtp://127.0.0.1:1025.")
  // Mail catchers have no certificate that would be trusted.
  const security = server.security === "starttls" ? "none" : server.security
  return createMailSender({ ...server, security }, { timer: systemTimer })
}

/** Keeps mails as their readers would see them. */
export function createMockMails() {
  const shown = new Map<string, ReturnType<typeof toShown>>()
  return {
    /** A repeated attempt has another link, which replaces the one before. */
    add(mail: MailRecord, composed: ComposedMail): void {
      shown.set(mail.id, toShown(mail, composed))
    },
    /** Oldest first. */
    list: () => [...shown.values()].sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1)),
  }
}

/** Ids are left out: those of notices are random. A notice has no link, and a mail that was asked for no `unsubscribe`. */
function toShown(mail: MailRecord, { subject, text, html, unsubscribe }: ComposedMail) {
  const { recipient: to, template, accountId: account, raisedMs } = mail
  const data: unknown = JSON.parse(mail.data ?? "null")
  const link = isObject(data) && typeof data.link === "string" ? data.link : null
  return { to, template, account, subject, link, unsubscribe, text, html, raised: toIso(raisedMs) }
}

const placeOf = ({ raised, to, text }: ReturnType<typeof toShown>) => raised + to + text
