import { execute, type PreparedApi, type Road } from "../../call/execute.ts"
import { inputFault } from "../../call/fault.ts"
import type { RawInput, TextInput } from "../../call/input.ts"
import { reportUsage } from "../../call/usage.ts"
import type { RecordRequest } from "../../observe/request.ts"
import { readJsonObject } from "./body.ts"
import type { Intake } from "./intake.ts"
import { parseQuery } from "./query.ts"
import { type Exchange, type Negotiated, negotiateFormat, respond } from "./respond.ts"

/** The handler of one API: `GET` with a query string, or `POST` with a JSON body. */
export function createRestHandler(
  api: PreparedApi,
  road: Road,
  intake: Intake,
  watch: RecordRequest,
): (exchange: Exchange) => Promise<Response> {
  const inQuery = api.definition.method === "GET"

  async function readFromBody(request: Request): Promise<RawInput> {
    return { kind: "typed", values: await readJsonObject(request, intake) }
  }

  // Not an async function: the answer needs no wait of its own behind that of the road.
  return (exchange) => {
    const { request, requestId, address } = exchange
    const query = parseQuery(request.url)
    const negotiated = negotiateFormat(request, query)
    return execute(
      {
        api,
        key: request.headers.get("x-api-key"),
        address,
        requestId,
        read: () => {
          requireReadable(query, negotiated)
          return inQuery ? query : readFromBody(request)
        },
        finish: (reply) => {
          const response = respond(reply, negotiated.format, exchange)
          watch(exchange, reply)
          return response
        },
      },
      road,
    )
  }
}

/** The handler of `GET /v1/usage`. */
export function createUsageHandler(
  road: Road,
  watch: RecordRequest,
): (exchange: Exchange) => Promise<Response> {
  return async (exchange) => {
    const { request, requestId, address } = exchange
    const query = parseQuery(request.url)
    const negotiated = negotiateFormat(request, query)
    const check = () => requireReadable(query, negotiated)
    const reply = await reportUsage(
      { key: request.headers.get("x-api-key"), address, requestId, check },
      road,
    )
    const response = respond(reply, negotiated.format, exchange)
    watch(exchange, reply)
    return response
  }
}

/** Refuses a query string that cannot be read, or a `format` that there is not. */
export function requireReadable({ parameters }: TextInput, { problem }: Negotiated): void {
  if (problem) throw problem
  for (const { name, text } of parameters) {
    if (name === "format" && text === null) throw inputFault("format", "must be percent-encoded UTF-8")
  }
}
