import { AdminFault } from "../../../admin/fault.ts"
import type { Actor } from "../../../admin/operation.ts"
import type { SessionKind } from "../../../admin/sessions/sessions.ts"
import { type SignIn, signInRefusals } from "../../../admin/sign-in.ts"
import type { Pipeline } from "../../../call/pipeline.ts"
import { bearerToken, type Exchange } from "../request.ts"
import type { BrowserSessions } from "./browser-sessions.ts"
import type { RequestRate } from "./request-rate.ts"
import type { SignInFailures } from "./sign-in-failures.ts"

interface CallerParts {
  readonly signIn: SignIn
  readonly browser: BrowserSessions
  readonly failures: SignInFailures
  readonly rate: RequestRate
  readonly log: Pipeline["log"]
}

/**
 * Finds who sends a request to the admin API: by the admin key or, without one, by the session of the console. A failed sign-in
 * is logged and, when there were many, answered late.
 * @throws AdminFault 400, 401, 403, 429
 */
export async function requireOperator(exchange: Exchange, parts: CallerParts): Promise<Actor> {
  const { headers } = exchange.request
  const sent = sentAdminKey(headers)
  if (sent !== null) return requireAdminKey(sent, exchange, parts)
  const session = await parts.browser.find("console", exchange)
  if (session) return session.actor
  if (parts.browser.cookieOf("console", exchange)) throw sessionOver
  throw headers.get("x-api-key") ? apiKeySent : keyMissing
}

/**
 * Finds who is signed in to the console or, by default, which customer is signed in to the portal.
 * @param isCall whether the request calls an API
 * @throws AdminFault 401, 403, 429
 */
export async function requireSession(
  exchange: Exchange,
  { browser }: Pick<CallerParts, "browser">,
  { kind = "portal", isCall = false }: { readonly kind?: SessionKind; readonly isCall?: boolean } = {},
): Promise<Actor> {
  const session = await browser.find(kind, exchange, isCall)
  if (session) return session.actor
  throw browser.cookieOf(kind, exchange) ? sessionOver : notSignedIn
}

async function requireAdminKey(
  sent: string,
  { incoming: { requestId, address } }: Exchange,
  { signIn, failures, rate, log }: CallerParts,
): Promise<Actor> {
  const { adminKey, refusal } = await signIn(sent)
  if (refusal === null) {
    rate.take(adminKey.id)
    const { id, name, permissions } = adminKey
    return {
      ...{ id: `admin-key:${id}`, name, permissions, requestId },
      account: null,
      adminKeyId: id,
      source: address(),
    }
  }
  const source = address()
  // An API key here is a mistake, not a guess.
  if (refusal !== "apiKey") await failures.add(source)
  log.warn("admin sign-in failed", {
    requestId,
    reason: refusal,
    ...(adminKey && { adminKey: adminKey.id, name: adminKey.name }),
    address: source,
  })
  throw new AdminFault("unauthenticated", signInRefusals[refusal])
}

/** The refusal of a request whose session has ended. */
export const sessionOver = new AdminFault("unauthenticated", "The session has ended. Sign in again.")
/** The refusal of a request that needs a session. */
export const notSignedIn = new AdminFault("unauthenticated", "Nobody is signed in. Sign in first.")

/**
 * The admin key of a request: `x-admin-key`, or `Authorization: Bearer KEY`. Null without one.
 * @throws AdminFault for two different ones
 */
function sentAdminKey(headers: Headers): string | null {
  const own = headers.get("x-admin-key")
  const bearer = bearerToken(headers.get("authorization"))
  if (own && bearer !== null && own !== bearer) throw keysDiffer
  return own || bearer
}

const keysDiffer = new AdminFault(
  "invalid",
  "The headers 'x-admin-key' and 'Authorization' hold different keys. Send the key in one of them.",
)
const apiKeySent = new AdminFault(
  "unauthenticated",
  `The header 'x-api-key' is for the APIs. ${signInRefusals.apiKey} Send it in the header 'x-admin-key'.`,
)
const keyMissing = new AdminFault(
  "unauthenticated",
  "An admin key is needed: send it in the 'x-admin-key' header, or as 'Authorization: Bearer KEY'.",
)
