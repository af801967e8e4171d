import { type ApiDefinition, deprecationText, type Example, isPremium } from "../../apis/contract.ts"
import { maxInputs } from "../../call/batch.ts"
import { picturesOf } from "../../values/picture.ts"
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
import { chargedRefusals, faultResponse, formatFault, keyedFaults, type Refusal } from "./fault-responses.ts"
import {
  type DocumentedApi,
  type JsonObject,
  objectOf,
  type PathGroup,
  refTo,
  toJsonSchema,
} from "./json-object.ts"
import { okEnvelope, okExample, restContent, restContentWithJson } from "./rest-answer.ts"

/** The paths of one API: a single call and a batch. Their tag is the API's category. */
export function apiPaths(api: DocumentedApi, category: string): PathGroup {
  const { id, method, input, output } = api.definition
  return {
    paths: {
      [`/v1/${id}`]: { [method.toLowerCase()]: callOperation(api, category) },
      [`/v1/${id}/batch`]: { post: batchOperation(api, category) },
    },
    schemas: { [inputName(id)]: toJsonSchema(input), [dataName(id)]: toJsonSchema(output) },
  }
}

function callOperation(api: DocumentedApi, category: string): JsonObject {
  const { id, title, description, method, examples, deprecation, lists: [list] = [] } = api.definition
  const answers = byName(examples, ({ name, output }) => okExample(name, output))
  return {
    operationId: id,
    tags: [category],
    summary: title,
    ...(deprecation && { deprecated: true }),
    description: `${description} Costs ${priceText(api.credits)}.${deprecation ? ` ${deprecationText(deprecation)}` : ""}`,
    "x-credits": api.credits,
    ...(list && { "x-data-date": list.version ?? list.date }),
    ...(method === "GET" ? inQuery(api.definition) : inBody(api.definition)),
    responses: {
      200: {
        description: "The result.",
        headers: successHeaders(api.definition),
        content: {
          ...restContent(okEnvelope(refTo("schemas", dataName(id))), answers),
          ...pictureContent(api.definition),
        },
      },
      400: faultResponse(inputRefusal(api), restContentWithJson),
      ...goneAfter(api.definition),
      ...keyedFaults(method, chargedRefusals(method)),
    },
  }
}

/** The pictures of an API by media type, which an `Accept` header asks for. */
function pictureContent({ output }: ApiDefinition): JsonObject {
  return Object.fromEntries(
    picturesOf(output).map(({ name, type }) => [
      type,
      {
        schema: { type: "string", contentMediaType: type, description: `The picture in \`${name}\` itself.` },
      },
    ]),
  )
}

/** The refusal with 400 of a call. */
export function inputRefusal(api: DocumentedApi): Refusal {
  return {
    description: "The input was refused; `error` names the parameter.",
    faults: { parameter: firstRefusal(api), format: formatFault },
  }
}

const sharedParameters = [refTo("parameters", "format"), refTo("parameters", "Idempotency-Key")]

function inQuery({ input, examples }: ApiDefinition): JsonObject {
  const required = new Set(input.required)
  const parameters = Object.entries(input.properties).map(([name, typed]) => {
    const { description, ...schema } = toJsonSchema(typed)
    const shown = byName(examples, (example) =>
      name in example.input ? { ...labelOf(example), value: example.input[name] } : undefined,
    )
    return {
      name,
      in: "query",
      required: required.has(name),
      description,
      // Viewers look for the marks of a parameter next to its schema, not in it.
      ...(isPremium(typed) && { "x-premium": true }),
      schema,
      ...(Object.keys(shown).length > 0 && { examples: shown }),
    }
  })
  return { parameters: [...parameters, ...sharedParameters] }
}

function labelOf({ name, note }: Example): JsonObject {
  return { summary: name, ...(note !== undefined && { description: note }) }
}

function inBody({ id, examples }: ApiDefinition): JsonObject {
  const shown = byName(examples, (example) => ({ ...labelOf(example), value: example.input }))
  return {
    parameters: sharedParameters,
    requestBody: jsonBody(refTo("schemas", inputName(id)), { examples: shown }),
  }
}

/** `POST /v1/{api}/batch`. */
function batchOperation(api: DocumentedApi, category: string): JsonObject {
  const { id, title, examples, deprecation } = api.definition
  const inputs = examples.slice(0, 1).map(({ input }) => input)
  return {
    operationId: `${id}Batch`,
    tags: [category],
    summary: `${title}: many inputs`,
    ...(deprecation && { deprecated: true }),
    description: `Runs the API on up to ${maxInputs} inputs and returns a result for each, in their order. Costs ${priceText(api.credits)} for each input that succeeds. If the credits do not cover all inputs, none is run.`,
    "x-credits-per-input": api.credits,
    parameters: sharedParameters,
    requestBody: jsonBody(batchRequest(id), { example: { inputs } }),
    responses: {
      200: {
        description: "A result for each input.",
        headers: successHeaders(api.definition),
        content: restContentWithJson(okEnvelope(batchAnswer(id)), {
          answered: okExample("Every input succeeds", succeeding(api)),
          refused: okExample("An input is refused", refused(api)),
        }),
      },
      400: refTo("responses", "BatchRefused"),
      ...goneAfter(api.definition),
      ...keyedFaults("POST", chargedRefusals("POST")),
    },
  }
}

function batchRequest(id: string): JsonObject {
  return objectOf({
    inputs: {
      type: "array",
      minItems: 1,
      maxItems: maxInputs,
      description: "Each has the parameters of a single call. A refused input does not affect the others.",
      items: refTo("schemas", inputName(id)),
    },
  })
}

function batchAnswer(id: string): JsonObject {
  const data = { anyOf: [refTo("schemas", dataName(id)), { type: "null" }] }
  const items = { allOf: [refTo("schemas", "BatchResult"), objectOf({ data })] }
  const results = { type: "array", description: "In the order of the inputs.", items }
  return { allOf: [refTo("schemas", "Batch"), objectOf({ results })] }
}

/** The answer to the example request. */
function succeeding({ definition, credits }: DocumentedApi): object {
  const examples = definition.examples.slice(0, 1)
  return {
    count: examples.length,
    succeeded: examples.length,
    failed: 0,
    credits_used: credits * examples.length,
    results: examples.map(({ output }, index) => ({ index, status: "ok", error: null, data: output })),
  }
}

function refused(api: DocumentedApi): object {
  const results = [{ index: 0, status: "error", error: firstRefusal(api).message, data: null }]
  return { count: 1, succeeded: 0, failed: 1, credits_used: 0, results }
}
