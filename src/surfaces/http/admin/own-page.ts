import { AdminFault } from "../../../admin/fault.ts"
import type { HttpContext } from "../context.ts"

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
export function requireOwnReader({ headers }: Request): void {
  const site = headers.get("sec-fetch-site")
  if (site !== null && site !== "same-origin" && site !== "none") throw otherSite
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
