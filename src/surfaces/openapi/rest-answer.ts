import type { Envelope } from "../../encode/envelope.ts"
import { encodeEnvelope, formats } from "../../encode/formats.ts"
import type { JsonObject } from "./json-object.ts"

/** Answers by name, each with a few words. */
export type Shown = Readonly<Record<string, { readonly summary: string; readonly envelope: Envelope }>>

/** The media types of a REST answer, each with examples that the encoders themselves have written. */
export function restContent(schema: JsonObject, shown: Shown): JsonObject {
  return Object.fromEntries(formats.map((format) => [mediaTypes[format], contentOf(format)]))

  function contentOf(format: (typeof formats)[number]): JsonObject {
    const all = Object.entries(shown)
    if (format === "json") {
      const examples = all.map(([name, { summary, envelope }]) => [name, { summary, value: envelope }])
      return { schema, examples: Object.fromEntries(examples) }
    }
    // One will do: what is to be seen is the form.
    const [first] = all
    const text = { type: "string", description: texts[format] }
    if (!first) return { schema: text }
    return { schema: text, example: encodeEnvelope(format, first[1].envelope) }
  }
}

/** Without the parameters of what is sent: a client compares types. */
const mediaTypes = {
  json: "application/json",
  xml: "application/xml",
  yaml: "application/yaml",
  csv: "text/csv",
} as const

const texts = {
  xml: 'The same, as a `response` element; null is `xsi:nil="true"`, an array is a repeated element.',
  yaml: "The same, as YAML 1.1 and 1.2.",
  csv: "`key,value`, then a row for each leaf of `data`: `a.b`, `list[0]`; of an error, the rows `status` and `error`.",
} as const

/** The schema of a successful envelope. */
export function okEnvelope(data: JsonObject): JsonObject {
  return {
    type: "object",
    required: ["status", "error", "data"],
    properties: { status: { type: "string", const: "ok" }, error: { type: "null" }, data },
  }
}

export function okShown(summary: string, data: object): Shown[string] {
  return { summary, envelope: { status: "ok", error: null, data } }
}

export function errorShown(summary: string, error: string): Shown[string] {
  return { summary, envelope: { status: "error", error, data: null } }
}

/** `?format=`, of every REST path. */
export const formatParameter: JsonObject = {
  name: "format",
  in: "query",
  description: "The format of the answer; wins over the `Accept` header. Without either: `json`.",
  schema: { type: "string", enum: formats },
}
