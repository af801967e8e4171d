import { type ApiDefinition, deprecationText, isPremium } from "../../apis/contract.ts"
import {
  byName,
  dataName,
  firstRefusal,
  goneAfter,
  inputName,
  jsonBody,
  priceText,
  successHeaders,
} from "./api-parts.ts"
import { batchOperation } from "./batch-operation.ts"
import { faultResponse, formatFault, keyedFaults, type Refusal } from "./fault-responses.ts"
import { type DocumentedApi, type JsonObject, type PathGroup, refTo } from "./json-object.ts"
import { toJsonSchema } from "./json-schema.ts"
import { okEnvelope, okExample, restContent } from "./rest-answer.ts"

/** The paths of one API: a single call and a batch. */
export function apiPaths(api: DocumentedApi): PathGroup {
  const { id, method, input, output } = api.definition
  return {
    paths: {
      [`/v1/${id}`]: { [method.toLowerCase()]: callOperation(api) },
      [`/v1/${id}/batch`]: { post: batchOperation(api) },
    },
    schemas: { [inputName(id)]: toJsonSchema(input), [dataName(id)]: toJsonSchema(output) },
  }
}

function callOperation(api: DocumentedApi): JsonObject {
  const { id, title, description, method, examples, deprecation } = api.definition
  const answers = byName(examples, ({ name, output }) => okExample(name, output))
  return {
    operationId: id,
    tags: ["apis"],
    summary: title,
    ...(deprecation && { deprecated: true }),
    description: `${description} Costs ${priceText(api.credits)}.${deprecation ? ` ${deprecationText(deprecation)}` : ""}`,
    "x-credits": api.credits,
    ...(method === "GET" ? inQuery(api.definition) : inBody(api.definition)),
    responses: {
      200: {
        description: "The result.",
        headers: successHeaders(api.definition),
        content: restContent(okEnvelope(refTo("schemas", dataName(id))), answers),
      },
      400: faultResponse(inputRefusal(api)),
      ...goneAfter(api.definition),
      ...keyedFaults(method),
    },
  }
}

/** The refusal with 400 of a call. */
export function inputRefusal(api: DocumentedApi): Refusal {
  return {
    description: "The input was refused; `error` names the parameter.",
    faults: { parameter: firstRefusal(api), format: formatFault },
  }
}

function inQuery({ input, examples }: ApiDefinition): JsonObject {
  const required = new Set(input.required)
  const parameters = Object.entries(input.properties).map(([name, typed]) => {
    const { description, ...schema } = toJsonSchema(typed)
    const shown = byName(examples, (example) =>
      name in example.input ? { summary: example.name, value: example.input[name] } : undefined,
    )
    return {
      name,
      in: "query",
      required: required.has(name),
      description,
      // Viewers look for the marks of a parameter beside its schema.
      ...(isPremium(typed) && { "x-premium": true }),
      schema,
      ...(Object.keys(shown).length > 0 && { examples: shown }),
    }
  })
  return { parameters: [...parameters, refTo("parameters", "format")] }
}

function inBody({ id, examples }: ApiDefinition): JsonObject {
  const shown = byName(examples, ({ name, input }) => ({ summary: name, value: input }))
  return {
    parameters: [refTo("parameters", "format")],
    requestBody: jsonBody(refTo("schemas", inputName(id)), { examples: shown }),
  }
}
