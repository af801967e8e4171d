import { type Static, Type } from "@sinclair/typebox"
import { Elysia } from "elysia"
import type { AdminAccess } from "../../../admin/admin-access.ts"
import { AdminFault, invalid } from "../../../admin/fault.ts"
import { operations } from "../../../admin/operations.ts"
import { operationsFor } from "../../../admin/portal-access.ts"
import type { SignInProof } from "../../../admin/sessions/grant.ts"
import { SignInRefused } from "../../../admin/sessions/refusal.ts"
import type {
  FoundSession,
  OpenedSession,
  SessionAnswer,
  SessionKind,
  SignedIn,
} from "../../../admin/sessions/sessions.ts"
import { waysOf } from "../../../admin/sign-up/settings.ts"
import { toIso } from "../../../values/time-text.ts"
import { type HttpContext, inProgress } from "../frame.ts"
import { readJsonObject } from "../read/body.ts"
import { httpLimits } from "../read/limits.ts"
import type { Exchange, IncomingApp } from "../request.ts"
import { type createRefusals, setAdminHeaders } from "./admin-problem.ts"
import type { BrowserSessions } from "./browser-sessions.ts"
import { csrfTokenOf, requireOwnPage, requirePasskeySite, setSessionCookie } from "./browser-sessions.ts"
import { notSignedIn, sessionOver } from "./caller.ts"
import { signedSchema } from "./passkey-input.ts"
import type { RequestRate } from "./request-rate.ts"
import type { SignInFailures } from "./sign-in-failures.ts"

export interface SessionParts {
  readonly base: IncomingApp
  readonly context: HttpContext
  readonly refuseWith: ReturnType<typeof createRefusals>
  readonly access: Pick<AdminAccess, "sessions" | "plans" | "signUps">
  readonly browser: BrowserSessions
  readonly failures: SignInFailures
  readonly rate: RequestRate
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
  const { base, context, refuseWith, access, browser, failures, rate } = parts
  const { sessions } = access
  const { log, scheduler } = context.pipeline
  const path = `/${kind}/session`
  const intake = context.intake.limitedTo(httpLimits.sessionBodyBytes)
  const record = context.observer.recorderFor(`${kind}.session`, kind === "console" ? "admin" : "portal")
  const refuse = refuseWith(record)
  const tags = ["administration"]
  const visitorAnswer = (): SessionAnswer =>
    kind === "console" ? { signed_in: false } : { signed_in: false, ways: waysOf(access.signUps.settings) }

  async function signIn(proof: SignInProof, exchange: Exchange): Promise<OpenedSession> {
    const { incoming } = exchange
    const from = { source: incoming.address(), requestId: incoming.requestId }
    const replacedCookie = browser.cookieOf(kind, exchange)?.text ?? null
    const limit = kind === "portal" ? rate.takeChange : rate.take
    try {
      return await sessions.open(kind, proof, from, { replacedCookie, limit })
    } catch (thrown) {
      if (!(thrown instanceof SignInRefused)) throw thrown
      const { reason, subject, message, isGuess, cause: why } = thrown
      if (isGuess) await failures.add(from.source)
      const { requestId, source: address } = from
      log.warn(`${kind} sign-in failed`, {
        ...{ requestId, reason },
        ...(subject && { subject }),
        ...(typeof why === "string" && { why: why.slice(0, 300) }),
        address,
      })
      throw new AdminFault("unauthenticated", message)
    }
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

  return new Elysia({ name: `${kind}-session`, normalize: false })
    .use(base)
    .onError(({ error, code, request, set, incoming }) => {
      const thrown = code === "PARSE" ? error.cause : code === "VALIDATION" ? refusals[error.type] : error
      return refuse(thrown, { request, set, incoming }, null)
    })
    .get(
      path,
      ({ request, set, incoming }) =>
        inProgress(context, async () => {
          const exchange = { request, set, incoming }
          const found = await browser.find(kind, exchange)
          if (!found && browser.cookieOf(kind, exchange)) forgetCookie(exchange)
          setAdminHeaders(set, "application/json")
          record(incoming, { status: 200, ...(found && { actor: found.actor.id }) })
          const answer: SessionAnswer = found ? toAnswer(found, access) : visitorAnswer()
          return JSON.stringify(answer)
        }),
      { detail: { summary: `Whether someone is signed in to the ${kind}`, tags } },
    )
    .post(
      path,
      ({ request, set, incoming, body }) =>
        inProgress(context, async () => {
          const exchange = { request, set, incoming }
          const opened = await signIn(toProof(body, exchange), exchange)
          // If a proxy does not say that the page came over HTTPS, the browser's Origin does.
          const isSecure =
            context.isSecure(request) || request.headers.get("origin")?.startsWith("https:") === true
          setSessionCookie(set, kind, opened.cookie, opened.durationMs, isSecure)
          setAdminHeaders(set, "application/json")
          set.status = 201
          record(incoming, { status: 201, actor: opened.actor.id })
          return JSON.stringify(toAnswer(opened, access))
        }),
      {
        parse({ request }) {
          requireOwnPage(request, context)
          return inProgress(context, () =>
            readJsonObject(request, intake, () => scheduler.giveWay("sign-in")),
          )
        },
        body: proofSchema,
        detail: { summary: `Sign in to the ${kind}`, tags },
      },
    )
    .delete(
      path,
      ({ request, set, incoming, query }) =>
        inProgress(context, async () => {
          const exchange = { request, set, incoming }
          const found = await browser.find(kind, exchange)
          if (!found) {
            if (!browser.cookieOf(kind, exchange)) throw notSignedIn
            forgetCookie(exchange)
            throw sessionOver
          }
          await sessions.end(found, query.everywhere === "true")
          forgetCookie(exchange)
          setAdminHeaders(set, "application/json")
          delete set.headers["content-type"]
          set.status = 204
          record(incoming, { status: 204, actor: found.actor.id })
          return ""
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
