import { createSecret, hashKey } from "../accounts/key.ts"
import type { Random } from "../apis/contract.ts"
import type { MailOutbox, MailRecord } from "../store/mails.ts"
import { isObject } from "../values/is-object.ts"
import { logoId, type MailBrand, toHtml, toText } from "./layout.ts"
import { textOf } from "./templates.ts"

/** A mail as its reader sees it. */
export interface ComposedMail {
  readonly subject: string
  readonly text: string
  readonly html: string
  /** The address that ends mails of this kind; null if its reader asked for this one. */
  readonly unsubscribe: string | null
}

/**
 * Writes a mail from its row.
 * @param unsubscribe the address that ends mails of its kind; null for a mail that its reader asked for
 * @throws Error when its data are not those of its template
 */
export function compose(mail: MailRecord, brand: MailBrand, unsubscribe: string | null): ComposedMail {
  const content = { ...textOf(mail, brand), unsubscribe }
  return {
    subject: content.subject,
    text: toText(content, brand),
    html: toHtml(content, brand),
    unsubscribe,
  }
}

/**
 * Completes the link of a mail that is about to be sent, if it has one. The token is made now and the store gets its hash alone,
 * so that neither its file, its log nor a backup ever holds a token that works. Each attempt has its own.
 * @returns null if the link was used or taken back, or is over at `nowMs`
 */
export async function withToken<Mail extends Pick<MailRecord, "data">>(
  mail: Mail,
  mails: Pick<MailOutbox, "addLinkToken">,
  nowMs: number,
  random: Random,
): Promise<Mail | null> {
  const data: unknown = JSON.parse(mail.data ?? "null")
  if (!isObject(data) || typeof data.link_id !== "string") return mail
  const token = createSecret("linkToken", random)
  if (!(await mails.addLinkToken(data.link_id, hashKey(token), nowMs))) return null
  return { ...mail, data: JSON.stringify({ ...data, link: `${data.link}${token}` }) }
}

/** Makes the address that ends mails to an account and an address. */
export type UnsubscribeLink = (accountId: string, address: string) => Promise<string>

/** The address that ends mails of a mail's kind: of notices, which nobody asked for by a form. */
export async function unsubscribeOf(
  { template, accountId, recipient }: MailRecord,
  linkFor: UnsubscribeLink,
): Promise<string | null> {
  return template === "notice" && accountId !== null ? linkFor(accountId, recipient) : null
}

/**
 * A mail as a message (RFC 5322). Its Message-ID follows from the row's id, so that a repetition is recognised.
 * @throws Error for an address that would make another header
 */
export async function toMessage(mail: MailRecord, composed: ComposedMail, brand: MailBrand): Promise<Buffer> {
  const { default: MailComposer } = await import("nodemailer/lib/mail-composer")
  const { subject, text, html, unsubscribe } = composed
  const from = requireAddress(brand.from)
  const message = new MailComposer({
    from: { name: oneLine(brand.title), address: from },
    to: { name: "", address: requireAddress(mail.recipient) },
    subject: oneLine(subject),
    text,
    html,
    messageId: `<${mail.id}@${from.slice(from.lastIndexOf("@") + 1)}>`,
    date: new Date(mail.raisedMs),
    ...(brand.logo !== null && { attachments: [logoOf(brand.logo)] }),
    disableFileAccess: true,
    disableUrlAccess: true,
    headers: {
      // RFC 3834 §5: no program shall answer.
      "Auto-Submitted": "auto-generated",
      ...(unsubscribe !== null && unsubscribeHeaders(unsubscribe)),
    },
  })
  return message.compile().build()
}

/** The picture is a part of the mail: one that is loaded would tell who reads it, and when. */
function logoOf(bytes: Uint8Array) {
  return {
    cid: logoId,
    filename: "logo.png",
    content: Buffer.from(bytes),
    contentType: "image/png",
    contentDisposition: "inline",
  } as const
}

/** A mail program may send the POST without asking further (RFC 8058 §3.1), which takes HTTPS. */
function unsubscribeHeaders(link: string): Record<string, { prepared: true; value: string }> {
  // In one piece: an address that is broken over lines is not found by all programs.
  const header = (value: string) => ({ prepared: true, value }) as const
  return {
    "List-Unsubscribe": header(`<${link}>`),
    ...(link.startsWith("https:") && { "List-Unsubscribe-Post": header("List-Unsubscribe=One-Click") }),
  }
}

/** @throws Error for an address with control characters, spaces or the signs that end one */
function requireAddress(address: string): string {
  if (/^[^\s\p{C}<>(),;:"\\[\]@]{1,64}@[^\s\p{C}<>(),;:"\\[\]@]{1,253}$/u.test(address)) return address
  throw new Error("the address is not an e-mail address")
}

/** A header must stay one line, whatever a name holds. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim()
}
