import { Elysia } from "elysia"
import type { AdminAccess } from "../../../admin/admin-access.ts"
import type { HttpContext } from "../frame.ts"
import { sameOriginOnly } from "../reply/headers.ts"
import { type Exchange, type IncomingApp, pathOf } from "../request.ts"
import type { AdministrationApp, ServiceAbout } from "./administration-app.ts"
import { documentPath, prefixes } from "./operation-routes.ts"

/**
 * The operations and sessions of operators and customers, without the pages. It is an app of its own that is made with the first
 * request: most services get none after a start, which would take a third longer. Null when an app serves none of it.
 * @param parts `admin` is for operators: the admin API, and the sessions of the console; null when it is elsewhere or off.
 *   `portal` is for customers: the portal's API and sessions; null when it is off
 */
export function createAdminFeature(
  base: IncomingApp,
  context: HttpContext,
  { admin, portal }: Readonly<Record<"admin" | "portal", AdminAccess | null>>,
  service: ServiceAbout,
) {
  const access = admin ?? portal
  if (access === null) return null
  const scope = { admin: admin !== null, portal: portal !== null }
  const paths = [admin && prefixes.console, portal && prefixes.portal].flatMap((starts) =>
    Object.values(starts ?? {}),
  )
  let loading: Promise<AdministrationApp> | undefined

  /**
   * Answers a request below its paths. Pages of other origins must not read the answer.
   * @param thrown refuses the request, for what the outer app threw before a route was found
   */
  async function answer(exchange: Exchange, thrown?: unknown): Promise<Response> {
    loading ??= load(access as AdminAccess)
    const administration = await loading
    sameOriginOnly(exchange.set)
    return administration.answer(exchange, thrown)
  }

  async function load(served: AdminAccess): Promise<AdministrationApp> {
    // Others have their turns before the rest is loaded: all in one would hold them up for 30 ms.
    await import("../../../admin/operations.ts")
    await context.pipeline.ports.timer.turn()
    const { createAdministrationApp } = await import("./administration-app.ts")
    return createAdministrationApp(context, served, scope, service)
  }

  return {
    app: routesTo(answer, base, paths),
    /** Whether a URL is below its paths. */
    serves(url: string) {
      const path = pathOf(url)
      return paths.some((start) => path === start || path.startsWith(`${start}/`))
    },
    answer,
  }
}

function routesTo(
  answer: (exchange: Exchange) => Promise<Response>,
  base: IncomingApp,
  paths: readonly string[],
) {
  const detail = {
    summary: `The admin API, which ${documentPath} describes, and what the console and the portal use`,
    tags: ["administration"],
  }
  const hooks = { parse: "none", detail } as const
  const app = new Elysia({ name: "admin" }).use(base)
  const handle = ({ request, set, incoming }: Exchange) => answer({ request, set, incoming })
  // Elysia prefers a route of the method, such as that of the pages below /portal, to one of all methods.
  for (const path of paths.flatMap((start) => [start, `${start}/*`]))
    app.get(path, handle, hooks).all(path, handle, hooks)
  return app
}
