import { executeBatch } from "../../call/batch.ts"
import type { PreparedApi, Road } from "../../call/execute.ts"
import { createPace, type Pace } from "../../call/pace.ts"
import type { Envelope } from "../../encode/envelope.ts"
import type { Format } from "../../encode/formats.ts"
import { encodeInParts } from "../../encode/parts.ts"
import type { Observer } from "../../observe/observer.ts"
import type { RecordRequest } from "../../observe/request.ts"
import { readJsonObject } from "./body.ts"
import type { Intake } from "./intake.ts"
import { parseQuery } from "./query.ts"
import { type Exchange, negotiateFormat, respond } from "./respond.ts"
import { requireReadable } from "./rest.ts"

/** The handler of `POST /v1/{api}/batch`, many inputs for one API in a JSON body; nothing for an API that there is not. */
export function createBatchHandler(
  apis: readonly PreparedApi[],
  road: Road,
  intake: Intake,
  observer: Observer,
): (id: string, exchange: Exchange) => Promise<Response> | undefined {
  const byId = new Map(
    apis.map((api) => [api.definition.id, { api, watch: observer.recorderFor(api.definition.id, "batch") }]),
  )

  return (id, exchange) => {
    const known = byId.get(id)
    return known && answer(known.api, exchange, known.watch)
  }

  async function answer(api: PreparedApi, exchange: Exchange, watch: RecordRequest): Promise<Response> {
    const { request, requestId, address } = exchange
    const query = parseQuery(request.url)
    const negotiated = negotiateFormat(request, query)
    const reply = await executeBatch(
      {
        api,
        key: request.headers.get("x-api-key"),
        address,
        requestId,
        readBody: () => {
          requireReadable(query, negotiated)
          return readJsonObject(request, intake)
        },
      },
      road,
    )
    const text = await encode(negotiated.format, reply.envelope, createPace(road.ports.clock))
    const response = respond(reply, negotiated.format, exchange, text)
    watch(exchange, reply)
    return response
  }
}

/** An answer may have millions of values: writing it gives way to other requests, as running did. */
async function encode(format: Format, envelope: Envelope, pace: Pace): Promise<string> {
  let text = ""
  for (const part of encodeInParts(format, envelope)) {
    text += part
    const pause = pace()
    if (pause) await pause
  }
  return text
}
