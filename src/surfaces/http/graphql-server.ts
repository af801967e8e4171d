import { yoga } from "@elysiajs/graphql-yoga"
import { Elysia } from "elysia"
import type { DocumentNode } from "graphql"
import { LRUCache } from "lru-cache"
import type { RecordRequest } from "../../observe/request-log.ts"
import { createGraphqlSchemaInSteps } from "../graphql/schema.ts"
import type { HttpContext } from "./frame.ts"
import { meteredQueries } from "./metered-graphql.ts"
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
  const { apis, pipeline } = context
  const definitions = apis.map(({ definition }) => definition)
  const schema = await createGraphqlSchemaInSteps(definitions, () => pipeline.scheduler.giveWay(""))

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
          plugins: [meteredQueries(schema, context, record, incomingOf)],
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
