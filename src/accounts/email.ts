/** E-mail addresses of accounts: whoever reads mail to one can sign in to the portal. */
import { firstHidden } from "../values/hidden-characters.ts"
import { hasValidALabels, isAscii, toALabels } from "../values/idna.ts"
import { AccountError } from "./requirements.ts"

/** Bytes of an address and of the part before the `@` (RFC 5321 §4.5.3.1). */
const maxBytes = 254
const maxLocalBytes = 64

/** A dot-string of RFC 5321 §4.1.2, with the characters beyond ASCII of RFC 6531 §3.3. */
const localForm = /^[\w!#$%&'*+/=?^`{|}~\u0080-\u{10ffff}-]+(?:\.[\w!#$%&'*+/=?^`{|}~\u0080-\u{10ffff}-]+)*$/u
const domainForm = /^(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+(?!\d+$)[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/

/**
 * Reads an address in the one form in which addresses are kept and compared: small letters, NFC, and the domain in A-labels. Mail
 * is sent to this form, so that what is proved with a link is what is kept.
 * @returns null for what is no address, for one with quotation marks, comments or an IP address, and for hidden characters
 */
export async function readEmail(text: string): Promise<string | null> {
  // Four bytes a character at most; what follows takes time by the length.
  if (text.length > maxBytes || !text.isWellFormed() || firstHidden(text) !== null) return null
  const address = text.normalize("NFC").toLowerCase()
  const at = address.lastIndexOf("@")
  const local = address.slice(0, at)
  if (at < 1 || !localForm.test(local) || /[\p{Z}\p{C}]/u.test(local)) return null
  const domain = (await toALabels(address.slice(at + 1)))?.toLowerCase() ?? ""
  if (!isAscii(domain) || !domainForm.test(domain) || !(await hasValidALabels(domain))) return null
  const email = `${local}@${domain}`
  const fits = Buffer.byteLength(local) <= maxLocalBytes && Buffer.byteLength(email) <= maxBytes
  return fits ? email : null
}

/**
 * Works like {@link readEmail}.
 * @throws AccountError that names the parameter
 */
export async function requireEmail(text: string, parameter = "email"): Promise<string> {
  const email = await readEmail(text.trim())
  if (email !== null) return email
  throw new AccountError(
    `The '${parameter}' parameter must be an e-mail address such as ann@example.com.`,
    parameter,
  )
}

const gmailDomains = ["gmail.com", "googlemail.com"]

/** The mailbox of an address in its one form: without `+tag`, which many servers leave out, and without the dots of Gmail. */
export function mailboxOf(email: string): string {
  const at = email.lastIndexOf("@")
  const [local = ""] = email.slice(0, at).split(/(?<=.)\+/, 1)
  const domain = email.slice(at + 1)
  return gmailDomains.includes(domain) ? `${local.replaceAll(".", "")}@gmail.com` : `${local}@${domain}`
}
