import { toAdminFault } from "../administration.ts"
import { createAuditRecords } from "../audit/record.ts"
import type { AdminParts } from "../parts.ts"
import type { OpenOptions, RequestOrigin, Sessions } from "../sessions/sessions.ts"
import { askForLink, type LinkQuestion, type QuestionOrigin } from "./ask.ts"
import type { Confirmation } from "./confirm.ts"

type SignUpParts = Pick<
  AdminParts,
  "admin" | "clock" | "pages" | "plans" | "signUp" | "random" | "auditRandom"
>

/** Lets visitors sign up and sign in with links in mails. Every method may reject with StoreUnavailable. */
export type SignUps = ReturnType<typeof createSignUps>

/** @param parts whose `signUp` and `plans` are those of the present configuration */
export function createSignUps(parts: SignUpParts, sessions: Pick<Sessions, "begin">) {
  const newAuditRecord = createAuditRecords(parts.auditRandom)
  return {
    get settings() {
      return parts.signUp
    },
    /** Sends a link, as {@link askForLink} says. */
    async ask(question: LinkQuestion, from: QuestionOrigin) {
      const { admin, clock, pages, signUp, auditRandom } = parts
      const own = { admin, clock, pages, signUp, random: auditRandom, newAuditRecord }
      try {
        return await askForLink(question, from, own)
      } catch (thrown) {
        throw toAdminFault(thrown)
      }
    },
    /**
     * Tells what a link will make, without using it.
     * @param browser the cookie of the browser; null without one
     * @throws SignInRefused, AdminFault
     */
    async read(token: string, browser: string | null) {
      const { readLink } = await import("./confirm.ts")
      return readLink(token, browser, parts)
    },
    /**
     * Uses a link: makes its account, if it is for a new one, and opens a session of the portal.
     * @param browser the cookie of the browser; null without one
     * @throws SignInRefused, AdminFault, AccountError, and what `limit` throws
     */
    async confirm(given: Confirmation, browser: string | null, from: RequestOrigin, options: OpenOptions) {
      // A start is faster without it.
      const { confirmLink } = await import("./confirm.ts")
      try {
        const { grant, key } = await confirmLink(given, browser, parts)
        return { opened: await sessions.begin("portal", grant, from, options), key }
      } catch (thrown) {
        throw toAdminFault(thrown)
      }
    },
  }
}
