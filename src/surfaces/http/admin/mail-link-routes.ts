import { type Static, Type } from "@sinclair/typebox"
import { createSecret, isWellFormed } from "../../../accounts/key.ts"
import { invalid } from "../../../admin/fault.ts"
import { visitorLinkMs } from "../../../admin/sign-up/ask.ts"
import { mailNetworksOf } from "../../../values/ip.ts"
import { httpLimits } from "../read/limits.ts"
import type { Exchange } from "../request.ts"
import { browserRoutes } from "./browser-routes.ts"
import { isSecurePage, setSessionCookie, sourceOf } from "./browser-sessions.ts"
import { prefixes } from "./operation-routes.ts"
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
const questionAnswer = {
  sent: true,
  detail: "If this address can sign in or sign up here, a mail is on its way. Check your mail.",
}
/**
 * Questions are answered after a multiple of this time, milliseconds, so that the time does not tell whether a mail was made:
 * that takes a few milliseconds.
 */
const answerStepMs = 250

/** The routes with which visitors ask for a link by mail, and use one. */
export function mailLinkRoutes(parts: SessionParts) {
  const { context, access, browser, rate } = parts
  const { signUps } = access
  const { log, ports } = context.pipeline
  const { app, parse, answer, refusing } = browserRoutes(parts, {
    operation: "portal.mail_link",
    surface: "portal",
    bodyBytes: httpLimits.sessionBodyBytes,
    wrong: { body: wrongBody },
  })
  const detail = (summary: string) => ({ detail: { summary, tags: ["administration"] } })

  /** The cookie that names this browser; null without one that this service has made. */
  function browserOf(exchange: Exchange): string | null {
    const cookie = browser.cookieOf("browser", exchange)
    return cookie !== null && isWellFormed("sessionToken", cookie.text) ? cookie.text : null
  }

  async function ask(question: Static<typeof questionSchema>, exchange: Exchange): Promise<void> {
    const { request, set, incoming } = exchange
    const source = incoming.address()
    const networks = mailNetworksOf(source)
    if (context.strict) rate.takeQuestion(networks.at(-1) ?? source)
    const startMs = ports.clock.monotonicMs()
    // A browser keeps the cookie that it has, so that its earlier links still work.
    const cookie = browserOf(exchange) ?? createSecret("sessionToken", ports.random)
    const from = { ...sourceOf(incoming), browser: cookie, networks }
    const result = await signUps.ask(question, from)
    if (result === "limited")
      log.warn("a link by mail was not sent: too many of this hour", { network: networks[0] })
    setSessionCookie(set, "browser", cookie, visitorLinkMs, isSecurePage(request, context))
    if (context.strict) {
      const tookMs = ports.clock.monotonicMs() - startMs
      const waitMs = answerStepMs - (tookMs % answerStepMs)
      await new Promise<void>((resolve) => ports.timer.after(waitMs, resolve))
    }
  }

  function confirm(given: Static<typeof confirmationSchema>, exchange: Exchange) {
    const { incoming } = exchange
    const replacedCookie = browser.cookieOf("portal", exchange)?.text ?? null
    const options = { replacedCookie, limit: rate.takeChange }
    return refusing(incoming, refused, () =>
      signUps.confirm(given, browserOf(exchange), sourceOf(incoming), options),
    )
  }

  return app
    .post(
      prefixes.portal.mailLinks,
      ({ request, set, incoming, body }) =>
        answer({ request, set, incoming }, async (exchange) => {
          await ask(body, exchange)
          return { status: 202, body: questionAnswer }
        }),
      { parse, body: questionSchema, ...detail("Ask for a link by mail, to sign up or to sign in") },
    )
    .post(
      `${prefixes.portal.mailLinks}/read`,
      ({ request, set, incoming, body }) =>
        answer({ request, set, incoming }, async (exchange) => {
          const read = () => signUps.read(body.token, browserOf(exchange))
          // Not a 401: that would end the session of someone who is signed in.
          return { status: 200, body: await refusing(incoming, refused, read, "conflict") }
        }),
      { parse, body: readSchema, ...detail("What a link that came by mail will make") },
    )
    .post(
      `${prefixes.portal.mailLinks}/confirm`,
      ({ request, set, incoming, body: given }) =>
        answer({ request, set, incoming }, async (exchange) => {
          const { opened, key } = await confirm(given, exchange)
          setSessionCookie(set, "portal", opened.cookie, opened.durationMs, isSecurePage(request, context))
          const body = { session: toAnswer(opened, access), first_key: key }
          return { status: 201, body, actor: opened.actor }
        }),
      { parse, body: confirmationSchema, ...detail("Use a link that came by mail") },
    )
}

const refused = "portal sign-in by mail failed"

const wrongBody = invalid(
  "body",
  'Send {"for": "sign-up", "email": "…"} or {"for": "sign-in", "email": "…"} to ask for a link, {"token": "…"} to /portal/mail-links/confirm to use one; with "name", a text, and "terms", the address of the accepted terms, where an account is made.',
)
