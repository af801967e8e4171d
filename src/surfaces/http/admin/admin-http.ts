import type { AdminAccess } from "../../../admin/admin-access.ts"
import { operations } from "../../../admin/operations.ts"
import { printAdminOpenApi } from "../../openapi/admin/document.ts"
import { finishBody, type HttpContext, inProgress } from "../context.ts"
import { sameOriginOnly } from "../cross-origin.ts"
import type { Exchange } from "../exchange.ts"
import { pathOf } from "../request-url.ts"
import { createResource } from "../resource.ts"
import { type AnswerParts, answerOperation } from "./answer-operation.ts"
import { documentPath } from "./document-path.ts"
import { allowedMethods, noOperation, routeFor, routes } from "./paths.ts"
import { problems, sendProblem, toRefusal } from "./problem.ts"
import { createRequestRate, unlimitedRate } from "./request-rate.ts"
import { createSignInFailures, unlimitedFailures } from "./sign-in-failures.ts"

/** What answers requests to `/admin`. */
export interface AdminHttp {
  answer(exchange: Exchange): Promise<string | Response | Uint8Array | null>
  /** Answers a preflight without allowing anything: pages of other origins must not use the admin API. */
  answerPreflight(exchange: Exchange): Response
  /** Answers what was thrown outside of an operation with a problem, and records it. Undefined: there is no such route. */
  refuse(thrown: unknown, exchange: Exchange): Promise<string>
}

/** Counts of failed sign-ins and of requests: they go on when the app is replaced because the configuration changed. */
const guardsOf = new WeakMap<AdminAccess, Pick<AnswerParts, "failures" | "rate">>()

/** Every operation of the administration under `/admin/v1`, and the document that describes them. */
export function createAdminHttp(context: HttpContext, access: AdminAccess, version: string): AdminHttp {
  const { observer, pipeline } = context
  const { clock, timer } = pipeline.ports
  const guards = guardsOf.get(access) ?? {
    // The clock of a test double stands still.
    failures: context.strict ? createSignInFailures({ clock, timer }) : unlimitedFailures,
    rate: context.strict ? createRequestRate(clock) : unlimitedRate,
  }
  guardsOf.set(access, guards)
  const parts: AnswerParts = { ...access, ...guards, context, log: pipeline.log }
  const records = new Map(routes.map((route) => [route, observer.recorderFor(route.operation.id, "admin")]))
  const recordOther = observer.recorderFor("none", "admin")
  const answerDocument = createDocument(context, version)

  async function refuse(thrown: unknown, { request, set, incoming }: Exchange): Promise<string> {
    const error = thrown === undefined ? noOperation(request) : thrown
    const refusal = toRefusal(error, incoming.requestId, pipeline.log)
    await inProgress(context, () => finishBody(request, set, context))
    recordOther(incoming, { status: problems[refusal.code].status, fault: refusal.code })
    return sendProblem(refusal, incoming.requestId, set)
  }

  return {
    async answer(exchange) {
      const { method, url } = exchange.request
      const path = pathOf(url)
      if (path === documentPath && (method === "GET" || method === "HEAD")) return answerDocument(exchange)
      const route = routeFor(method, path)
      const record = route && records.get(route)
      return record ? answerOperation(exchange, route, record, parts) : refuse(undefined, exchange)
    },
    answerPreflight({ request, set }) {
      sameOriginOnly(set)
      return new Response(null, { status: 204, headers: { allow: allowedMethods(request.url) } })
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
