import type { SessionKind } from "../../../admin/sessions/sessions.ts"
import type { AnswerSettings } from "../exchange.ts"

/** The session cookie that a browser has sent. */
export interface SentCookie {
  readonly text: string
  /** Whether a browser sends it only over HTTPS. */
  readonly isSecure: boolean
}

/**
 * The name of a session's cookie. Over HTTPS it has the prefix `__Host-`: a browser accepts it only from this host, over HTTPS
 * and without a domain, so that no other subdomain can set it (RFC 6265bis §4.1.3.2).
 */
function cookieName(kind: SessionKind, isSecure: boolean): string {
  return `${isSecure ? "__Host-" : ""}penknife-${kind}`
}

/**
 * The session's cookie of a request; null without one. A cookie with the prefix takes precedence, since the service cannot always
 * see that the browser uses HTTPS. Two cookies with one name are both ignored: one of them is not from this service.
 * @param isSecure whether the request is known to come over HTTPS: a cookie without the prefix is then someone else's
 */
export function sentCookie(headers: Headers, kind: SessionKind, isSecure: boolean): SentCookie | null {
  const pairs = (headers.get("cookie") ?? "").split(";").map((pair) => pair.trim())
  const textsOf = (name: string) =>
    pairs.filter((pair) => pair.startsWith(`${name}=`)).map((pair) => pair.slice(name.length + 1))
  const bound = textsOf(cookieName(kind, true))
  const texts = bound.length > 0 || isSecure ? bound : textsOf(cookieName(kind, false))
  const [text] = texts
  return text === undefined || texts.length > 1 ? null : { text, isSecure: texts === bound }
}

/** Makes the browser keep a session's cookie for `maxAgeMs`, or forget it with 0. */
export function setSessionCookie(
  { headers }: AnswerSettings,
  kind: SessionKind,
  text: string,
  maxAgeMs: number,
  isSecure: boolean,
): void {
  const lifetime = `Max-Age=${Math.max(0, Math.floor(maxAgeMs / 1_000))}`
  const secure = isSecure ? "; Secure" : ""
  headers["set-cookie"] =
    `${cookieName(kind, isSecure)}=${text}; Path=/; ${lifetime}; HttpOnly; SameSite=Strict${secure}`
}
