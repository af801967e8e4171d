import { Elysia } from "elysia"
import type { AdminAccess } from "../../../admin/admin-access.ts"
import { forbidden } from "../../../admin/fault.ts"
import { operations } from "../../../admin/operations.ts"
import type { Sessions } from "../../../admin/sessions/sessions.ts"
import type { Fault } from "../../../call/fault.ts"
import { printAdminOpenApi } from "../../openapi/admin/document.ts"
import type { HttpContext } from "../frame.ts"
import { meteredRoutes } from "../metered.ts"
import { createPreparedHeaders } from "../reply/headers.ts"
import {
  type Exchange,
  type IncomingApp,
  incomingRequests,
  methodsAt,
  pathOf,
  refusalOfPath,
} from "../request.ts"
import { createResource, type Resource } from "../resource.ts"
import { bodySchema, querySchema, singleAnswerer } from "../rest.ts"
import { createRefusals } from "./admin-problem.ts"
import { createBrowserSessions } from "./browser-sessions.ts"
import { requireOperator, requireSession } from "./caller.ts"
import { mailLinkRoutes } from "./mail-link-routes.ts"
import { type OperationParts, operationRoutes, routesInTurn } from "./operation-feature.ts"
import { documentPath, prefixes, routesOf } from "./operation-routes.ts"
import { passkeyRoutes } from "./passkey-routes.ts"
import { createRequestRate, type RequestRate, unlimitedRate } from "./request-rate.ts"
import { sessionRoutes } from "./session-routes.ts"
import { createSignInFailures, type SignInFailures, unlimitedFailures } from "./sign-in-failures.ts"

/** Answers requests to the administration, and those of customers in the portal. */
export type AdministrationApp = Awaited<ReturnType<typeof createAdministrationApp>>

/** The service's title and version, for the document. */
export interface ServiceAbout {
  readonly title: string
  readonly version: string
}

interface Guards {
  readonly failures: SignInFailures
  readonly rate: RequestRate
}

/** Failed sign-ins and requests are counted on when a changed configuration replaces the app. */
const guardsOf = new WeakMap<AdminAccess, Guards>()

/**
 * The administration as an Elysia app: the operations under `/admin/v1`, and those for customers under
 * `/portal/v1`; the sessions of both; the document that describes the first. It gets its requests from the app that listens,
 * which has opened them and sets the headers of every answer. It is made in several turns of the event loop, since a stranger's
 * first request would otherwise hold up others for 50 ms.
 */
export async function createAdministrationApp(
  context: HttpContext,
  access: AdminAccess,
  scope: { readonly admin: boolean; readonly portal: boolean },
  service: ServiceAbout,
) {
  const { observer, pipeline } = context
  const { turn } = pipeline.ports.timer
  await turn()
  const guards = guardsFor(access, context)
  const browser = createBrowserSessions(access.sessions, context, guards.rate)
  const callers = { ...access, ...guards, browser, log: pipeline.log }
  const opened = new WeakMap<Request, { readonly incoming: Exchange["incoming"]; readonly thrown: unknown }>()
  const recordPreflight = observer.recorderFor("none", "unkeyed")

  const refusalsOf = createRefusals(context)
  const sendRefusal = refusalsOf(observer.recorderFor("none", "admin"))

  function allowedMethods({ url }: Request): string {
    const path = pathOf(url).replace(/\/$/, "")
    return methodsAt(path, app.routes).toSorted().join(", ")
  }

  function noAdminRoute(request: Request): Fault {
    return refusalOfPath(request.method, allowedMethods(request), () =>
      /^\/portal(?:\/|$)/.test(pathOf(request.url))
        ? "Open the portal at /portal."
        : `${documentPath} lists the paths of the admin API.`,
    )
  }

  const base = incomingRequests(
    (request) => {
      const { incoming } = opened.get(request) ?? {}
      if (!incoming) throw new Error("the administration answers only what an outer app has opened")
      return incoming
    },
    ({ request, incoming }) => {
      const { thrown } = opened.get(request) ?? {}
      if (thrown !== undefined) throw thrown
      if (request.method === "OPTIONS") {
        recordPreflight(incoming, { status: 204 })
        // Nothing is allowed: pages of other origins must not use it.
        return new Response(null, { status: 204, headers: { allow: allowedMethods(request) } })
      }
      // Elysia would run the operation of a GET.
      if (request.method === "HEAD" && pathOf(request.url) !== documentPath) throw noAdminRoute(request)
    },
  )
  const app = new Elysia({ name: "administration", normalize: false }).use(base)
  const parts = { base, context, refusalsOf, administration: access.administration }
  const browserParts = { ...parts, ...guards, access, browser }
  if (scope.admin) {
    const forOperators = (exchange: Exchange) => requireOperator(exchange, callers)
    app.use(await operationRoutes(routesOf(operations), "admin", { ...parts, requireActor: forOperators }))
    await turn()
    app.use(sessionRoutes("console", browserParts))
    app.use(passkeyRoutes(browserParts))
    app.use(documentRoutes(base, context, service))
  }
  if (scope.portal) {
    const forCustomers = (exchange: Exchange) => requireSession(exchange, callers)
    const offered = operations.filter(({ portal }) => portal !== undefined)
    app.use(
      await operationRoutes(routesOf(offered, prefixes.portal.operations), "portal", {
        ...parts,
        requireActor: forCustomers,
      }),
    )
    const forCalls = (exchange: Exchange) => requireSession(exchange, callers, { isCall: true })
    app.use(await portalCallRoutes({ ...parts, requireActor: forCalls, sessions: access.sessions }))
    app.use(sessionRoutes("portal", browserParts))
    app.use(mailLinkRoutes(browserParts))
  }
  await turn()
  // After the routes: each refuses what it throws itself.
  app.onError(({ error, code, request, set, incoming }) =>
    sendRefusal(code === "NOT_FOUND" ? noAdminRoute(request) : error, { request, set, incoming }, null),
  )
  return {
    /** @param thrown refuses the request, for what an outer app threw before it found a route */
    async answer({ request, incoming }: Exchange, thrown?: unknown): Promise<Response> {
      opened.set(request, { incoming, thrown })
      return app.fetch(request)
    },
  }
}

function guardsFor(access: AdminAccess, { strict, pipeline }: HttpContext): Guards {
  const { clock, timer } = pipeline.ports
  return guardsOf.getOrInsertComputed(access, () => ({
    // The clock of a mock stands still.
    failures: strict ? createSignInFailures({ clock, timer }) : unlimitedFailures,
    rate: strict ? createRequestRate(clock) : unlimitedRate,
  }))
}

/** The document needs no key: it tells nothing about this installation. */
function documentRoutes(base: IncomingApp, { apis, observer }: HttpContext, service: ServiceAbout) {
  const record = observer.recorderFor("none", "unkeyed")
  const apiIds = apis.map(({ definition }) => definition.id)
  const document = createResource({
    headers: { "content-type": "application/json" },
    read: () => printAdminOpenApi({ operations, apiIds, ...service }),
  })
  const answer = async ({ request, set, incoming }: Exchange): ReturnType<Resource> => {
    const bytes = await document(request, set)
    record(incoming, { status: Number(set.status ?? 200) })
    return bytes
  }
  const hooks = { detail: { operationId: "openapi", summary: "This document", tags: ["document"] } }
  // The outer app takes the length of the answer to HEAD from the bytes.
  return new Elysia({ name: "admin-document" })
    .use(base)
    .get(documentPath, answer, hooks)
    .head(documentPath, answer, hooks)
}

interface PortalCallParts extends Pick<OperationParts, "base" | "context" | "refusalsOf" | "requireActor"> {
  readonly sessions: Sessions
}

/**
 * The calls that a page of this service makes for a customer who is signed in: those of REST, with the session instead of the
 * key. All are POST, since they cost credits: so each needs a page of this service and the CSRF token. The parameters of a GET
 * API are in the query.
 */
async function portalCallRoutes({ base, context, refusalsOf, requireActor, sessions }: PortalCallParts) {
  // Their own: pages of other origins may read the answers of REST, but not these.
  const own = { ...context, prepared: createPreparedHeaders() }
  const app = new Elysia({ name: "portal-calls", normalize: false }).use(meteredRoutes(base, own))
  for (const [index, api] of context.apis.entries()) {
    if (index % routesInTurn === 0) await context.pipeline.ports.timer.turn()
    const { id, method, title, input } = api.definition
    const record = context.observer.recorderFor(id, "portal")
    const sendRefusal = refusalsOf(record)
    const readsQuery = method === "GET"
    const answer = singleAnswerer(api, own)
    const session = {
      async identify(exchange: Exchange) {
        const { incoming, set } = exchange
        const actor = await requireActor(exchange)
        const secretHash = await sessions.findCallKey(actor, incoming.address(), id)
        if (secretHash === null) throw noKey
        set.headers["cache-control"] = "no-store"
        return { ...incoming, secretHash }
      },
      sendRefusal: (thrown: unknown, exchange: Exchange) => sendRefusal(thrown, exchange, null),
    }
    app.post(
      `${prefixes.portal.operations}/calls/${id}`,
      ({ request, set, incoming, call, body }) => answer({ request, set, incoming, call }, body),
      {
        metered: { method: "POST", apis: [id], record, readsQuery, session },
        body: readsQuery ? querySchema(() => input, api.readInput) : bodySchema(api),
        detail: { summary: `Call ${title} from a page of the portal`, tags: ["administration"] },
      },
    )
  }
  return app
}

const noKey = forbidden("Your account has no API key that you may call with. Create one under Keys.")
