import { DkimVerifier } from "mailauth/lib/dkim/dkim-verifier.js"

/** How many signatures of DKIM are checked: each may need a question to the DNS. */
export const maxSignatures = 10

/** Verifies the DKIM signatures of a message, the first ones of it. */
export class Verifier extends DkimVerifier {
  /** How many signatures of DKIM the message has. */
  signatureCount = 0

  override prepareSignature(field: MailauthSignatureField): void {
    super.prepareSignature(field)
    if (field.type === "DKIM" && ++this.signatureCount > maxSignatures) field.skip = "too many signatures"
  }
}
