import type { Random } from "../apis/contract.ts"
import { compose, type UnsubscribeLink, unsubscribeOf, withToken } from "../mail/compose.ts"
import type { MailBrand } from "../mail/layout.ts"
import type { MailOutbox, MailRecord } from "../store/mails.ts"
import { isObject } from "../values/is-object.ts"
import { toIso } from "../values/time-text.ts"

/** Later than any clock: a mail is taken as soon as it is in the outbox, as a service would send it. */
const afterAllMs = 8_640_000_000_000_000

/** A mail as the test double shows it. Ids are left out: those of notices are random. */
interface ShownMail {
  readonly to: string
  readonly template: string
  readonly account: string | null
  readonly subject: string
  /** The link that the mail is for; null in a notice. */
  readonly link: string | null
  /** The link that ends mails of this kind; null if its reader asked for this one. */
  readonly unsubscribe: string | null
  readonly text: string
  readonly html: string
  readonly raised: string
}

/** Takes mails from the outbox of a test double instead of sending them, and keeps them as their readers would see them. */
export function createMockMails(
  mails: MailOutbox,
  brand: () => MailBrand,
  unsubscribeLink: UnsubscribeLink,
  random: Random,
) {
  const taken: ShownMail[] = []

  async function take(): Promise<void> {
    const options = { nowMs: afterAllMs, leaseMs: 1, maxWaitMs: afterAllMs, untriedOnly: false }
    for (let mail = await mails.claim(options); mail; mail = await mails.claim(options)) {
      // A link that was used meanwhile was handed over by its maker.
      const complete = await withToken(mail, mails, mail.raisedMs, random)
      if (complete) taken.push(toShown(complete, brand(), await unsubscribeOf(mail, unsubscribeLink)))
      const attempt = { atMs: mail.raisedMs, durationMs: 0, status: 250, error: null }
      await mails.record(mail.id, attempt, { kind: "delivered" })
    }
  }

  let taking: Promise<void> = Promise.resolve()
  return {
    /** Mails that a service would have sent, oldest first. */
    async list(): Promise<readonly ShownMail[]> {
      taking = taking.then(take)
      await taking
      return taken.toSorted((a, b) => compare(a.raised, b.raised) || compare(a.to + a.text, b.to + b.text))
    },
  }
}

function toShown(mail: MailRecord, brand: MailBrand, unsubscribe: string | null): ShownMail {
  const { recipient: to, template, accountId: account, raisedMs } = mail
  const { subject, text, html } = compose(mail, brand, unsubscribe)
  const data: unknown = JSON.parse(mail.data ?? "null")
  const link = isObject(data) && typeof data.link === "string" ? data.link : null
  return { to, template, account, subject, link, unsubscribe, text, html, raised: toIso(raisedMs) }
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}
