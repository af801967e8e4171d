import { crossOrigin } from "./cross-origin.ts"
import type { createFrame } from "./frame.ts"
import { meteredRoutes } from "./metered.ts"
import { createListeningApp } from "./request.ts"

/**
 * The app to which metered features add their routes. They are no instances of their own: Elysia would add each route twice, once
 * to the instance and once to this app, and there are two for each API.
 */
export type ServiceApp = ReturnType<typeof createServiceApp>

/** Makes the app of the service, without routes. Any page may call it. */
export function createServiceApp({ base, begin, context, headers }: ReturnType<typeof createFrame>) {
  return createListeningApp(begin)
    .headers(headers)
    .use(base)
    .use(crossOrigin())
    .use(meteredRoutes(base, context))
}
