import { type ResultWriter, runBatch } from "../../call/batch.ts"
import { workIdempotently } from "../../call/idempotent-work.ts"
import type { PreparedApi } from "../../call/prepared-api.ts"
import { weightOf } from "../../encode/json.ts"
import { createListEncoder } from "../../encode/list-encoder.ts"
import { isObject } from "../../values/is-object.ts"
import { once } from "../../values/once.ts"
import type { HttpContext } from "./frame.ts"
import { answerMetered, type MeteredExchange, type ServiceApp } from "./metered.ts"
import { createBodyWriter, toResponse } from "./reply/answer-body.ts"
import { noticeOf, setReply } from "./reply/headers.ts"
import { batchAnswerSchema, batchBodySchema } from "./rest.ts"

/** `POST /v1/{api}/batch` for every API: many inputs in one JSON body. */
export function addBatchRoutes(app: ServiceApp, context: HttpContext): void {
  for (const api of context.apis) {
    const { definition } = api
    const { id, title } = definition
    const answer = once(() => answerWith(api, context))
    const record = context.observer.recorderFor(id, "batch")
    app.post(
      `/v1/${id}/batch`,
      ({ request, set, incoming, call, body }) => answer()({ request, set, incoming, call }, body),
      {
        metered: { method: "POST", apis: [id], record, isLong: true },
        body: batchBodySchema(definition),
        response: batchAnswerSchema(definition),
        detail: { summary: `${title}, for many inputs`, tags: ["batch"] },
      },
    )
  }
}

/** Answers batches of an API. Results are encoded while later inputs still run. */
function answerWith(api: PreparedApi, context: HttpContext) {
  const { pipeline } = context
  const notice = noticeOf(api.definition)
  const path = `/v1/${api.definition.id}/batch`
  return async (exchange: MeteredExchange, inputs: readonly unknown[]): Promise<string | Response> => {
    const { incoming, set, call } = exchange
    const format = call?.negotiated.format ?? "json"
    const list = createListEncoder(format, "results")
    const body = createBodyWriter(context)
    const writer: ResultWriter = {
      resultsPerPart: list.itemsPerPart,
      write: (results, firstIndex, giveWay) => body.add(list.items(results, firstIndex), giveWay),
      room: body.answer.room,
      free: body.answer.free,
      count(value) {
        const bytes = weightOf(value, Number.POSITIVE_INFINITY)
        body.answer.add(bytes)
        return bytes
      },
    }
    try {
      return await answerMetered(
        exchange,
        context,
        (caller) => {
          const batch = { api, request: incoming, inputs, writer }
          const key = exchange.request.headers.get("idempotency-key")
          if (key === null) return runBatch(batch, caller, pipeline)
          const input = inputs.map((one) => toCompared(one, api))
          return workIdempotently({ key, path, input, apis: [api] }, caller, pipeline, (idempotent) =>
            runBatch(batch, caller, pipeline, idempotent),
          )
        },
        (reply) => {
          setReply(reply, format, set)
          // Any input may use something deprecated.
          if (notice) for (const input of inputs) notice({ kind: "typed", values: Object(input) }, set)
          const { before, after } = list.frame(reply.envelope)
          return toResponse(body.end(before, after))
        },
      )
    } finally {
      body.discard()
    }
  }
}

/** An input as an Idempotency-Key compares it: as the API gets it. One that is refused stays as it was sent. */
function toCompared(input: unknown, { readInput }: PreparedApi): unknown {
  try {
    return isObject(input) ? readInput({ kind: "typed", values: input }) : input
  } catch {
    return input
  }
}
