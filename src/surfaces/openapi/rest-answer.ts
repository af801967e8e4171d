import type { Envelope } from "../../encode/envelope.ts"
import { contentTypes, encodeEnvelope, type Format, formats } from "../../encode/formats.ts"
import { type JsonObject, objectOf } from "./json-object.ts"

/** Example answers by name. */
export type ExampleAnswers = Readonly<Record<string, { summary: string; envelope: Envelope }>>

/** The `content` of a REST answer: each media type with the schema and with examples written by the encoders. */
export function restContent(schema: JsonObject, answers: ExampleAnswers): JsonObject {
  // A media type without its parameters: clients do not compare those.
  return Object.fromEntries(
    formats.map((format) => [contentTypes[format].replace(/;.*/, ""), contentOf(format, schema, answers)]),
  )
}

function contentOf(format: Format, schema: JsonObject, answers: ExampleAnswers): JsonObject {
  if (format === "json") {
    const examples = Object.entries(answers).map(([name, { summary, envelope }]) => {
      return [name, { summary, value: envelope }]
    })
    return { schema, examples: Object.fromEntries(examples) }
  }
  const [first] = Object.values(answers)
  const text = { type: "string", description: textFormats[format] }
  return { schema: text, ...(first && { example: encodeEnvelope(format, first.envelope) }) }
}

const textFormats = {
  xml: 'The JSON answer as a `response` element. Null is `xsi:nil="true"`; an array is a repeated element.',
  yaml: "The JSON answer as YAML, for readers of YAML 1.1 and 1.2.",
  csv: "The header `key,value`, then a row for each value in `data` (`a.b`, `list[0]`). An error has the rows `status` and `error`.",
} as const

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

/** `?format=`, which every REST path takes. */
export const formatParameter: JsonObject = {
  name: "format",
  in: "query",
  description: "The format of the answer; wins over the `Accept` header. Without either it is `json`.",
  schema: { type: "string", enum: formats },
}
