import { type Static, Type } from "@sinclair/typebox"
import type { AdminAccess } from "../../../admin/admin-access.ts"
import { type AdminFault, invalid } from "../../../admin/fault.ts"
import { operations } from "../../../admin/operations.ts"
import { operationsFor } from "../../../admin/portal-access.ts"
import type { SignInProof } from "../../../admin/sessions/grant.ts"
import type {
  FoundSession,
  OpenedSession,
  SessionAnswer,
  SessionKind,
  SignedIn,
} from "../../../admin/sessions/sessions.ts"
import { waysOf } from "../../../admin/sign-up/settings.ts"
import { toIso } from "../../../values/time-text.ts"
import { httpLimits } from "../read/limits.ts"
import type { Exchange } from "../request.ts"
import { type BrowserRouteParts, browserRoutes } from "./browser-routes.ts"
import {
  csrfTokenOf,
  isSecurePage,
  requirePasskeySite,
  setSessionCookie,
  sourceOf,
} from "./browser-sessions.ts"
import { notSignedIn, sessionOver } from "./caller.ts"
import { prefixes } from "./operation-routes.ts"
import { signedSchema } from "./passkey-routes.ts"

export interface SessionParts extends BrowserRouteParts {
  readonly access: Pick<AdminAccess, "sessions" | "plans" | "signUps">
}

/** Far longer than any token or key. */
const maxProofLength = 200

const closed = { additionalProperties: false }
const proofText = Type.String({ minLength: 1 })
const proofSchema = Type.Union([
  Type.Object({ token: proofText }, closed),
  Type.Object({ key: proofText }, closed),
  Type.Object({ passkey: signedSchema }, closed),
])
const endSchema = Type.Object(
  { everywhere: Type.Optional(Type.Union([Type.Literal("true"), Type.Literal("false")])) },
  closed,
)

/** The routes at `/console/session` or `/portal/session`: sign in, ask who is signed in, sign out. */
export function sessionRoutes(kind: SessionKind, parts: SessionParts) {
  const { context, access, browser, rate } = parts
  const { sessions } = access
  const path = prefixes[kind].session
  const { app, parse, answer, refusing } = browserRoutes(parts, {
    operation: `${kind}.session`,
    surface: kind === "console" ? "admin" : "portal",
    bodyBytes: httpLimits.sessionBodyBytes,
    wrong: refusals,
  })
  const tags = ["administration"]
  const visitorAnswer = (): SessionAnswer =>
    kind === "console" ? { signed_in: false } : { signed_in: false, ways: waysOf(access.signUps.settings) }

  function signIn(proof: SignInProof, exchange: Exchange): Promise<OpenedSession> {
    const { incoming } = exchange
    const replacedCookie = browser.cookieOf(kind, exchange)?.text ?? null
    const limit = kind === "portal" ? rate.takeChange : rate.take
    return refusing(incoming, `${kind} sign-in failed`, () =>
      sessions.open(kind, proof, sourceOf(incoming), { replacedCookie, limit }),
    )
  }

  /** A text that is too long is cut: no token or key is that long, so it is refused in any case. */
  function toProof(body: Static<typeof proofSchema>, exchange: Exchange): SignInProof {
    if ("token" in body) return { token: body.token.slice(0, maxProofLength) }
    if ("key" in body) return { key: body.key.slice(0, maxProofLength) }
    if (kind === "portal") throw noPasskeys
    const site = requirePasskeySite(exchange.request, context)
    return { passkey: body.passkey, site, browser: browser.cookieOf("passkey", exchange)?.text ?? null }
  }

  function forgetCookie(exchange: Exchange): void {
    const isSecure = browser.cookieOf(kind, exchange)?.isSecure ?? context.isSecure(exchange.request)
    setSessionCookie(exchange.set, kind, "", 0, isSecure)
  }

  return app
    .get(
      path,
      ({ request, set, incoming }) =>
        answer({ request, set, incoming }, async (exchange) => {
          const found = await browser.find(kind, exchange)
          if (!found && browser.cookieOf(kind, exchange)) forgetCookie(exchange)
          return { status: 200, body: found ? toAnswer(found, access) : visitorAnswer(), actor: found?.actor }
        }),
      { detail: { summary: `Whether someone is signed in to the ${kind}`, tags } },
    )
    .post(
      path,
      ({ request, set, incoming, body }) =>
        answer({ request, set, incoming }, async (exchange) => {
          const opened = await signIn(toProof(body, exchange), exchange)
          setSessionCookie(set, kind, opened.cookie, opened.durationMs, isSecurePage(request, context))
          return { status: 201, body: toAnswer(opened, access), actor: opened.actor }
        }),
      { parse, body: proofSchema, detail: { summary: `Sign in to the ${kind}`, tags } },
    )
    .delete(
      path,
      ({ request, set, incoming, query }) =>
        answer({ request, set, incoming }, async (exchange) => {
          const found = await browser.find(kind, exchange)
          if (!found) {
            if (!browser.cookieOf(kind, exchange)) throw notSignedIn
            forgetCookie(exchange)
            throw sessionOver
          }
          await sessions.end(found, query.everywhere === "true")
          forgetCookie(exchange)
          return { status: 204, actor: found.actor }
        }),
      { parse: "none", query: endSchema, detail: { summary: `Sign out of the ${kind}`, tags } },
    )
}

const noPasskeys = invalid(
  "passkey",
  "Passkeys are for the console. Sign in to the portal with an API key or a link.",
)

/** Refusals of input that does not fit its schema, by the place that Elysia names. */
const refusals: Readonly<Record<string, AdminFault>> = {
  body: invalid(
    "body",
    'Send {"token": "…"}, the token of a link, or {"key": "…"}; in the console also {"passkey": {…}}, what a passkey has signed.',
  ),
  query: invalid("everywhere", "The only parameter is 'everywhere', which is true or false."),
}

/** The answer that tells a page about its session. */
export function toAnswer(
  { kind, actor, account, expiresMs, cookie }: FoundSession & { readonly cookie: string },
  { plans, signUps }: Pick<AdminAccess, "plans" | "signUps">,
): SignedIn {
  const { id, name, permissions, session } = actor
  const plan = account ? plans.get(account.plan) : undefined
  return {
    signed_in: true,
    kind,
    actor: { id, name },
    permissions,
    account: account && {
      ...{ id: account.id, name: account.name, plan: account.plan },
      price: plan?.price ?? null,
      portal_keys: plan?.portalKeys ?? 0,
      premium: plan?.premium ?? false,
      mail: signUps.settings.hasMail,
    },
    may: operationsFor(actor, plan, operations).map((operation) => operation.id),
    csrf: csrfTokenOf(cookie, session?.id ?? ""),
    expires: toIso(expiresMs),
  }
}
