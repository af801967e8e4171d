import { maxInputs } from "../../call/batch.ts"
import { inputFault } from "../../call/fault.ts"
import {
  dataName,
  firstRefusal,
  goneAfter,
  inputName,
  jsonBody,
  priceText,
  successHeaders,
} from "./api-parts.ts"
import { faultResponse, keyedFaults } from "./fault-responses.ts"
import { countOf, type DocumentedApi, type JsonObject, objectOf, refTo } from "./json-object.ts"
import { okEnvelope, okExample, restContent } from "./rest-answer.ts"

/** `POST /v1/{api}/batch`. */
export function batchOperation(api: DocumentedApi): JsonObject {
  const { id, title, examples, deprecation } = api.definition
  const inputs = examples.slice(0, 1).map(({ input }) => input)
  return {
    operationId: `${id}Batch`,
    tags: ["many"],
    summary: `${title}: many inputs`,
    ...(deprecation && { deprecated: true }),
    description: `Runs the API on up to ${maxInputs} inputs and returns a result for each, in their order. Costs ${priceText(api.credits)} for each input that succeeds. If the credits do not cover all inputs, none is run.`,
    "x-credits-per-input": api.credits,
    parameters: [refTo("parameters", "format")],
    requestBody: jsonBody(requestSchema(id), { example: { inputs } }),
    responses: {
      200: {
        description: "A result for each input.",
        headers: successHeaders(api.definition),
        content: restContent(okEnvelope(answerSchema(id)), {
          answered: okExample("Every input succeeds", succeeding(api)),
          refused: okExample("An input is refused", refused(api)),
        }),
      },
      400: faultResponse({
        description: "`inputs` as a whole was refused.",
        faults: { inputs: inputFault("inputs", `must be an array of 1 to ${maxInputs} objects`) },
      }),
      ...goneAfter(api.definition),
      ...keyedFaults("POST"),
    },
  }
}

function requestSchema(id: string): JsonObject {
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

function answerSchema(id: string): JsonObject {
  const result = objectOf({
    index: countOf("The position of the input, from 0."),
    status: { type: "string", enum: ["ok", "error"] },
    error: { type: ["string", "null"], description: "What is wrong and what to change; null on success." },
    data: { anyOf: [refTo("schemas", dataName(id)), { type: "null" }] },
  })
  return objectOf({
    count: countOf("The number of inputs."),
    succeeded: countOf("The number of inputs that succeeded."),
    failed: countOf("The number of inputs that failed."),
    credits_used: countOf("The cost of the batch in credits."),
    results: { type: "array", description: "In the order of the inputs.", items: result },
  })
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
