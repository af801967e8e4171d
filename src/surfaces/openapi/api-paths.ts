import type { TSchema } from "@sinclair/typebox"
import { type ApiDefinition, isPremium } from "../../apis/contract.ts"
import { inputFault } from "../../call/fault.ts"
import { formats } from "../../encode/formats.ts"
import { dataName, exampleName, firstRefusal, inputName, priceText } from "./api-parts.ts"
import { batchOperation } from "./batch-operation.ts"
import { keyedFaults, refusal } from "./fault-responses.ts"
import { commonHeaders, standingHeaders } from "./headers.ts"
import { type DescribedApi, type JsonObject, type PathGroup, refTo } from "./json-object.ts"
import { toJsonSchema } from "./json-schema.ts"
import { okEnvelope, okShown, restContent } from "./rest-answer.ts"

/** The paths of one API, for one call and for a batch. */
export function apiPaths(api: DescribedApi): PathGroup {
  const { id, method, input, output } = api.definition
  return {
    paths: {
      [`/v1/${id}`]: { [method.toLowerCase()]: callOperation(api) },
      [`/v1/${id}/batch`]: { post: batchOperation(api) },
    },
    schemas: { [inputName(id)]: toJsonSchema(input), [dataName(id)]: toJsonSchema(output) },
  }
}

function callOperation(api: DescribedApi): JsonObject {
  const { id, title, description, method, examples } = api.definition
  const headers = { ...commonHeaders, ...standingHeaders }
  const shown = examples.map((example) => [exampleName(example), okShown(example.name, example.output)])
  return {
    operationId: id,
    tags: ["apis"],
    summary: title,
    description: `${description} Costs ${priceText(api.credits)}.`,
    "x-credits": api.credits,
    ...(method === "GET" ? inQuery(api.definition) : inBody(api.definition)),
    responses: {
      200: {
        description: "The answer.",
        headers,
        content: restContent(okEnvelope(refTo("schemas", dataName(id))), Object.fromEntries(shown)),
      },
      400: refusal("The input was refused; `error` names the parameter.", headers, [
        ["parameter", firstRefusal(api)],
        ["format", inputFault("format", `must be one of ${formats.join(", ")}`)],
      ]),
      ...keyedFaults(method),
    },
  }
}

function inQuery({ input, examples }: ApiDefinition): JsonObject {
  const required = new Set(input.required)
  const parameters = Object.entries(input.properties).map(([name, schema]) => {
    const { description, ...bare } = toJsonSchema(schema)
    const shown = examples.flatMap((example) =>
      name in example.input
        ? [[exampleName(example), { summary: example.name, value: example.input[name] }]]
        : [],
    )
    return {
      name,
      in: "query",
      required: required.has(name),
      description,
      ...premiumMark(schema),
      schema: bare,
      ...(shown.length > 0 && { examples: Object.fromEntries(shown) }),
    }
  })
  return { parameters: [...parameters, refTo("parameters", "format")] }
}

/** Again beside the schema, where viewers look for the marks of a parameter. */
function premiumMark(schema: TSchema): JsonObject {
  return isPremium(schema) ? { "x-premium": true } : {}
}

function inBody({ id, examples }: ApiDefinition): JsonObject {
  const shown = examples.map((example) => [
    exampleName(example),
    { summary: example.name, value: example.input },
  ])
  const content = { schema: refTo("schemas", inputName(id)), examples: Object.fromEntries(shown) }
  return {
    parameters: [refTo("parameters", "format")],
    requestBody: { required: true, content: { "application/json": content } },
  }
}
