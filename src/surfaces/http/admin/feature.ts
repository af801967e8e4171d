import { Elysia } from "elysia"
import type { AdminAccess } from "../../../admin/admin-access.ts"
import type { HttpContext } from "../context.ts"
import type { Exchange } from "../exchange.ts"
import type { incomingRequests } from "../incoming.ts"
import { pathOf } from "../request-url.ts"
import type { AdminHttp } from "./admin-http.ts"

/** Thrown for a preflight, whose answer has to wait until the admin API is loaded: only error handlers can wait at that place. */
export class AdminPreflight extends Error {
  override readonly name = "AdminPreflight"
}

/** What an app serves of the administration. */
export interface AdminScope {
  /** For operators: the admin API, and the sessions of the console. Null when it is elsewhere or off. */
  readonly admin: AdminAccess | null
  /** For customers: the portal's API and sessions. Null when it is off. */
  readonly portal: AdminAccess | null
}

/** The admin API and the portal's within an app. */
export interface AdminFeature {
  readonly app: ReturnType<typeof routesOf>
  /** Whether a request is one to it. */
  serves(url: string): boolean
  /** Answers what was thrown for such a request outside of an operation. Undefined is for a path or method without a route. */
  answerThrown(thrown: unknown, exchange: Exchange): Promise<string | Response>
}

const adminPaths = ["/admin", "/admin/*", "/console/session"]
const portalPaths = ["/portal/v1", "/portal/v1/*", "/portal/session"]

/**
 * Everything that signed-in people and their programs reach, but for pages. Its operations are loaded with the first request, since
 * most starts of a service serve none of them and would take a third longer. Null when an app serves none of it.
 */
export function createAdminFeature(
  base: ReturnType<typeof incomingRequests>,
  context: HttpContext,
  { admin, portal }: AdminScope,
  version: string,
): AdminFeature | null {
  const access = admin ?? portal
  if (access === null) return null
  let loading: Promise<AdminHttp> | undefined

  function load(from: AdminAccess): Promise<AdminHttp> {
    loading ??= import("./admin-http.ts").then(({ createAdminHttp }) =>
      createAdminHttp(context, from, { admin: admin !== null, portal: portal !== null }, version),
    )
    return loading
  }

  return {
    app: routesOf(base, [...(admin ? adminPaths : []), ...(portal ? portalPaths : [])], async (exchange) =>
      (await load(access)).answer(exchange),
    ),
    serves(url) {
      const path = pathOf(url)
      if (admin && /^\/(?:admin(?:\/|$)|console\/session\/?$)/.test(path)) return true
      return portal !== null && /^\/portal\/(?:v1(?:\/|$)|session\/?$)/.test(path)
    },
    async answerThrown(thrown, exchange) {
      const http = await load(access)
      return thrown instanceof AdminPreflight ? http.answerPreflight(exchange) : http.refuse(thrown, exchange)
    },
  }
}

function routesOf(
  base: ReturnType<typeof incomingRequests>,
  paths: readonly string[],
  answer: (exchange: Exchange) => Promise<string | Response | Uint8Array | null>,
) {
  const detail = {
    summary: "The admin API, which /admin/openapi.json describes, and what the console and the portal use",
    tags: ["administration"],
  }
  const hooks = { parse: "none", detail } as const
  const app = new Elysia({ name: "admin" }).use(base)
  const handle = ({ request, set, incoming }: Exchange) => answer({ request, set, incoming })
  // Elysia prefers a route of the method, such as that of the pages below /portal, to one of all methods.
  for (const path of paths) app.get(path, handle, hooks).all(path, handle, hooks)
  return app
}
