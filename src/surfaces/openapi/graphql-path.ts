import type { TSchema } from "@sinclair/typebox"
import { fixedFault } from "../../call/fault.ts"
import { toFieldName, toRootField, toTypeName } from "../graphql/names.ts"
import { Refusal, statuses, toRefusal } from "../graphql/refusal.ts"
import { allowHeader, commonHeaders, rateHeaders, retryHeader } from "./headers.ts"
import { type ApiDocInput, type JsonObject, type PathGroup, refTo } from "./json-object.ts"

/** `POST /v1/graphql`, which has an envelope of its own and other headers than the REST paths. */
export function graphqlPath({ apis }: ApiDocInput): PathGroup {
  const [first] = apis
  const shown = first ? exampleOf(first) : { request: { query: "{ __typename }" }, answer: {} }
  const known = { ...commonHeaders, ...rateHeaders }
  const operation: JsonObject = {
    operationId: "graphql",
    tags: ["many"],
    summary: "GraphQL: several APIs in one query",
    description:
      "Alpha: the schema may change. Costs the sum of the APIs that the query names, each once and only where it succeeds; introspection is free. A query that fails in part is answered with 200, `data` and `errors`.",
    requestBody: {
      required: true,
      content: { "application/json": { schema: request, example: shown.request } },
    },
    responses: {
      200: { description: "The answer.", headers: known, content: content({ data: shown.answer }) },
      400: answerTo("The request or the query was refused.", known, [
        new Refusal(
          "GRAPHQL_VALIDATION_FAILED",
          `Cannot query field "nothing" on type "${toTypeName("query")}".`,
        ),
      ]),
      401: answerTo("The key is missing, mistyped, unknown, expired or revoked.", known, [
        toRefusal(fixedFault("keyMissing")),
      ]),
      402: answerTo("The credits do not cover the query; nothing was run.", { ...known, ...retryHeader }, [
        new Refusal("INSUFFICIENT_CREDITS", "The credits of this account are used up."),
      ]),
      403: answerTo("The key may not, or the query names more APIs than the plan allows.", known, [
        toRefusal(fixedFault("addressForbidden")),
        new Refusal("PLAN_LIMIT_EXCEEDED", "The plan 'free' allows 1 API in a query; this one names 2."),
      ]),
      405: answerTo("The path takes POST alone.", { ...commonHeaders, ...allowHeader }, [
        new Refusal("METHOD_NOT_ALLOWED", "GraphQL takes POST, not GET."),
      ]),
      429: answerTo("The limit per minute is reached.", { ...known, ...retryHeader }, [
        new Refusal("RATE_LIMITED", "The limit of 60 calls per minute is reached; try again in 1 second."),
      ]),
      500: answerTo("A fault on this side. Nothing was charged.", known, [toRefusal(fixedFault("internal"))]),
      503: answerTo("The service does not answer just now.", { ...known, ...retryHeader }, [
        toRefusal(fixedFault("storeUnavailable")),
      ]),
    },
  }
  return { paths: { "/v1/graphql": { post: operation } }, schemas: { GraphqlAnswer: answer } }
}

const request: JsonObject = {
  type: "object",
  required: ["query"],
  properties: {
    query: { type: "string", minLength: 1, description: "The query document." },
    operationName: { type: ["string", "null"], description: "Which of the document's operations to run." },
    variables: { type: ["object", "null"], description: "Values of the operation's variables." },
    extensions: { type: ["object", "null"], description: "Taken and ignored." },
  },
}

const codes = [...Object.keys(statuses), "BAD_USER_INPUT"].sort()

const answer: JsonObject = {
  type: "object",
  properties: {
    data: { type: ["object", "null"], description: "By root field; absent where nothing was run." },
    errors: {
      type: "array",
      minItems: 1,
      description: "Only where anything failed.",
      items: {
        type: "object",
        required: ["message", "extensions"],
        properties: {
          message: { type: "string", description: "For people; may be reworded." },
          locations: {
            type: "array",
            items: {
              type: "object",
              required: ["line", "column"],
              properties: { line: { type: "integer" }, column: { type: "integer" } },
            },
          },
          path: { type: "array", items: { type: ["string", "integer"] } },
          extensions: {
            type: "object",
            required: ["code"],
            properties: { code: { type: "string", enum: codes, description: "For programs." } },
          },
        },
      },
    },
  },
}

function content(example: JsonObject): JsonObject {
  const media = { schema: refTo("schemas", "GraphqlAnswer"), example }
  return { "application/json": media, "application/graphql-response+json": media }
}

function answerTo(description: string, headers: JsonObject, refusals: readonly Refusal[]): JsonObject {
  return { description, headers, content: content({ errors: refusals.flatMap(({ errors }) => errors) }) }
}

/** The first example of an API, asked for the fields that have no parts. */
function exampleOf({ definition: { id, input, output, examples } }: ApiDocInput["apis"][number]) {
  const [example] = examples
  const field = toRootField(id)
  const plain = Object.entries(output.properties).filter(
    ([, schema]: [string, TSchema]) => schema.type !== "object" && schema.type !== "array",
  )
  const names = plain.map(([name]) => toFieldName(name))
  const parameters = Object.keys(input.properties).flatMap((name) =>
    example && name in example.input ? [[toFieldName(name), example.input[name]]] : [],
  )
  const values: Readonly<Record<string, unknown>> = example?.output ?? {}
  return {
    request: {
      query: `query ($input: ${toTypeName(id, "input")}!) { ${field}(input: $input) { ${names.join(" ")} } }`,
      variables: { input: Object.fromEntries(parameters) },
    },
    answer: { [field]: Object.fromEntries(plain.map(([name]) => [toFieldName(name), values[name] ?? null])) },
  }
}
