import { Type } from "@sinclair/typebox"
import { jsonValue } from "../../values/json-value.ts"
import { choice, defineIsolatedApi, premium } from "../contract.ts"
import { field, storedExamples } from "../shared.ts"
import answers from "./answers.json"
import stored from "./examples.json"

const where = field.text(
  "The place in the document, as a JSON Pointer (RFC 6901); empty for the whole document.",
)
const schemaLocation = field.text(
  "The place of the keyword in the schema: `#` and a JSON Pointer, after the `$id` if the schema has one.",
)
const problemItem = Type.Object({
  code: field.text(
    "The keyword of JSON Schema that the value does not fit, such as `type`; or `large_number` for a whole number beyond 2^53, which may have lost digits before it was compared.",
  ),
  severity: choice(["error", "warning"], {
    description: "`error`, or `warning` for `large_number`, which leaves the document valid.",
  }),
  message: field.text("What the value must be, in one sentence."),
  where,
  schema_location: schemaLocation,
})

export const jsonschemavalidator = defineIsolatedApi({
  id: "jsonschemavalidator",
  title: "JSON Schema validator",
  category: "data",
  keywords: ["draft 7", "2020-12", "check", "structure", "OpenAPI", "contract", "JSON Schema", "instance"],
  description:
    "Checks a JSON document against a JSON Schema (2020-12 or draft 7), and reports which values do not fit which keyword. It never fetches a schema, and matches patterns in linear time. It checks `format` where you ask for it.",
  method: "POST",
  credits: 1,
  input: Type.Object({
    schema: jsonValue({
      description:
        "The schema: an object, true or false, at most 200,000 characters as JSON. `$schema` names its draft; the default is 2020-12. `$ref` must refer to a place in it or in `others`. Patterns cannot have lookaheads, lookbehinds and back-references.",
    }),
    others: Type.Optional(
      jsonValue({
        description:
          "Other schemas that `schema` refers to: an object with their addresses as keys, at most 20. A meta-schema with `$vocabulary` may be one of them.",
      }),
    ),
    document: jsonValue({ description: "The document, at most 500,000 characters as JSON." }),
    assert_formats: field.optional.flag(
      "Whether `format` is checked for the formats of JSON Schema 2020-12 (validation, section 7.3), such as `date` and `email`. A meta-schema with the vocabulary `format-assertion` has it checked in any case.",
      { default: false },
    ),
  }),
  output: Type.Object({
    is_valid: field.flag("Whether the document fits the schema."),
    dialect: choice(["2020-12", "draft-07"], { description: "The draft of JSON Schema." }),
    problems: Type.Array(problemItem, {
      description:
        "The first 20 values that do not fit, then a warning for each parameter with a number beyond 2^53.",
    }),
    all_problems: premium(Type.Array(problemItem, { description: "The same, up to 1,000." })),
    annotations: premium(
      field.rows(
        "What the schema says about the values of a valid document, such as titles, defaults and formats; at most 1,000.",
        {
          keyword: field.text("The keyword, such as `title`."),
          value: jsonValue({ description: "The keyword's value in the schema." }),
          where,
          schema_location: schemaLocation,
        },
      ),
    ),
  }),
  examples: storedExamples(stored, answers),
  isolated: {
    limitMs: 1_000,
    // References may double the work with each step. Patterns and formats take steps of their own. The library keeps `others` by
    // their addresses, where another run would find them.
    isBounded: ({ schema, others, assert_formats: hasFormats }) =>
      others === undefined &&
      hasFormats !== true &&
      !/"(?:\$(?!schema")|pattern)/.test(JSON.stringify(schema)),
  },
})
