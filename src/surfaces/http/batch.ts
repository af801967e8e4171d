import { Elysia } from "elysia"
import type { GiveWay } from "../../apis/contract.ts"
import { answerBatch, maxInputs, type ResultWriter } from "../../call/batch.ts"
import type { PreparedApi } from "../../call/prepared-api.ts"
import { createListEncoder } from "../../encode/list-encoder.ts"
import type { RecordRequest } from "../../observe/request-record.ts"
import { createBodyWriter, toResponse } from "./answer-body.ts"
import { readJsonObject } from "./body.ts"
import { finishBody, type HttpContext, inProgress, keepConnectionOpen } from "./context.ts"
import { type DeprecationNotice, noticeOf } from "./deprecation.ts"
import type { AnswerSettings, Exchange } from "./exchange.ts"
import { negotiateFormat } from "./format.ts"
import type { incomingRequests } from "./incoming.ts"
import { parseQuery } from "./query.ts"
import { overloadOf, refuseOverload } from "./refuse.ts"
import { send, setReply } from "./reply.ts"
import { batchRouteOf } from "./route-schemas.ts"

/** `POST /v1/{api}/batch` for every API: many inputs in one JSON body. */
export function batchFeature(base: ReturnType<typeof incomingRequests>, context: HttpContext) {
  const app = new Elysia({ name: "batch" }).use(base)
  for (const api of context.apis) {
    const { id } = api.definition
    const path = `/v1/${id}/batch`
    const record = context.observer.recorderFor(id, "batch")
    const route = { api, record, notice: noticeOf(api.definition) }
    context.methods.set(path, "POST")
    app.post(
      path,
      ({ request, set, incoming }) =>
        inProgress(context, () =>
          keepConnectionOpen(request, context, () => answer({ request, set, incoming }, route, context)),
        ),
      batchRouteOf(api.definition, maxInputs),
    )
  }
  return app
}

interface BatchRoute {
  readonly api: PreparedApi
  readonly record: RecordRequest
  readonly notice: DeprecationNotice
}

async function answer(
  exchange: Exchange,
  { api, record, notice }: BatchRoute,
  context: HttpContext,
): Promise<string | Response> {
  const { request, set, incoming } = exchange
  const overload = overloadOf(context)
  if (overload) return refuseOverload(overload, exchange, record, context)
  const { format, problem, asProblem } = negotiateFormat(request, parseQuery(request.url))
  let values: Readonly<Record<string, unknown>> = {}
  const readBody = async (giveWay: GiveWay) => {
    if (problem) throw problem
    const read = await readJsonObject(request, context.intake, giveWay)
    if (notice) values = read
    return read
  }
  const list = createListEncoder(format, "results")
  const body = createBodyWriter(context)
  const writer: ResultWriter = {
    resultsPerPart: list.itemsPerPart,
    write: (results, firstIndex, giveWay) => body.add(list.items(results, firstIndex), giveWay),
    room: body.room,
  }
  const reply = await answerBatch({ api, request: incoming, readBody, writer }, context.pipeline)
  record(incoming, reply)
  await finishBody(request, set, context)
  if (reply.fault !== null) {
    body.discard()
    return send(reply, format, set, asProblem)
  }
  setReply(reply, format, set)
  if (notice) tellOf(values, notice, set)
  const { before, after } = list.frame(reply.envelope)
  return toResponse(body.end(before, after))
}

/** Looks at each input of a body, since any of them may use something deprecated. */
function tellOf(
  { inputs }: Readonly<Record<string, unknown>>,
  notice: NonNullable<DeprecationNotice>,
  set: AnswerSettings,
): void {
  for (const input of Array.isArray(inputs) ? inputs : []) {
    notice({ kind: "typed", values: Object(input) }, set)
  }
}
