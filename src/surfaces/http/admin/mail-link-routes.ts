import { type Static, Type } from "@sinclair/typebox"
import { Elysia } from "elysia"
import { createSecret, isWellFormed } from "../../../accounts/key.ts"
import { AdminFault, invalid } from "../../../admin/fault.ts"
import { SignInRefused } from "../../../admin/sessions/refusal.ts"
import { visitorLinkMs } from "../../../admin/sign-up/ask.ts"
import { mailNetworksOf } from "../../../values/ip.ts"
import { inProgress } from "../frame.ts"
import { readJsonObject } from "../read/body.ts"
import { httpLimits } from "../read/limits.ts"
import type { Exchange } from "../request.ts"
import { setAdminHeaders } from "./admin-problem.ts"
import { requireOwnPage, setSessionCookie } from "./browser-sessions.ts"
import { type SessionParts, toAnswer } from "./session-routes.ts"

const closed = { additionalProperties: false }
const name = Type.Optional(Type.String({ maxLength: 200 }))
const terms = Type.Optional(Type.String({ minLength: 1, maxLength: 2_000 }))
const questionSchema = Type.Object(
  {
    for: Type.Union([Type.Literal("sign-up"), Type.Literal("sign-in")]),
    email: Type.String({ minLength: 1, maxLength: 1_000 }),
    name,
    terms,
  },
  closed,
)
const token = Type.String({ minLength: 1, maxLength: 200 })
const readSchema = Type.Object({ token }, closed)
const confirmationSchema = Type.Object({ token, name, terms }, closed)

/** The answer to every question for a link: whether there is an account must not show. */
const questionAnswer = JSON.stringify({
  sent: true,
  detail: "If this address can sign in or sign up here, a mail is on its way. Check your mail.",
})
/**
 * Questions are answered after a multiple of this time, milliseconds, so that the time does not tell whether a mail was made:
 * that takes a few milliseconds.
 */
const answerStepMs = 250

/** The routes with which visitors ask for a link by mail, and use one. */
export function mailLinkRoutes(parts: SessionParts) {
  const { base, context, refuseWith, access, browser, failures, rate } = parts
  const { signUps } = access
  const { log, scheduler, ports } = context.pipeline
  const intake = context.intake.limitedTo(httpLimits.sessionBodyBytes)
  const record = context.observer.recorderFor("portal.mail_link", "portal")
  const refuse = refuseWith(record)
  const detail = (summary: string) => ({ detail: { summary, tags: ["administration"] } })

  /** The cookie that names this browser; null without one that this service has made. */
  function browserOf(exchange: Exchange): string | null {
    const cookie = browser.cookieOf("browser", exchange)
    return cookie !== null && isWellFormed("sessionToken", cookie.text) ? cookie.text : null
  }

  async function ask(question: Static<typeof questionSchema>, exchange: Exchange): Promise<string> {
    const { request, set, incoming } = exchange
    const source = incoming.address()
    const networks = mailNetworksOf(source)
    if (context.strict) rate.takeQuestion(networks.at(-1) ?? source)
    const startMs = ports.clock.monotonicMs()
    // A browser keeps the cookie that it has, so that its earlier links still work.
    const cookie = browserOf(exchange) ?? createSecret("sessionToken", ports.random)
    const from = { browser: cookie, networks, source, requestId: incoming.requestId }
    const result = await signUps.ask(question, from)
    if (result === "limited")
      log.warn("a link by mail was not sent: too many of this hour", { network: networks[0] })
    const isSecure = context.isSecure(request) || request.headers.get("origin")?.startsWith("https:") === true
    setSessionCookie(set, "browser", cookie, visitorLinkMs, isSecure)
    if (context.strict) {
      const tookMs = ports.clock.monotonicMs() - startMs
      const waitMs = answerStepMs - (tookMs % answerStepMs)
      await new Promise<void>((resolve) => ports.timer.after(waitMs, resolve))
    }
    return questionAnswer
  }

  function confirm(given: Static<typeof confirmationSchema>, exchange: Exchange) {
    const { incoming } = exchange
    const from = { source: incoming.address(), requestId: incoming.requestId }
    const replacedCookie = browser.cookieOf("portal", exchange)?.text ?? null
    const options = { replacedCookie, limit: rate.takeChange }
    return refusing(incoming, "unauthenticated", () =>
      signUps.confirm(given, browserOf(exchange), from, options),
    )
  }

  /** Slows down and logs the use of a link that is refused. */
  async function refusing<T>(
    incoming: Exchange["incoming"],
    code: "unauthenticated" | "conflict",
    use: () => Promise<T>,
  ): Promise<T> {
    try {
      return await use()
    } catch (thrown) {
      if (!(thrown instanceof SignInRefused)) throw thrown
      const { reason, subject, message, isGuess } = thrown
      const address = incoming.address()
      if (isGuess) await failures.add(address)
      const { requestId } = incoming
      log.warn("portal sign-in by mail failed", { requestId, reason, ...(subject && { subject }), address })
      throw new AdminFault(code, message)
    }
  }

  const parse = ({ request }: { readonly request: Request }) => {
    requireOwnPage(request, context)
    return inProgress(context, () => readJsonObject(request, intake, () => scheduler.giveWay("sign-in")))
  }

  return new Elysia({ name: "portal-mail-links", normalize: false })
    .use(base)
    .onError(({ error, code, request, set, incoming }) => {
      const thrown = code === "PARSE" ? error.cause : code === "VALIDATION" ? wrongBody : error
      return refuse(thrown, { request, set, incoming }, null)
    })
    .post(
      "/portal/mail-links",
      ({ request, set, incoming, body }) =>
        inProgress(context, async () => {
          const answer = await ask(body, { request, set, incoming })
          setAdminHeaders(set, "application/json")
          set.status = 202
          record(incoming, { status: 202 })
          return answer
        }),
      { parse, body: questionSchema, ...detail("Ask for a link by mail, to sign up or to sign in") },
    )
    .post(
      "/portal/mail-links/read",
      ({ request, set, incoming, body }) =>
        inProgress(context, async () => {
          const cookie = browserOf({ request, set, incoming })
          // Not a 401: that would end the session of someone who is signed in.
          const offer = await refusing(incoming, "conflict", () => signUps.read(body.token, cookie))
          setAdminHeaders(set, "application/json")
          record(incoming, { status: 200 })
          return JSON.stringify(offer)
        }),
      { parse, body: readSchema, ...detail("What a link that came by mail will make") },
    )
    .post(
      "/portal/mail-links/confirm",
      ({ request, set, incoming, body }) =>
        inProgress(context, async () => {
          const { opened, key } = await confirm(body, { request, set, incoming })
          const isSecure =
            context.isSecure(request) || request.headers.get("origin")?.startsWith("https:") === true
          setSessionCookie(set, "portal", opened.cookie, opened.durationMs, isSecure)
          setAdminHeaders(set, "application/json")
          set.status = 201
          record(incoming, { status: 201, actor: opened.actor.id })
          return JSON.stringify({ session: toAnswer(opened, access), first_key: key })
        }),
      { parse, body: confirmationSchema, ...detail("Use a link that came by mail") },
    )
}

const wrongBody = invalid(
  "body",
  'Send {"for": "sign-up", "email": "…"} or {"for": "sign-in", "email": "…"} to ask for a link, {"token": "…"} to use one; with "name", a text, and "terms", the address of the accepted terms, where an account is made.',
)
