import { Elysia } from "elysia"
import { AdminFault } from "../../../admin/fault.ts"
import type { Sessions } from "../../../admin/sessions/sessions.ts"
import type { GiveWay } from "../../../apis/contract.ts"
import type { RawInput } from "../../../call/input.ts"
import { toReply } from "../../../call/pipeline.ts"
import { answerCall } from "../../../call/single.ts"
import { readJsonObject } from "../body.ts"
import { finishBody, type HttpContext, inProgress, overloadOf } from "../context.ts"
import { noticeOf } from "../deprecation.ts"
import { negotiateFormat } from "../format.ts"
import type { Exchange } from "../incoming.ts"
import { parseQuery } from "../query.ts"
import { createPreparedHeaders, send, sendFault, sendMetered } from "../reply.ts"
import { setAdminHeaders } from "./admin-problem.ts"
import type { OperationParts } from "./operation-feature.ts"
import { portalRoot } from "./operation-routes.ts"

interface PortalCallParts extends Pick<OperationParts, "base" | "context" | "refuseWith" | "requireActor"> {
  readonly sessions: Sessions
}

/**
 * The calls that a page of this service makes for a customer who is signed in: the pipeline of a REST call, with the session
 * instead of the key. All are POST, since they cost credits: so each needs a page of this service and the CSRF token. The
 * parameters of a GET API are in the query.
 */
export function portalCallRoutes(parts: PortalCallParts) {
  const { base, context, refuseWith, requireActor, sessions } = parts
  const { apis, observer } = context
  // Their own: pages of other origins may read the answers of REST, but not these.
  const answerParts = { ...context, prepared: createPreparedHeaders() }
  const app = new Elysia({ name: "portal-calls", normalize: false })
    .use(base)
    .derive(async ({ request, set, incoming }) => ({ actor: await requireActor({ request, set, incoming }) }))
  for (const api of apis) {
    const { id, method, title } = api.definition
    const record = observer.recorderFor(id, "portal")
    const notice = noticeOf(api.definition)
    const refuse = refuseWith(record)

    async function call(exchange: Exchange, keyHash: string): Promise<string | Response> {
      const { request, set, incoming } = exchange
      const overload = overloadOf(context)
      if (overload) {
        record(incoming, toReply(overload))
        await finishBody(request, set, context)
        return sendFault(overload, request, set)
      }
      const query = parseQuery(request.url)
      const { format, problem, asProblem } = negotiateFormat(request, query)
      let given: RawInput = query
      const read = async (giveWay: GiveWay) => {
        if (problem) throw problem
        if (method !== "GET") given = await readBody(request, context, giveWay)
        return given
      }
      const reply = await answerCall({ api, request: { ...incoming, keyHash }, read }, context.pipeline)
      record(incoming, reply)
      setAdminHeaders(set, "application/json")
      if (reply.fault !== null) return send(reply, format, set, asProblem)
      notice?.(given, set)
      return sendMetered(reply, format, set, answerParts)
    }

    app.post(
      `${portalRoot}/calls/${id}`,
      ({ request, set, incoming, actor }) =>
        inProgress(context, async () => {
          const keyHash = await sessions.findCallKey(actor, incoming.address(), id)
          if (keyHash === null) throw noKey
          return call({ request, set, incoming }, keyHash)
        }),
      {
        parse: "none",
        detail: { summary: `Call ${title} from a page of the portal`, tags: ["administration"] },
        error: ({ error, request, set, incoming, actor }) =>
          refuse(error, { request, set, incoming }, actor ?? null),
      },
    )
  }
  return app
}

async function readBody(request: Request, { intake }: HttpContext, giveWay: GiveWay): Promise<RawInput> {
  return { kind: "typed", values: await readJsonObject(request, intake, giveWay) }
}

const noKey = new AdminFault(
  "forbidden",
  "Your account has no API key that you may call with. Create one under Keys.",
)
