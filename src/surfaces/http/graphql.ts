import type { PreparedApi, Road } from "../../call/execute.ts"
import { noStanding } from "../../call/standing.ts"
import { preferredType } from "../../encode/accept.ts"
import type { RecordRequest } from "../../observe/request.ts"
import type { GraphqlCall, GraphqlReply } from "../graphql/query.ts"
import { Refusal, toRefusal } from "../graphql/refusal.ts"
import { createAnswerHeaders } from "./answer-headers.ts"
import { readJsonObject } from "./body.ts"
import type { Intake } from "./intake.ts"
import { overloaded } from "./overload.ts"
import { type Exchange, respondText } from "./respond.ts"

/** Media types of an answer (GraphQL over HTTP §4.1). The second is for clients that ask for it. */
const json = "application/json"
const graphqlJson = "application/graphql-response+json"
const fillHeaders = {
  [json]: createAnswerHeaders(`${json}; charset=utf-8`),
  [graphqlJson]: createAnswerHeaders(`${graphqlJson}; charset=utf-8`),
}

export interface GraphqlOptions {
  readonly enabled: boolean
  readonly intake: Intake
  /** Whether there are too many calls under way. */
  readonly isFull: () => boolean
  readonly watch: RecordRequest
}

type Gateway = (call: GraphqlCall) => Promise<GraphqlReply>

/** The handler of `/v1/graphql`, for every method. The gateway is loaded and its schema made with the first call. */
export function createGraphqlHandler(
  apis: readonly PreparedApi[],
  road: Road,
  { enabled, intake, isFull, watch }: GraphqlOptions,
): (exchange: Exchange) => Promise<Response> {
  let gateway: Promise<Gateway> | undefined

  // GraphQL and the schema would take a quarter of the time that the process has to start in.
  function loadGateway(): Promise<Gateway> {
    gateway ??= import("../graphql/query.ts").then(({ createGateway }) => createGateway(apis, road))
    return gateway
  }

  return async (exchange) => {
    const { request, requestId, address } = exchange
    if (!enabled) return refuse(notEnabled(), exchange)
    if (request.method !== "POST") return refuse(wrongMethod(request.method), exchange)
    if (isFull()) return refuse(toRefusal(overloaded), exchange)
    const answer = await loadGateway()
    const reply = await answer({
      key: request.headers.get("x-api-key"),
      address,
      requestId,
      readBody: () => readBody(request, intake),
    })
    const response = respond(reply, exchange)
    watch(exchange, reply)
    return response
  }

  function refuse({ code, status, errors, headers: more }: Refusal, exchange: Exchange): Response {
    watch(exchange, { status, fault: code })
    return respond({ status, body: { errors }, headers: more }, exchange)
  }
}

async function readBody(request: Request, intake: Intake): Promise<Record<string, unknown>> {
  if (/^\s*multipart\//i.test(request.headers.get("content-type") ?? "")) {
    throw new Refusal(
      "FILE_UPLOAD_NOT_SUPPORTED",
      "GraphQL takes no file uploads here; send the query as JSON.",
    )
  }
  return readJsonObject(request, intake)
}

function respond(
  { status, body, headers: more }: Pick<GraphqlReply, "status" | "body" | "headers">,
  exchange: Exchange,
): Response {
  const fill = fillHeaders[mediaTypeFor(exchange.request.headers.get("accept"))]
  return respondText(JSON.stringify(body), { status, stable: noStanding, headers: more }, fill, exchange)
}

function mediaTypeFor(accept: string | null): typeof json | typeof graphqlJson {
  if (!accept?.toLowerCase().includes(graphqlJson)) return json
  return preferredType(accept, [graphqlJson, json]) === graphqlJson ? graphqlJson : json
}

function notEnabled(): Refusal {
  return new Refusal("GRAPHQL_NOT_SUPPORTED", "GraphQL is turned off on this service; use the REST APIs.")
}

function wrongMethod(method: string): Refusal {
  return new Refusal("METHOD_NOT_ALLOWED", `GraphQL takes POST, not ${method}.`, { allow: "POST" })
}
