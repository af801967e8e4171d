import { AdminFault, conflict } from "../../../admin/fault.ts"
import type { PasskeySite } from "../../../admin/passkeys/ceremonies.ts"
import type { SessionKind, Sessions } from "../../../admin/sessions/sessions.ts"
import { isLoopback } from "../../../values/ip.ts"
import type { HttpContext } from "../frame.ts"
import type { AnswerSettings, Exchange } from "../request.ts"
import type { RequestRate } from "./request-rate.ts"

/**
 * A cookie of a session, the one that binds the challenge of a passkey to a browser, or the one of a browser that asked for a
 * link by mail.
 */
type CookieKind = SessionKind | "passkey" | "browser"

/** The sessions of browsers, by the cookies of requests. */
export type BrowserSessions = ReturnType<typeof createBrowserSessions>

/** Finds sessions by cookies, and protects them from the pages of others. */
export function createBrowserSessions(sessions: Sessions, context: HttpContext, rate: RequestRate) {
  /** The cookie of a request, valid or not; null without one. */
  function cookieOf(kind: CookieKind, { request }: Exchange): SentCookie | null {
    return sentCookie(request.headers, kind, context.isSecure(request))
  }

  return {
    cookieOf,
    /**
     * The session of a request; null without one, or when it has ended. A change needs its own page and the CSRF token.
     * @param isCall whether the request calls an API: credits and the plan limit it, so it does not count as a change
     * @throws AdminFault 403, 429
     */
    async find(kind: SessionKind, exchange: Exchange, isCall = false) {
      const { request, incoming } = exchange
      const cookie = cookieOf(kind, exchange)?.text
      if (cookie === undefined) return null
      const changes = request.method !== "GET" && request.method !== "HEAD"
      if (changes) requireOwnPage(request, context)
      else requireOwnReader(request)
      const found = await sessions.find(kind, cookie, sourceOf(incoming))
      if (found === null) return null
      const { id, session, account } = found.actor
      if (changes) requireCsrfToken(request, cookie, session?.id ?? "")
      rate.take(id)
      if (changes && !isCall && account !== null) rate.takeChange(account)
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

/**
 * Requires that a change is sent by a page of this service. A form or script of another site would send the cookie along if the
 * browser does not know `SameSite`, or if the other site is on another port of the same host.
 * @throws AdminFault 403
 */
export function requireOwnPage(request: Request, context: HttpContext): void {
  const { headers } = request
  const site = headers.get("sec-fetch-site")
  const origin = headers.get("origin")
  if (site !== null && site !== "same-origin") throw otherSite
  if (origin !== null ? isOwnOrigin(origin, request, context) : site === "same-origin") return
  throw origin === null ? noOrigin : otherSite
}

/**
 * Requires that no page of another origin reads with the cookie. A browser without `Sec-Fetch-Site` does not show the answer to
 * other origins anyway.
 * @throws AdminFault 403
 */
function requireOwnReader({ headers }: Request): void {
  const site = headers.get("sec-fetch-site")
  if (site !== null && site !== "same-origin" && site !== "none") throw otherSite
}

/**
 * Where a page of this service uses passkeys: the origin that the browser names, which must be the service's own.
 * @throws AdminFault 403 for other origins, 409 where passkeys cannot work
 */
export function requirePasskeySite(request: Request, context: HttpContext): PasskeySite {
  requireOwnPage(request, context)
  const origin = request.headers.get("origin")
  if (origin === null) throw noOrigin
  const { protocol, host, hostname } = new URL(origin)
  if (context.publicHost !== null && host !== context.publicHost)
    throw cannotWork(`They work at the address of --public-url: open the console at ${context.publicHost}.`)
  if (/^\[|^[\d.]+$/.test(hostname))
    throw cannotWork(
      `They need a host name, and this is an IP address. Open the console by its name${
        isLoopback(hostname) ? ", at localhost" : ""
      }.`,
    )
  const isLocal = hostname === "localhost" || hostname.endsWith(".localhost")
  if (protocol === "https:" || isLocal) return { origin, rpId: hostname }
  throw cannotWork(
    "They need HTTPS. Serve the console over HTTPS, or open it on the machine itself at localhost.",
  )
}

function cannotWork(why: string): AdminFault {
  return conflict(`Passkeys cannot be used here. ${why}`)
}

/** Whether an origin is the one that the request was sent to, or the address that clients use. */
function isOwnOrigin(origin: string, request: Request, context: HttpContext): boolean {
  if (!URL.canParse(origin)) return false
  const { host, protocol } = new URL(origin)
  if (host === "" || (protocol !== "https:" && context.isSecure(request))) return false
  return host === hostOf(request, protocol) || host === context.publicHost
}

/** The host of a request as in an origin: without the default port of the protocol. */
function hostOf({ headers }: Request, protocol: string): string | null {
  const host = headers.get("host")
  return host !== null && URL.canParse(`${protocol}//${host}`) ? new URL(`${protocol}//${host}`).host : null
}

const otherSite = new AdminFault(
  "cross-site-request",
  "A page of another site sent this request with your session. Open the page of this service and try again.",
)
const noOrigin = new AdminFault(
  "cross-site-request",
  "A request with a session must come from a page of this service: it needs the header 'Origin' or 'Sec-Fetch-Site'.",
)

/** The session cookie that a browser has sent. */
interface SentCookie {
  readonly text: string
  /** Whether a browser sends it only over HTTPS. */
  readonly isSecure: boolean
}

/**
 * The name of a session's cookie. Over HTTPS it has the prefix `__Host-`: a browser accepts it only from this host, over HTTPS
 * and without a domain, so that no other subdomain can set it (RFC 6265bis §4.1.3.2).
 */
function cookieName(kind: CookieKind, isSecure: boolean): string {
  return `${isSecure ? "__Host-" : ""}penknife-${kind}`
}

/**
 * The session's cookie of a request; null without one. A cookie with the prefix takes precedence, since the service cannot always
 * see that the browser uses HTTPS. Two cookies with one name are both ignored: one of them is not from this service.
 * @param isSecure whether the request is known to come over HTTPS: a cookie without the prefix is then someone else's
 */
function sentCookie(headers: Headers, kind: CookieKind, isSecure: boolean): SentCookie | null {
  const cookies = headers.get("cookie") ?? ""
  const bound = cookiesNamed(cookieName(kind, true), cookies)
  const texts = bound.length > 0 || isSecure ? bound : cookiesNamed(cookieName(kind, false), cookies)
  const [text] = texts
  return text === undefined || texts.length > 1 ? null : { text, isSecure: texts === bound }
}

/** The texts of the cookies with a name. By search: to divide 16 kB of others takes 4 ms, before any key is checked. */
function cookiesNamed(name: string, cookies: string): readonly string[] {
  const texts: string[] = []
  const start = `${name}=`
  for (let at = cookies.indexOf(start); at !== -1; at = cookies.indexOf(start, at + start.length)) {
    let before = at - 1
    while (cookies[before] === " ") before--
    if (before >= 0 && cookies[before] !== ";") continue
    const end = cookies.indexOf(";", at)
    texts.push(cookies.slice(at + start.length, end === -1 ? cookies.length : end).trimEnd())
  }
  return texts
}

/** Whether a page came over HTTPS. If a proxy does not say so, the browser's `Origin` does. */
export function isSecurePage(request: Request, context: HttpContext): boolean {
  return context.isSecure(request) || request.headers.get("origin")?.startsWith("https:") === true
}

/** Where a sign-in came from, for the audit log. */
export function sourceOf({ address, requestId }: Exchange["incoming"]) {
  return { source: address(), requestId }
}

/** Makes the browser keep a session's cookie for `maxAgeMs`, or forget it with 0. */
export function setSessionCookie(
  { headers }: AnswerSettings,
  kind: CookieKind,
  text: string,
  maxAgeMs: number,
  isSecure: boolean,
): void {
  const lifetime = `Max-Age=${Math.max(0, Math.floor(maxAgeMs / 1_000))}`
  const secure = isSecure ? "; Secure" : ""
  headers["set-cookie"] =
    `${cookieName(kind, isSecure)}=${text}; Path=/; ${lifetime}; HttpOnly; SameSite=Strict${secure}`
}
