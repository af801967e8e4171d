import { Elysia } from "elysia"
import type { GiveWay } from "../../apis/contract.ts"
import type { RawInput } from "../../call/input.ts"
import type { PreparedApi } from "../../call/prepared-api.ts"
import { answerCall } from "../../call/single.ts"
import type { RecordRequest } from "../../observe/request-record.ts"
import { readJsonObject } from "./body.ts"
import { finishBody, type HttpContext } from "./context.ts"
import { type DeprecationNotice, noticeOf } from "./deprecation.ts"
import type { Exchange } from "./exchange.ts"
import { negotiateFormat } from "./format.ts"
import type { incomingRequests } from "./incoming.ts"
import { MethodNotAllowed } from "./paths.ts"
import { parseQuery } from "./query.ts"
import { overloadOf, refuseOverload } from "./refuse.ts"
import { send, sendMetered } from "./reply.ts"
import { routeOf } from "./route-schemas.ts"

/** The APIs of the catalog, each on its own path: `GET` with a query string, or `POST` with a JSON body. */
export function restFeature(base: ReturnType<typeof incomingRequests>, context: HttpContext) {
  const app = new Elysia({ name: "rest" }).use(base)
  for (const api of context.apis) {
    const { id, method } = api.definition
    const path = `/v1/${id}`
    const record = context.observer.recorderFor(id, "rest")
    const notice = noticeOf(api.definition)
    context.methods.set(path, method)
    app.route(
      method,
      path,
      ({ request, set, incoming }) => answer({ request, set, incoming }, { api, record, notice }, context),
      routeOf(api.definition),
    )
  }
  return app
}

interface RestRoute {
  readonly api: PreparedApi
  readonly record: RecordRequest
  readonly notice: DeprecationNotice
}

async function answer(
  exchange: Exchange,
  { api, record, notice }: RestRoute,
  context: HttpContext,
): Promise<string | Response> {
  const { request, set, incoming } = exchange
  const { method } = api.definition
  if (request.method !== method) throw new MethodNotAllowed(request.method, method)
  context.calls.begin()
  try {
    const overload = overloadOf(context)
    if (overload) return await refuseOverload(overload, exchange, record, context)
    const query = parseQuery(request.url)
    const negotiated = negotiateFormat(request, query)
    let input: RawInput | null = null
    const read = (giveWay: GiveWay) => {
      if (negotiated.problem) throw negotiated.problem
      if (method === "GET") return query
      const reading = readFromBody(request, context, giveWay)
      return notice === null ? reading : reading.then(keep)
    }
    const keep = (values: RawInput) => {
      input = values
      return values
    }
    const reply = await answerCall({ api, request: incoming, read }, context.pipeline)
    record(incoming, reply)
    if (method === "POST" && !request.bodyUsed) await finishBody(request, set, context)
    if (context.closing.isBegun) set.headers.connection = "close"
    if (reply.fault !== null) return send(reply, negotiated.format, set, negotiated.asProblem)
    notice?.(method === "GET" ? query : input, set)
    const sent = sendMetered(reply, negotiated.format, set, context)
    return sent instanceof Promise ? await sent : sent
  } finally {
    context.calls.end()
  }
}

async function readFromBody(request: Request, { intake }: HttpContext, giveWay: GiveWay): Promise<RawInput> {
  return { kind: "typed", values: await readJsonObject(request, intake, giveWay) }
}
