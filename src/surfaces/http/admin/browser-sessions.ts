import { AdminFault } from "../../../admin/fault.ts"
import type { FoundSession, SessionKind, Sessions } from "../../../admin/sessions/sessions.ts"
import type { HttpContext } from "../context.ts"
import type { Exchange } from "../exchange.ts"
import { requireOwnPage, requireOwnReader } from "./own-page.ts"
import type { RequestRate } from "./request-rate.ts"
import { type SentCookie, sentCookie } from "./session-cookie.ts"

/** The sessions of browsers, by the cookies of requests. */
export interface BrowserSessions {
  /** The cookie of a request, valid or not; null without one. */
  cookieOf(kind: SessionKind, exchange: Exchange): SentCookie | null
  /**
   * The session of a request; null without one, or when it has ended. A change needs its own page and the CSRF token.
   * @throws AdminFault 403, 429
   */
  find(kind: SessionKind, exchange: Exchange): Promise<BrowserSession | null>
}

interface BrowserSession extends FoundSession {
  readonly cookie: string
}

/** Finds sessions by cookies, and protects them from the pages of others. */
export function createBrowserSessions(
  sessions: Sessions,
  context: HttpContext,
  rate: RequestRate,
): BrowserSessions {
  function cookieOf(kind: SessionKind, { request }: Exchange): SentCookie | null {
    return sentCookie(request.headers, kind, context.isSecure(request))
  }

  return {
    cookieOf,
    async find(kind, exchange) {
      const { request, incoming } = exchange
      const cookie = cookieOf(kind, exchange)?.text
      if (cookie === undefined) return null
      const changes = request.method !== "GET" && request.method !== "HEAD"
      if (changes) requireOwnPage(request, context)
      else requireOwnReader(request)
      const from = { source: incoming.address(), requestId: incoming.requestId }
      const found = await sessions.find(kind, cookie, from)
      if (found === null) return null
      const { id, session, account } = found.actor
      if (changes) requireCsrfToken(request, cookie, session?.id ?? "")
      rate.take(id)
      if (changes && account !== null) rate.takeChange(account)
      return { ...found, cookie }
    },
  }
}

/** The header that proves that a page of this service has read the session. */
const csrfHeader = "x-csrf-token"

/** The token that a page must send with each change. It is derived from the cookie, so that every process can check it. */
export function csrfTokenOf(cookie: string, sessionId: string): string {
  // It ends with the session.
  return Bun.CSRF.generate(secretOf(cookie), { sessionId, expiresIn: 0 })
}

/** @throws AdminFault 403 */
function requireCsrfToken({ headers }: Request, cookie: string, sessionId: string): void {
  const token = headers.get(csrfHeader)
  if (token && Bun.CSRF.verify(token, { secret: secretOf(cookie), sessionId, maxAge: 0 })) return
  throw new AdminFault(
    "cross-site-request",
    `Send the 'csrf' of the session in the header '${csrfHeader}' with each change. GET the session to read it.`,
    { parameter: csrfHeader },
  )
}

function secretOf(cookie: string): string {
  return new Bun.CryptoHasher("sha256").update(`penknife csrf ${cookie}`).digest("hex")
}
