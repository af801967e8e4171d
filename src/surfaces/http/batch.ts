import { Elysia } from "elysia"
import { answerBatch, maxInputs } from "../../call/batch.ts"
import type { Reply } from "../../call/pipeline.ts"
import type { PreparedApi } from "../../call/prepared-api.ts"
import type { Format } from "../../encode/formats.ts"
import { encodeInParts } from "../../encode/parts.ts"
import type { RecordRequest } from "../../observe/request.ts"
import { readJsonObject } from "./body.ts"
import { finishBody, type HttpContext, inProgress, isFull, patiently } from "./context.ts"
import type { Exchange } from "./exchange.ts"
import { negotiateFormat } from "./format.ts"
import type { incomingRequests } from "./incoming.ts"
import { parseQuery } from "./query.ts"
import { refuseOverload } from "./refuse.ts"
import { send } from "./reply.ts"
import { batchRouteOf } from "./route-schemas.ts"

/** `POST /v1/{api}/batch` for every API: many inputs in one JSON body. */
export function batchFeature(base: ReturnType<typeof incomingRequests>, context: HttpContext) {
  const app = new Elysia({ name: "batch" }).use(base)
  for (const api of context.apis) {
    const { id } = api.definition
    const path = `/v1/${id}/batch`
    const record = context.observer.recorderFor(id, "batch")
    context.methods.set(path, "POST")
    app.post(
      path,
      ({ request, set, incoming }) =>
        inProgress(context, () =>
          patiently(request, context, () => answer({ request, set, incoming }, api, record, context)),
        ),
      batchRouteOf(api.definition, maxInputs),
    )
  }
  return app
}

async function answer(
  exchange: Exchange,
  api: PreparedApi,
  record: RecordRequest,
  context: HttpContext,
): Promise<string | Response> {
  const { request, set, incoming } = exchange
  if (isFull(context)) return refuseOverload(exchange, record, context)
  const { format, problem } = negotiateFormat(request, parseQuery(request.url))
  const readBody = () => {
    if (problem) throw problem
    return readJsonObject(request, context.intake)
  }
  const reply = await answerBatch({ api, request: incoming, readBody }, context.pipeline)
  const body = send(reply, format, set, await encode(format, reply, context))
  record(incoming, reply)
  await finishBody(request, set, context)
  return body
}

/** An answer may have millions of values, so writing it pauses for other requests. */
async function encode(
  format: Format,
  { envelope, caller }: Reply,
  { pipeline }: HttpContext,
): Promise<string> {
  let text = ""
  for (const part of encodeInParts(format, envelope)) {
    text += part
    const pause = caller && pipeline.scheduler.giveWay(caller.account.id)
    if (pause) await pause
  }
  return text
}
