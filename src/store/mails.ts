import type { Attempt, ClaimOptions, Delivery } from "./outbox.ts"

/** The outbox of mails. Several processes may send from it. Every method may reject with StoreUnavailable. */
export interface MailOutbox {
  /**
   * Leases the mail that has been due longest for `leaseMs`, after which it is due again. Someone waits for the mails with a
   * link, so notices come after them. Null when nothing is due.
   */
  claim(options: Omit<ClaimOptions, "busyHosts">): Promise<MailRecord | null>
  /** When the next mail becomes due after `nowMs`; null without one. */
  nextAttemptMs(nowMs: number): Promise<number | null>
  /**
   * Gives the link of a mail one more token, by its hash. Tokens of earlier attempts go on working, since their mails may have
   * arrived. False if the link was used or taken back, or is over.
   */
  addLinkToken(linkId: string, hash: string, nowMs: number): Promise<boolean>
  /** Records an attempt. Unless the mail is still to be sent, the data of a link are erased. A delivered mail stays delivered. */
  record(id: string, attempt: Attempt, result: MailResult): Promise<void>
}

/** The id of the mail of a notice, if it is mailed. The triggers of both kinds of stores make the same. */
export function mailIdOf(noticeId: string): string {
  return `mail_${noticeId.replaceAll("msg_", "")}`
}

/** The state of a notice in lists, in SQL: `mailed` instead of `unsent` if it has a mail. An index has it in the same words. */
export const shownState = "CASE WHEN state = 'unsent' AND mailed THEN 'mailed' ELSE state END"

/** A mail to insert with a change. */
export interface NewMail {
  /** `mail_…`, made by the caller. The Message-ID is made of it, so that a repetition is recognised. */
  readonly id: string
  /** An e-mail address. */
  readonly recipient: string
  readonly template: MailTemplate
  /** The account that it is about; null when there is none yet. */
  readonly accountId: string | null
  /** The template's data, as JSON: see src/mail/templates.ts. */
  readonly data: string
  readonly nowMs: number
  /** When its link ends: it is not sent after that. Null if it has none. */
  readonly expiresMs: number | null
}

/** The texts of mails. `notice` is an event that an account gets by mail; `address-changed` goes to its old address. */
export const mailTemplates = ["sign-in", "confirmation", "invitation", "address-changed", "notice"] as const
export type MailTemplate = (typeof mailTemplates)[number]

/**
 * How far a mail is. `unsent`: the service has no mail server, or the account wants no such mail any more; `expired`: its link
 * was over before it could be sent.
 */
export const mailStates = ["pending", "delivered", "failed", "unsent", "expired"] as const

/** Why a waiting notice was not sent. */
export const notWanted = "the account gets no notices by mail at this address any more"

/** A mail in the outbox. */
export interface MailRecord extends Delivery {
  readonly id: string
  readonly accountId: string | null
  /** The account's present name and bonus credits, of a mail that is to be sent; null without an account. */
  readonly accountName?: string | null
  readonly accountBonus?: number | null
  readonly recipient: string
  readonly template: MailTemplate
  /** JSON; null once a mail with a link is over. */
  readonly data: string | null
  readonly expiresMs: number | null
  readonly state: (typeof mailStates)[number]
}

/** How it ended. */
export type MailResult =
  | { readonly kind: "delivered" | "failed" | "unsent" | "expired" }
  | { readonly kind: "retry"; readonly delayMs: number }
