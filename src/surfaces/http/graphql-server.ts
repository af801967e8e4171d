import { yoga } from "@elysiajs/graphql-yoga"
import { Elysia } from "elysia"
import type { DocumentNode } from "graphql"
import { LRUCache } from "lru-cache"
import { encodeJson } from "../../encode/json.ts"
import type { RecordRequest } from "../../observe/request-log.ts"
import type { GraphqlCall } from "../graphql/metered-query.ts"
import { Refusal } from "../graphql/refusal.ts"
import { createGraphqlSchemaInSteps } from "../graphql/schema.ts"
import { type GraphqlBody, usePipeline } from "../graphql/yoga-plugin.ts"
import type { HttpContext } from "./frame.ts"
import { readJsonObject } from "./read/body.ts"
import { toBody } from "./reply/answer-body.ts"
import { acceptedBy, mediaTypeFor } from "./reply/format.ts"
import { replayedHeader, setAnswerHeaders, setRate } from "./reply/headers.ts"
import type { IncomingRequest } from "./request.ts"

/** Parsed queries take at most about this many bytes, since clients send the same few over and over. */
const maxKeptBytes = 8_000_000
/** A field of one character is a token and three nodes with their places. All other tokens take less. */
const bytesPerToken = 550

/** The GraphQL server: graphql-yoga with the pipeline as its plugin. It is made in steps, between which other work runs. */
export async function createGraphqlServer(
  context: HttpContext,
  record: RecordRequest,
  incomingOf: (request: Request) => IncomingRequest | undefined,
) {
  const { apis, pipeline, intake } = context
  const definitions = apis.map(({ definition }) => definition)
  const schema = await createGraphqlSchemaInSteps(definitions, () => pipeline.scheduler.giveWay(""))

  async function respond(call: GraphqlCall, answer: GraphqlBody, request: Request): Promise<Response> {
    const { refusal, fault, rate, caller, isReplay, results } = call
    call.results = null
    const type = `${mediaTypeFor(acceptedBy(request.headers))}; charset=utf-8`
    const headers: Record<string, string> = {
      "content-type": type,
      ...(isReplay && !refusal && { [replayedHeader]: "true" }),
    }
    const status = refusal?.status ?? 200
    setAnswerHeaders(headers, { status, retryAfterSeconds: refusal?.retryAfterSeconds ?? null, fault })
    setRate((name, value) => {
      headers[name] = value
    }, rate)
    const body = await toBody(encodeJson(answer), caller, context, answer, results)
    return new Response(body, { status, headers })
  }

  function requireIncoming(request: Request): IncomingRequest {
    const incoming = incomingOf(request)
    if (!incoming) throw new Error("a request reached GraphQL without its id")
    return incoming
  }

  return (
    new Elysia()
      // Anything that graphql-yoga itself throws: the route's own error handling answers it.
      .onError(({ error }) => {
        throw error
      })
      .use(
        yoga({
          path: "/v1/graphql",
          schema,
          graphqlEndpoint: "/v1/graphql",
          graphiql: false,
          landingPage: false,
          multipart: false,
          maskedErrors: false,
          logging: false,
          // The intake limits bodies.
          maxRequestBodySize: false,
          parserAndValidationCache: {
            documentCache: createDocumentCache(),
            // Refusals are not kept: each belongs to one request.
            errorCache: { get: () => undefined, set() {} },
          },
          plugins: [
            usePipeline({
              apis,
              schema,
              pipeline,
              requestOf: requireIncoming,
              readBody: (request, giveWay) => {
                refuseUpload(request)
                return readJsonObject(request, intake, giveWay)
              },
              respond,
              record(call, status, request) {
                record(requireIncoming(request), { ...call, caller: call.caller ?? call.keyOwner, status })
              },
            }),
          ],
        }),
      )
  )
}

/** Keeps parsed queries by their text. A query takes up to 280 times the bytes of its text, so its tokens count. */
export function createDocumentCache(): LRUCache<string, DocumentNode> {
  return new LRUCache({
    maxSize: maxKeptBytes,
    sizeCalculation(document, query) {
      let tokens = 0
      for (let token = document.loc?.startToken; token; token = token.next ?? undefined) tokens++
      return bytesPerToken * tokens + 2 * query.length
    },
  })
}

function refuseUpload({ headers }: Request): void {
  if (!/^\s*multipart\//i.test(headers.get("content-type") ?? "")) return
  throw new Refusal(
    "FILE_UPLOAD_NOT_SUPPORTED",
    "GraphQL takes no file uploads here; send the query as JSON.",
  )
}
