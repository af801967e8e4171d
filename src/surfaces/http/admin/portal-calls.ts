import { Elysia } from "elysia"
import { forbidden } from "../../../admin/fault.ts"
import type { Sessions } from "../../../admin/sessions/sessions.ts"
import { meteredRoutes } from "../metered.ts"
import { createPreparedHeaders } from "../reply/headers.ts"
import type { Exchange } from "../request.ts"
import { singleAnswerer } from "../rest.ts"
import { bodySchema, querySchema } from "../route-schemas.ts"
import type { OperationParts } from "./operation-feature.ts"
import { prefixes } from "./operation-routes.ts"

interface PortalCallParts extends Pick<OperationParts, "base" | "context" | "refuseWith" | "requireActor"> {
  readonly sessions: Sessions
}

/**
 * The calls that a page of this service makes for a customer who is signed in: those of REST, with the session instead of the
 * key. All are POST, since they cost credits: so each needs a page of this service and the CSRF token. The parameters of a GET
 * API are in the query.
 */
export function portalCallRoutes({ base, context, refuseWith, requireActor, sessions }: PortalCallParts) {
  // Their own: pages of other origins may read the answers of REST, but not these.
  const own = { ...context, prepared: createPreparedHeaders() }
  const app = new Elysia({ name: "portal-calls", normalize: false }).use(meteredRoutes(base, own))
  for (const api of context.apis) {
    const { id, method, title, input } = api.definition
    const record = context.observer.recorderFor(id, "portal")
    const refuse = refuseWith(record)
    const readsQuery = method === "GET"
    const answer = singleAnswerer(api, own)
    const session = {
      async identify(exchange: Exchange) {
        const { incoming, set } = exchange
        const actor = await requireActor(exchange)
        const keyHash = await sessions.findCallKey(actor, incoming.address(), id)
        if (keyHash === null) throw noKey
        set.headers["cache-control"] = "no-store"
        return { ...incoming, keyHash }
      },
      refuse: (thrown: unknown, exchange: Exchange) => refuse(thrown, exchange, null),
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
