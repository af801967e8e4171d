import { maxReplays, maxReplaysAskingOthers } from "../../call/idempotency.ts"
import { contentTypes, encodeEnvelope, type Format, formats } from "../../encode/formats.ts"
import type { Envelope } from "../../encode/tree.ts"
import { formats as textFormats } from "./components.json"
import { type JsonObject, objectOf, refTo } from "./json-object.ts"

/** Example answers by name. `component` names the component of the document that has one in JSON. */
type ExampleAnswers = Readonly<
  Record<string, { readonly summary: string; readonly envelope: Envelope; readonly component?: string }>
>

/**
 * The `content` of a REST answer: each media type with the schema and with examples written by the encoders. Media types are
 * written without parameters, which clients do not compare.
 */
export function restContent(schema: JsonObject, answers: ExampleAnswers, isJsonAlone = false): JsonObject {
  const [first] = isJsonAlone ? [] : Object.values(answers)
  const contentOf = (format: Format) =>
    format === "json"
      ? jsonContent(schema, answers)
      : { schema: textSchema(format), ...(first && { example: encodeEnvelope(format, first.envelope) }) }
  return Object.fromEntries(
    formats.map((format) => [contentTypes[format].replace(/;.*/, ""), contentOf(format)]),
  )
}

/** Like {@link restContent}, with examples only in JSON: other formats would add as much again for each API. */
export const restContentWithJson: typeof restContent = (schema, answers) => restContent(schema, answers, true)

function jsonContent(schema: JsonObject, answers: ExampleAnswers): JsonObject {
  const examples = Object.entries(answers).map(([name, { summary, envelope, component }]) => {
    return [name, component ? refTo("examples", component) : { summary, value: envelope }]
  })
  return { schema, examples: Object.fromEntries(examples) }
}

function textSchema(format: keyof typeof textFormats): JsonObject {
  return refTo("schemas", textFormats[format].name)
}

/** Answers in formats other than JSON, as components of the document. */
export const textSchemas: Readonly<Record<string, JsonObject>> = Object.fromEntries(
  Object.values(textFormats).map(({ name, text }) => [name, { type: "string", description: text }]),
)

/** The schema of a successful answer. */
export function okEnvelope(data: JsonObject): JsonObject {
  return objectOf({ status: { type: "string", const: "ok" }, error: { type: "null" }, data })
}

export function okExample(summary: string, data: object): ExampleAnswers[string] {
  return { summary, envelope: { status: "ok", error: null, data } }
}

export function errorExample(summary: string, error: string): ExampleAnswers[string] {
  return { summary, envelope: { status: "error", error, data: null } }
}

/** `Idempotency-Key`, which every path that charges takes. */
export const idempotencyKeyParameter: JsonObject = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description: `A text of your own for this call, such as a UUID. Within 24 hours the same call with the same key is answered again and not charged again, up to ${maxReplays} times (${maxReplaysAskingOthers} where it asks other servers; later ones are charged).`,
  schema: { type: "string", pattern: "^[ -+\\--~]{1,255}$" },
}

/** `?format=`, which every REST path takes. */
export const formatParameter: JsonObject = {
  name: "format",
  in: "query",
  description: "The format of the answer; wins over the `Accept` header. Without either it is `json`.",
  schema: { type: "string", enum: formats },
}
