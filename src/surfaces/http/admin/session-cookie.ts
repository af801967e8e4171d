import type { SessionKind } from "../../../admin/sessions/sessions.ts"
import type { AnswerSettings } from "../exchange.ts"

/**
 * The cookie of a session. Over HTTPS its name has the prefix `__Host-`, with which a browser takes it only from this host,
 * over HTTPS, without a domain: no neighbour can set it (RFC 6265bis §4.1.3.2).
 */
export function cookieName(kind: SessionKind, isSecure: boolean): string {
  return `${isSecure ? "__Host-" : ""}penknife-${kind}`
}

/** The text of a session's cookie; null without one. Of two with one name nobody can say which this service has set: none counts. */
export function sentCookie(headers: Headers, name: string): string | null {
  const sent = headers.get("cookie")
  if (sent === null) return null
  const texts = sent
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1))
  return texts.length === 1 ? (texts[0] ?? null) : null
}

/** Makes the browser keep a session's cookie for `maxAgeMs`, or forget it with 0. */
export function setSessionCookie(
  { headers }: AnswerSettings,
  name: string,
  text: string,
  maxAgeMs: number,
  isSecure: boolean,
): void {
  const lifetime = `Max-Age=${Math.max(0, Math.floor(maxAgeMs / 1_000))}`
  const secure = isSecure ? "; Secure" : ""
  headers["set-cookie"] = `${name}=${text}; Path=/; ${lifetime}; HttpOnly; SameSite=Strict${secure}`
}
