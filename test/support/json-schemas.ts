/** Calls of jsonschemavalidator, and a meta-schema that asserts formats. */
import { run } from "../../src/apis/jsonschemavalidator/run.ts"
import { runIsolated } from "./run-isolated.ts"

export const check = (schema: unknown, document: unknown, others?: unknown, premium = true) =>
  runIsolated(run, { schema, document, ...(others === undefined ? {} : { others }) }, premium)

export const metaSchema = "https://json-schema.org/draft/2020-12/schema"
export const vocabulary = (name: string) => `https://json-schema.org/draft/2020-12/vocab/${name}`
export const meta = (name: string) => `https://json-schema.org/draft/2020-12/meta/${name}`
export const withFormats = "https://a.example/formats"
export const formatsMeta = {
  [withFormats]: {
    $schema: metaSchema,
    $id: withFormats,
    $vocabulary: { [vocabulary("core")]: true, [vocabulary("format-assertion")]: true },
    $dynamicAnchor: "meta",
    allOf: [{ $ref: meta("core") }, { $ref: meta("format-assertion") }],
  },
}
