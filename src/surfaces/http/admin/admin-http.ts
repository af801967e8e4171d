import type { AdminAccess } from "../../../admin/admin-access.ts"
import { operations } from "../../../admin/operations.ts"
import { printAdminOpenApi } from "../../openapi/admin/document.ts"
import { finishBody, type HttpContext, inProgress } from "../context.ts"
import { sameOriginOnly } from "../cross-origin.ts"
import type { Exchange } from "../exchange.ts"
import { pathOf } from "../request-url.ts"
import { createResource } from "../resource.ts"
import { type AnswerParts, answerOperation } from "./answer-operation.ts"
import { createBrowserSessions } from "./browser-sessions.ts"
import { requireCustomer, requireOperator } from "./caller.ts"
import { documentPath } from "./document-path.ts"
import { portalRoot, routesOf } from "./operation-path.ts"
import { allowedMethods, noOperation, type Routes, routeFor, routesAt } from "./paths.ts"
import { problems, sendProblem, toRefusal } from "./problem.ts"
import { createRequestRate, type RequestRate, unlimitedRate } from "./request-rate.ts"
import { createSessionHttp } from "./session-http.ts"
import { createSignInFailures, type SignInFailures, unlimitedFailures } from "./sign-in-failures.ts"

/** What answers requests to the administration, and those of customers in the portal. */
export interface AdminHttp {
  answer(exchange: Exchange): Promise<string | Response | Uint8Array | null>
  /** Answers a preflight without allowing anything: pages of other origins must not use it. */
  answerPreflight(exchange: Exchange): Response
  /** Answers what was thrown outside of an operation with a problem, and records it. Undefined: there is no such route. */
  refuse(thrown: unknown, exchange: Exchange): Promise<string>
}

interface Guards {
  readonly failures: SignInFailures
  readonly rate: RequestRate
}

/** Counts of failed sign-ins and of requests: they go on when the app is replaced because the configuration changed. */
const guardsOf = new WeakMap<AdminAccess, Guards>()

/** Operators reach every operation, customers those that are meant for them. */
const adminRoutes = routesOf(operations)
const portalRoutes = routesOf(
  operations.filter(({ portal }) => portal !== undefined),
  portalRoot,
)

/** The operations under `/admin/v1` and `/portal/v1`, the sessions of both, and the document that describes the first. */
export function createAdminHttp(
  context: HttpContext,
  access: AdminAccess,
  serves: { readonly admin: boolean; readonly portal: boolean },
  version: string,
): AdminHttp {
  const known: Routes = {
    admin: serves.admin ? adminRoutes : null,
    portal: serves.portal ? portalRoutes : null,
  }
  const { observer, pipeline } = context
  const { clock, timer } = pipeline.ports
  const { log } = pipeline
  const guards: Guards = guardsOf.get(access) ?? {
    // The clock of a test double stands still.
    failures: context.strict ? createSignInFailures({ clock, timer }) : unlimitedFailures,
    rate: context.strict ? createRequestRate(clock) : unlimitedRate,
  }
  guardsOf.set(access, guards)
  const { administration, sessions } = access
  const browser = createBrowserSessions(sessions, context, guards.rate)
  const callers = { ...access, ...guards, browser, log }
  const forOperators: AnswerParts = {
    ...{ administration, context },
    requireActor: (exchange) => requireOperator(exchange, callers),
  }
  const forCustomers: AnswerParts = {
    ...{ administration, context },
    requireActor: (exchange) => requireCustomer(exchange, callers),
  }
  const records = new Map([
    ...adminRoutes.map((route) => [route, observer.recorderFor(route.operation.id, "admin")] as const),
    ...portalRoutes.map((route) => [route, observer.recorderFor(route.operation.id, "portal")] as const),
  ])
  const recordOther = observer.recorderFor("none", "admin")
  const answerDocument = createDocument(context, version)
  const answerSession = createSessionHttp(context, { access, browser, ...guards })

  async function refuse(thrown: unknown, { request, set, incoming }: Exchange): Promise<string> {
    const error = thrown === undefined ? noOperation(request, known) : thrown
    const refusal = toRefusal(error, incoming.requestId, log)
    await inProgress(context, () => finishBody(request, set, context))
    recordOther(incoming, { status: problems[refusal.code].status, fault: refusal.code })
    return sendProblem(refusal, incoming.requestId, set)
  }

  return {
    async answer(exchange) {
      const { method, url } = exchange.request
      const path = pathOf(url)
      if (path === "/console/session") return answerSession("console", exchange)
      if (path === "/portal/session") return answerSession("portal", exchange)
      if (path === documentPath && (method === "GET" || method === "HEAD")) return answerDocument(exchange)
      const routes = routesAt(path, known)
      const route = routes && routeFor(method, path, routes)
      const record = route && records.get(route)
      if (!record) return refuse(undefined, exchange)
      return answerOperation(exchange, route, record, routes === portalRoutes ? forCustomers : forOperators)
    },
    answerPreflight({ request, set }) {
      sameOriginOnly(set)
      const allow = allowedMethods(request.url, known)
      return new Response(null, { status: 204, headers: { allow } })
    },
    refuse,
  }
}

/** The document needs no key: it says nothing of this installation. */
function createDocument({ observer }: HttpContext, version: string) {
  const record = observer.recorderFor("none", "unkeyed")
  const document = createResource({
    headers: { "content-type": "application/json" },
    read: async () => new TextEncoder().encode(printAdminOpenApi({ operations, version })),
  })
  return async ({ request, set, incoming }: Exchange): Promise<Uint8Array | null> => {
    sameOriginOnly(set)
    const bytes = await document(request, set)
    record(incoming, { status: Number(set.status ?? 200) })
    return bytes
  }
}
