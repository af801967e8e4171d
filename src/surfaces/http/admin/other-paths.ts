import { Elysia } from "elysia"
import { operations } from "../../../admin/operations.ts"
import { finishBody, type HttpContext, inProgress } from "../context.ts"
import { sameOriginOnly } from "../cross-origin.ts"
import type { Exchange } from "../exchange.ts"
import type { incomingRequests } from "../incoming.ts"
import { pathOf } from "../request-url.ts"
import { documentPath } from "./document-path.ts"
import { matching, routesOf } from "./operation-path.ts"
import { HttpProblem, problems, sendProblem, toRefusal } from "./problem.ts"

const routes = routesOf(operations)

/** Whether a request is one to the administration. */
export function isAdminUrl(url: string): boolean {
  return /^\/admin(?:\/|$)/.test(pathOf(url))
}

/** Refuses other paths below `/admin`, and other methods of the paths of operations. */
export function otherPaths(base: ReturnType<typeof incomingRequests>, context: HttpContext) {
  const refuse = createRefuser(context)
  const handle = ({ request, set, incoming }: Exchange) =>
    refuse(noOperation(request), { request, set, incoming })
  const hooks = { parse: "none", detail: { hide: true } } as const
  return new Elysia({ name: "admin-other-paths" })
    .use(base)
    .all("/admin", (exchange) => handle(exchange), hooks)
    .all("/admin/*", (exchange) => handle(exchange), hooks)
}

/** Answers what was thrown outside of an operation with a problem, and records it. */
export function createRefuser(context: HttpContext) {
  const record = context.observer.recorderFor("none", "admin")
  return async (thrown: unknown, { request, set, incoming }: Exchange): Promise<string> => {
    const refusal = toRefusal(thrown, incoming.requestId, context.pipeline.log)
    await inProgress(context, () => finishBody(request, set, context))
    record(incoming, { status: problems[refusal.code].status, fault: refusal.code })
    return sendProblem(refusal, incoming.requestId, set)
  }
}

/**
 * Answers a preflight without allowing anything: pages of other origins must not use the admin API. Undefined for other requests.
 */
export function answerPreflight({ request, set }: Exchange): Response | undefined {
  if (request.method !== "OPTIONS") return undefined
  sameOriginOnly(set)
  return new Response(null, { status: 204, headers: { allow: allowedMethods(request.url) } })
}

/**
 * Elysia takes HEAD for GET; an operation takes its own method alone.
 * @throws HttpProblem
 */
export function requireMethod(request: Request): void {
  if (request.method === "HEAD") throw noOperation(request)
}

/** The methods that a path takes, for `Allow`; empty for an unknown path. */
function allowedMethods(url: string): string {
  const path = pathOf(url)
  const methods =
    path === documentPath ? ["GET"] : matching(path, routes).map(({ operation }) => operation.method)
  return [...new Set(methods)].sort().join(", ")
}

/** What a request is refused with that is for no operation. */
export function noOperation({ url, method }: Request): HttpProblem {
  const allow = allowedMethods(url)
  // The path is not repeated: people paste keys into the wrong places.
  if (allow === "") {
    return new HttpProblem("not-found", `No such path. ${documentPath} lists the paths of the admin API.`)
  }
  return new HttpProblem("method-not-allowed", `This path takes ${allow}, not ${method}.`, { allow })
}
