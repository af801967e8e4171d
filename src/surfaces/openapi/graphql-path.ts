import type { TSchema } from "@sinclair/typebox"
import { fixedFault } from "../../call/fault.ts"
import { keyInUse, keyUsedUp } from "../../call/idempotency.ts"
import { keepReplaysMs } from "../../store/store.ts"
import { toFieldName, toRootField, toTypeName } from "../graphql/names.ts"
import { Refusal, toRefusal } from "../graphql/refusal.ts"
import statuses from "../graphql/statuses.json"
import { jsonBody } from "./api-parts.ts"
import { graphqlRequest } from "./components.json"
import { limitOfMinute } from "./fault-responses.ts"
import { commonHeaders, rateHeaders, refsTo } from "./headers.ts"
import {
  type ApiDocInput,
  type DocumentedApi,
  type JsonObject,
  objectOf,
  type PathGroup,
  refTo,
} from "./json-object.ts"

/** `POST /v1/graphql`, whose answers have other fields and headers than those of the REST paths. */
export function graphqlPath({ apis: [first] }: ApiDocInput): PathGroup {
  const example = first ? exampleOf(first) : { request: { query: "{ __typename }" }, data: {} }
  const operation: JsonObject = {
    operationId: "graphql",
    tags: ["many"],
    summary: "GraphQL: several APIs in one query",
    description:
      "Alpha: the schema may change. Costs the prices of the APIs that the query names, each once and only if it succeeds. Introspection is free. A query that fails in part is answered with 200, `data` and `errors`.",
    parameters: [refTo("parameters", "Idempotency-Key")],
    requestBody: jsonBody(graphqlRequest, { example: example.request }),
    responses: {
      200: {
        description: "The result.",
        headers: { ...known, ...refsTo("Idempotent-Replayed") },
        content: content({ data: example.data }),
      },
      400: failure("The request or the query was refused.", [unknownField]),
      401: failure(
        "The key is missing, mistyped, unknown, expired, revoked, rotated or disabled.",
        [keyMissing],
        unauthorized,
      ),
      402: failure("The credits do not cover the query. Nothing was run.", [creditsUsedUp], retry),
      403: failure("The key is not allowed, or the query names more APIs than the plan allows.", forbidden),
      405: failure("The path takes only POST.", [wrongMethod], { ...commonHeaders, ...refsTo("Allow") }),
      409: failure("A query with the same `Idempotency-Key` is under way.", [toRefusal(keyInUse)], retry),
      422: failure("The `Idempotency-Key` was used for another query.", [
        toRefusal(fixedFault("idempotencyKeyReused")),
      ]),
      429: failure(
        "The limit per minute is reached, or the `Idempotency-Key` had all its free replays.",
        [throttled, toRefusal(keyUsedUp(keepReplaysMs))],
        retry,
      ),
      500: failure("The service failed. Nothing was charged.", [toRefusal(fixedFault("internal"))]),
      503: failure("The service is unavailable. Nothing was charged. Try again.", [unavailable], retry),
    },
  }
  return { paths: { "/v1/graphql": { post: operation } }, schemas: { GraphqlAnswer: answer } }
}

const codes = [...Object.keys(statuses), "BAD_USER_INPUT"].sort()

const error: JsonObject = {
  type: "object",
  required: ["message", "extensions"],
  properties: {
    message: { type: "string", description: "For people. The wording may change." },
    locations: { type: "array", items: objectOf({ line: { type: "integer" }, column: { type: "integer" } }) },
    path: { type: "array", items: { type: ["string", "integer"] } },
    extensions: {
      type: "object",
      required: ["code"],
      properties: {
        code: { type: "string", enum: codes, description: "For programs." },
        retryAfterSeconds: { type: "integer", description: "Of a field that may succeed after this time." },
      },
    },
  },
}

const answer: JsonObject = {
  type: "object",
  properties: {
    data: { type: ["object", "null"], description: "Results by root field. Absent if nothing was run." },
    errors: { type: "array", minItems: 1, description: "Present if anything failed.", items: error },
  },
}

const known = { ...commonHeaders, ...rateHeaders }
const unauthorized = { ...known, ...refsTo("WWW-Authenticate") }
const retry = { ...known, ...refsTo("Retry-After") }

const unknownField = new Refusal("GRAPHQL_VALIDATION_FAILED", 'Cannot query field "nothing" on type "Query".')
const creditsUsedUp = new Refusal("INSUFFICIENT_CREDITS", "The credits of this account are used up.")
const forbidden = [
  toRefusal(fixedFault("addressForbidden")),
  new Refusal("PLAN_LIMIT_EXCEEDED", "The plan 'free' allows 1 API in a query; this one names 2."),
]
const keyMissing = toRefusal(fixedFault("keyMissing"))
const unavailable = toRefusal(fixedFault("storeUnavailable"))
const wrongMethod = new Refusal("METHOD_NOT_ALLOWED", "GraphQL takes POST, not GET.")
const throttled = new Refusal("RATE_LIMITED", limitOfMinute.message)

function failure(description: string, examples: readonly Refusal[], headers: JsonObject = known): JsonObject {
  return { description, headers, content: content({ errors: examples.flatMap(({ errors }) => errors) }) }
}

function content(example: JsonObject): JsonObject {
  const media = { schema: refTo("schemas", "GraphqlAnswer"), example }
  return { "application/json": media, "application/graphql-response+json": media }
}

/** A query made from an API's first example, for the fields that are neither objects nor lists. */
function exampleOf({ definition: { id, input, output, examples } }: DocumentedApi) {
  const [example] = examples
  const field = toRootField(id)
  const given = Object.entries(example?.input ?? {}).filter(([name]) => name in input.properties)
  const plain = Object.entries(output.properties).filter(
    ([, schema]: [string, TSchema]) => schema.type !== "object" && schema.type !== "array",
  )
  const names = plain.map(([name]) => toFieldName(name))
  const values: Readonly<Record<string, unknown>> = example?.output ?? {}
  return {
    request: {
      query: `query ($input: ${toTypeName(id, "input")}!) { ${field}(input: $input) { ${names.join(" ")} } }`,
      variables: { input: Object.fromEntries(given.map(([name, value]) => [toFieldName(name), value])) },
    },
    data: { [field]: Object.fromEntries(plain.map(([name]) => [toFieldName(name), values[name] ?? null])) },
  }
}
