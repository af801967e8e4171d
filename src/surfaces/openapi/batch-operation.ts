import { maxInputs } from "../../call/batch.ts"
import { inputFault } from "../../call/fault.ts"
import { dataName, firstRefusal, inputName, priceText } from "./api-parts.ts"
import { keyedFaults, refusal } from "./fault-responses.ts"
import { commonHeaders, standingHeaders } from "./headers.ts"
import { type DescribedApi, type JsonObject, refTo } from "./json-object.ts"
import { okEnvelope, okShown, restContent } from "./rest-answer.ts"

/** `POST /v1/{api}/batch`. */
export function batchOperation(api: DescribedApi): JsonObject {
  const { id, title, examples } = api.definition
  const inputs = examples.slice(0, 1).map(({ input }) => input)
  const headers = { ...commonHeaders, ...standingHeaders }
  return {
    operationId: `${id}Batch`,
    tags: ["many"],
    summary: `${title}: many inputs`,
    description: `Runs the API on up to ${maxInputs} inputs, each answered for itself, in their order. Costs ${priceText(api.credits)} for each input that succeeds; where the credits do not cover all of them, none is run.`,
    "x-credits-per-input": api.credits,
    parameters: [refTo("parameters", "format")],
    requestBody: {
      required: true,
      content: { "application/json": { schema: requestSchema(id), example: { inputs } } },
    },
    responses: {
      200: {
        description: "An answer for each input.",
        headers,
        content: restContent(okEnvelope(answerSchema(id)), {
          answered: okShown("Inputs that are right", answered(api)),
          refused: okShown("An input that is not", refused(api)),
        }),
      },
      400: refusal("`inputs` was refused as a whole.", headers, [
        ["inputs", inputFault("inputs", `must be an array of 1 to ${maxInputs} objects`)],
      ]),
      ...keyedFaults("POST"),
    },
  }
}

function requestSchema(id: string): JsonObject {
  return {
    type: "object",
    required: ["inputs"],
    properties: {
      inputs: {
        type: "array",
        minItems: 1,
        maxItems: maxInputs,
        description: "Each what a single call takes. One that is refused leaves the others alone.",
        items: refTo("schemas", inputName(id)),
      },
    },
  }
}

function answerSchema(id: string): JsonObject {
  const count = (description: string) => ({ type: "integer", minimum: 0, description })
  return {
    type: "object",
    required: ["count", "succeeded", "failed", "credits_used", "results"],
    properties: {
      count: count("How many inputs there were."),
      succeeded: count("How many were answered."),
      failed: count("How many were not."),
      credits_used: count("What the batch cost."),
      results: {
        type: "array",
        description: "In the order of the inputs.",
        items: {
          type: "object",
          required: ["index", "status", "error", "data"],
          properties: {
            index: count("The place of the input, from 0."),
            status: { type: "string", enum: ["ok", "error"] },
            error: { type: ["string", "null"], description: "What is wrong; null on success." },
            data: { anyOf: [refTo("schemas", dataName(id)), { type: "null" }] },
          },
        },
      },
    },
  }
}

/** What the request's own example is answered with. */
function answered({ definition, credits }: DescribedApi): object {
  const examples = definition.examples.slice(0, 1)
  return {
    count: examples.length,
    succeeded: examples.length,
    failed: 0,
    credits_used: credits * examples.length,
    results: examples.map(({ output }, index) => ({ index, status: "ok", error: null, data: output })),
  }
}

function refused(api: DescribedApi): object {
  const results = [{ index: 0, status: "error", error: firstRefusal(api).message, data: null }]
  return { count: 1, succeeded: 0, failed: 1, credits_used: 0, results }
}
