import { DkimVerifier } from "mailauth/lib/dkim/dkim-verifier.js"
import { reject } from "../contract.ts"
import { readAddresses, readPath } from "./mailboxes.ts"

/** How many signatures of DKIM are checked: each may need a question to the DNS. */
export const maxSignatures = 10

/** Runs that take time by their square: the library tries each blank and dot as a start, and normalization sorts marks. */
const longRuns: readonly (readonly [field: RegExp, run: RegExp])[] = [
  [/^(?:dkim|arc)-/, /[ \t\r\n]{100}|\.{100}/],
  [/^(?:dkim-|arc-|from$|return-path$)/, /\p{M}{100}/u],
]

/** Verifies the DKIM signatures of a message, the first ones of it. Addresses are read here, not by the library. */
export class Verifier extends DkimVerifier {
  /** How many signatures of DKIM the message has. */
  signatureCount = 0
  /** The first field From that cannot be read; undefined if all can. */
  unreadableFrom: string | undefined
  /** The address of the topmost Return-Path, which the last server has written; null if it cannot be read. */
  returnPath: string | null | undefined

  override async messageHeaders(headers: MailauthHeaders): Promise<void> {
    for (const { key, line } of headers.parsed)
      if (longRuns.some(([name, run]) => name.test(key) && run.test(line.toString())))
        reject("message", "must not have 100 blanks, dots or marks in a row in addresses or signatures")
    await super.messageHeaders(headers)
    const valuesOf = (name: string) =>
      headers.parsed
        .filter(({ key }) => key === name)
        .map(({ line }) => line.toString())
        .map((line) => line.slice(line.indexOf(":") + 1))
    const fields = valuesOf("from")
    this.unreadableFrom = fields.find((text) => readAddresses(text) === null)
    this.headerFrom =
      this.unreadableFrom === undefined ? fields.flatMap((text) => readAddresses(text) ?? []) : []
    const [path] = valuesOf("return-path")
    this.returnPath = path === undefined ? undefined : readPath(path)
  }

  override prepareSignature(field: MailauthSignatureField): void {
    super.prepareSignature(field)
    if (field.type === "DKIM" && ++this.signatureCount > maxSignatures) field.skip = "too many signatures"
  }

  /** A signature must not claim more of the body than there is (RFC 6376 §3.5, `l=`). */
  override async verifySignature(field: MailauthSignatureField, fallback?: boolean) {
    const result = await super.verifySignature(field, fallback)
    const { status, canonBodyLengthLimit = 0, canonBodyLengthTotal = 0 } = result
    if (canonBodyLengthLimit > canonBodyLengthTotal) {
      if (status.result === "pass") status.result = "neutral"
      status.comment = "signed length"
    }
    return result
  }

  /** Fields that are there several times, though a mail has each once at most, with their numbers. */
  get repeatedFields(): readonly (readonly [string, number])[] {
    const keys = (this.headers ? this.headers.parsed : []).map(({ key }) => key)
    return singleFields
      .map((name) => [name, keys.filter((key) => key === name.toLowerCase()).length] as const)
      .filter(([, count]) => count > 1)
  }
}

/** Fields that may occur once (RFC 5322 §3.6 and RFC 2045); the field From has its own problem. */
const singleFields = [
  ...["Subject", "Date", "To", "Cc", "Reply-To", "Sender", "Message-ID", "In-Reply-To", "References"],
  ...["MIME-Version", "Content-Type", "Content-Transfer-Encoding"],
]
