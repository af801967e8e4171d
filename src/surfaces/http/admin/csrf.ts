import { AdminFault } from "../../../admin/fault.ts"

/** The header in which a page of this service proves that it has read the session. */
const csrfHeader = "x-csrf-token"

/** The text that a page must send with each change. It follows from the cookie, so that every process can check it. */
export function csrfTokenOf(cookie: string, sessionId: string): string {
  // It ends with the session.
  return Bun.CSRF.generate(secretOf(cookie), { sessionId, expiresIn: 0 })
}

/** @throws AdminFault 403 */
export function requireCsrfToken({ headers }: Request, cookie: string, sessionId: string): void {
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
