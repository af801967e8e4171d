import type { Plans } from "../../../accounts/plan.ts"
import type { AdminAccess } from "../../../admin/admin-access.ts"
import { AdminFault } from "../../../admin/fault.ts"
import { operations } from "../../../admin/operations.ts"
import { operationsFor } from "../../../admin/portal-access.ts"
import type { SignInProof } from "../../../admin/sessions/grant.ts"
import { SignInRefused } from "../../../admin/sessions/refusal.ts"
import type { FoundSession, OpenedSession, SessionKind } from "../../../admin/sessions/sessions.ts"
import { readJsonObject } from "../body.ts"
import { type HttpContext, inProgress } from "../context.ts"
import type { Exchange } from "../exchange.ts"
import { parseQuery } from "../query.ts"
import { answerOrProblem, type NoteActor } from "./answer-or-problem.ts"
import type { BrowserSession, BrowserSessions } from "./browser-sessions.ts"
import { notSignedIn, sessionOver } from "./caller.ts"
import { csrfTokenOf } from "./csrf.ts"
import { requireOwnPage } from "./own-page.ts"
import { noOperation } from "./paths.ts"
import { setAdminHeaders } from "./problem.ts"
import type { RequestRate } from "./request-rate.ts"
import { setSessionCookie } from "./session-cookie.ts"
import type { SignInFailures } from "./sign-in-failures.ts"

interface SessionHttpParts {
  readonly access: Pick<AdminAccess, "sessions" | "plans">
  readonly browser: BrowserSessions
  readonly failures: SignInFailures
  readonly rate: RequestRate
}

/** Answers requests to `/console/session` and `/portal/session`: sign in, who am I, sign out. */
export type AnswerSession = (kind: SessionKind, exchange: Exchange) => Promise<string>

/** Far longer than any token or key. */
const maxProofLength = 200

export function createSessionHttp(context: HttpContext, parts: SessionHttpParts): AnswerSession {
  const { access, browser, failures, rate } = parts
  const { sessions } = access
  const { observer, pipeline } = context
  const records = {
    console: observer.recorderFor("console.session", "admin"),
    portal: observer.recorderFor("portal.session", "portal"),
  }

  async function signIn(kind: SessionKind, exchange: Exchange): Promise<OpenedSession> {
    const { request, incoming } = exchange
    requireOwnPage(request, context)
    const proof = await readProof(exchange, context)
    const from = { source: incoming.address(), requestId: incoming.requestId }
    const replacedCookie = browser.cookieOf(kind, exchange)?.text ?? null
    const limit = kind === "portal" ? rate.takeChange : rate.take
    try {
      return await sessions.open(kind, proof, from, { replacedCookie, limit })
    } catch (thrown) {
      if (!(thrown instanceof SignInRefused)) throw thrown
      const { reason, subject, message, isGuess } = thrown
      if (isGuess) await failures.add(from.source)
      const { requestId, source: address } = from
      pipeline.log.warn(`${kind} sign-in failed`, { requestId, reason, ...(subject && { subject }), address })
      throw new AdminFault("unauthenticated", message)
    }
  }

  async function post(kind: SessionKind, exchange: Exchange, note: NoteActor): Promise<string> {
    const { request, set } = exchange
    const opened = await signIn(kind, exchange)
    note(opened.actor)
    // The browser knows that its page came over HTTPS where a proxy does not say so.
    const isSecure = context.isSecure(request) || request.headers.get("origin")?.startsWith("https:") === true
    setSessionCookie(set, kind, opened.cookie, opened.durationMs, isSecure)
    return answer(opened, 201, exchange)
  }

  async function requireSession(
    kind: SessionKind,
    exchange: Exchange,
    note: NoteActor,
  ): Promise<BrowserSession> {
    const found = await browser.find(kind, exchange)
    if (found) {
      note(found.actor)
      return found
    }
    if (!browser.cookieOf(kind, exchange)) throw notSignedIn
    forgetCookie(kind, exchange)
    throw sessionOver
  }

  async function signOut(kind: SessionKind, exchange: Exchange, note: NoteActor): Promise<string> {
    const { request, set } = exchange
    const everywhere = readEverywhere(request.url)
    const found = await requireSession(kind, exchange, note)
    await sessions.end(found, everywhere)
    forgetCookie(kind, exchange)
    setAdminHeaders(set, "application/json")
    delete set.headers["content-type"]
    set.status = 204
    return ""
  }

  function forgetCookie(kind: SessionKind, exchange: Exchange): void {
    const isSecure = browser.cookieOf(kind, exchange)?.isSecure ?? context.isSecure(exchange.request)
    setSessionCookie(exchange.set, kind, "", 0, isSecure)
  }

  function answer(
    session: FoundSession & { readonly cookie: string },
    status: number,
    { set }: Exchange,
  ): string {
    set.status = status
    setAdminHeaders(set, "application/json")
    return JSON.stringify(toAnswer(session, access.plans))
  }

  return (kind, exchange) =>
    answerOrProblem(exchange, records[kind], context, (note) =>
      inProgress(context, async () => {
        const { method } = exchange.request
        if (method === "GET") return answer(await requireSession(kind, exchange, note), 200, exchange)
        if (method === "POST") return post(kind, exchange, note)
        if (method === "DELETE") return signOut(kind, exchange, note)
        throw noOperation(exchange.request, { admin: [], portal: [] })
      }),
    )
}

/** What a page gets to know about its session. */
function toAnswer(
  { kind, actor, account, expiresMs, cookie }: FoundSession & { readonly cookie: string },
  plans: Plans,
) {
  const { id, name, permissions, session } = actor
  const plan = account ? plans.get(account.plan) : undefined
  return {
    kind,
    actor: { id, name },
    permissions,
    account: account && {
      ...{ id: account.id, name: account.name, plan: account.plan },
      portal_keys: plan?.portalKeys ?? 0,
      premium: plan?.premium ?? false,
    },
    may: operationsFor(actor, plan, operations).map((operation) => operation.id),
    csrf: csrfTokenOf(cookie, session?.id ?? ""),
    expires: new Date(expiresMs).toISOString(),
  }
}

async function readProof({ request }: Exchange, { intake, pipeline }: HttpContext): Promise<SignInProof> {
  const giveWay = () => pipeline.scheduler.giveWay("sign-in")
  const { token, key, ...others } = await readJsonObject(request, intake, giveWay)
  const given = [token, key].filter((text) => text !== undefined)
  const [text] = given
  if (given.length !== 1 || Object.keys(others).length > 0 || typeof text !== "string" || text === "") {
    throw new AdminFault("invalid", 'Send {"token": "…"}, the token of a link, or {"key": "…"}.', {
      parameter: "body",
    })
  }
  // Longer than any: it is not well-formed, whatever it is.
  const short = text.slice(0, maxProofLength)
  return token === undefined ? { key: short } : { token: short }
}

function readEverywhere(url: string): boolean {
  const { parameters } = parseQuery(url)
  for (const { name, text } of parameters) {
    if (name === "everywhere" && (text === "true" || text === "false")) continue
    throw new AdminFault("invalid", "The only parameter is 'everywhere', which is true or false.", {
      parameter: "everywhere",
    })
  }
  return parameters.some(({ text }) => text === "true")
}
