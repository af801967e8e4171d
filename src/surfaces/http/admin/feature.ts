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

/** The admin API within an app. */
export interface AdminFeature {
  readonly app: ReturnType<typeof routesOf>
  /** Answers what was thrown for a request to `/admin` outside of an operation. Undefined is for a path or method without a route. */
  answerThrown(thrown: unknown, exchange: Exchange): Promise<string | Response>
}

/** Whether a request is one to the administration. */
export function isAdminUrl(url: string): boolean {
  return /^\/admin(?:\/|$)/.test(pathOf(url))
}

/**
 * Everything under `/admin`. Its operations are loaded with the first request, since most starts of a service serve none of them
 * and would take a third longer.
 */
export function createAdminFeature(
  base: ReturnType<typeof incomingRequests>,
  context: HttpContext,
  access: AdminAccess,
  version: string,
): AdminFeature {
  let loading: Promise<AdminHttp> | undefined

  function load(): Promise<AdminHttp> {
    loading ??= import("./admin-http.ts").then(({ createAdminHttp }) =>
      createAdminHttp(context, access, version),
    )
    return loading
  }

  return {
    app: routesOf(base, async (exchange) => (await load()).answer(exchange)),
    async answerThrown(thrown, exchange) {
      const http = await load()
      return thrown instanceof AdminPreflight ? http.answerPreflight(exchange) : http.refuse(thrown, exchange)
    },
  }
}

function routesOf(
  base: ReturnType<typeof incomingRequests>,
  answer: (exchange: Exchange) => Promise<string | Response | Uint8Array | null>,
) {
  const detail = {
    summary: "The admin API, which /admin/openapi.json describes",
    tags: ["administration"],
  }
  const hooks = { parse: "none", detail } as const
  return new Elysia({ name: "admin" })
    .use(base)
    .all("/admin", ({ request, set, incoming }) => answer({ request, set, incoming }), hooks)
    .all("/admin/*", ({ request, set, incoming }) => answer({ request, set, incoming }), hooks)
}
