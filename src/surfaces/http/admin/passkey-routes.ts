import { Elysia } from "elysia"
import { createSecret } from "../../../accounts/key.ts"
import type { AdminAccess } from "../../../admin/admin-access.ts"
import { invalid } from "../../../admin/fault.ts"
import { challengeMs, type PasskeySite } from "../../../admin/passkeys/ceremonies.ts"
import { type HttpContext, inProgress } from "../frame.ts"
import { readJsonObject } from "../read/body.ts"
import { httpLimits } from "../read/limits.ts"
import type { Exchange, IncomingApp } from "../request.ts"
import { type createRefusals, setAdminHeaders } from "./admin-problem.ts"
import type { BrowserSessions } from "./browser-sessions.ts"
import { requireOwnPage, requirePasskeySite, setSessionCookie } from "./browser-sessions.ts"
import { notSignedIn, sessionOver } from "./caller.ts"
import { challengeSchema, madeSchema } from "./passkey-input.ts"
import type { RequestRate } from "./request-rate.ts"

interface PasskeyRoutesParts {
  readonly base: IncomingApp
  readonly context: HttpContext
  readonly refuseWith: ReturnType<typeof createRefusals>
  readonly access: Pick<AdminAccess, "passkeys">
  readonly browser: BrowserSessions
  readonly rate: RequestRate
}

/** The routes by which a page of the console asks for a challenge, and adds the passkey that a browser has made. */
export function passkeyRoutes({ base, context, refuseWith, access, browser, rate }: PasskeyRoutesParts) {
  const { passkeys } = access
  const { scheduler, ports } = context.pipeline
  const intake = context.intake.limitedTo(httpLimits.passkeyBodyBytes)
  const record = context.observer.recorderFor("console.passkeys", "admin")
  const refuse = refuseWith(record)
  const hooks = {
    parse({ request }: Exchange) {
      requireOwnPage(request, context)
      return inProgress(context, () => readJsonObject(request, intake, () => scheduler.giveWay("passkeys")))
    },
  }

  async function requireSession(exchange: Exchange) {
    const found = await browser.find("console", exchange)
    if (found) return found.actor
    throw browser.cookieOf("console", exchange) ? sessionOver : notSignedIn
  }

  /** The options of a sign-in, with a challenge that only this browser can use. */
  async function signInOptions(site: PasskeySite, { request, set, incoming }: Exchange) {
    // Anyone may ask, and each challenge is a row in the store for five minutes.
    rate.take(`passkeys of ${incoming.address()}`)
    const cookie = createSecret("sessionToken", ports.random)
    const isSecure = context.isSecure(request) || site.origin.startsWith("https:")
    setSessionCookie(set, "passkey", cookie, challengeMs, isSecure)
    return passkeys.signInOptions(site, cookie)
  }

  return new Elysia({ name: "console-passkeys", normalize: false })
    .use(base)
    .onError(({ error, code, request, set, incoming }) => {
      const thrown = code === "PARSE" ? error.cause : code === "VALIDATION" ? badInput : error
      return refuse(thrown, { request, set, incoming }, null)
    })
    .post(
      "/console/session/challenge",
      ({ request, set, incoming, body }) =>
        inProgress(context, async () => {
          const exchange = { request, set, incoming }
          const site = requirePasskeySite(request, context)
          const options =
            body.for === "add"
              ? await passkeys.addOptions(await requireSession(exchange), site)
              : await signInOptions(site, exchange)
          setAdminHeaders(set, "application/json")
          record(incoming, { status: 200 })
          return JSON.stringify(options)
        }),
      {
        ...hooks,
        body: challengeSchema,
        detail: { summary: "A challenge for a passkey", tags: ["administration"] },
      },
    )
    .post(
      "/console/session/passkeys",
      ({ request, set, incoming, body }) =>
        inProgress(context, async () => {
          const actor = await requireSession({ request, set, incoming })
          const added = await passkeys.add(
            actor,
            requirePasskeySite(request, context),
            body.name,
            body.passkey as Parameters<typeof passkeys.add>[3],
          )
          setAdminHeaders(set, "application/json")
          set.status = 201
          record(incoming, { status: 201, actor: actor.id })
          return JSON.stringify(added)
        }),
      { ...hooks, body: madeSchema, detail: { summary: "Add a passkey", tags: ["administration"] } },
    )
}

const badInput = invalid(
  "body",
  'Send {"for": "sign_in"} or {"for": "add"} for a challenge, and {"name": "…", "passkey": {…}} to add the passkey that the browser made.',
)
