import { Type } from "@sinclair/typebox"
import { choice, defineIsolatedApi } from "../contract.ts"
import { field, storedExamples } from "../shared.ts"
import answers from "./answers.json"
import stored from "./examples.json"
import { problemList } from "./values.ts"

const formats = ["json", "yaml", "xml", "csv", "toml"] as const

export const dataconverter = defineIsolatedApi({
  id: "dataconverter",
  title: "Data converter",
  category: "data",
  keywords: [
    "JSON",
    "YAML",
    "XML",
    "CSV",
    "TOML",
    "convert",
    "transform",
    "spreadsheet",
    "configuration",
    "format",
  ],
  description:
    "Converts data between JSON, YAML, XML, CSV and TOML. Warns about everything that the other format cannot hold, such as comments and types. Keeps every digit of numbers.",
  method: "POST",
  credits: 1,
  input: Type.Object({
    text: field.text(
      "The data: JSON (RFC 8259), YAML 1.2, XML 1.0, CSV with names in the first row (RFC 4180), or TOML 1.1.",
      { maxLength: 200_000 },
    ),
    from: choice(formats, { description: "The format of the text." }),
    to: choice(formats, { description: "The format to convert it to." }),
    delimiter: field.optional.choice(
      "What parts the columns of CSV, read and written. A first line such as `sep=;` counts in any case.",
      ["comma", "semicolon", "tab"],
      "comma",
    ),
    short_rows: field.optional.choice(
      "Whether rows of CSV with too few fields are refused, or filled with empty fields.",
      ["refuse", "fill"],
      "refuse",
    ),
  }),
  output: Type.Object({
    text: field.text("The data in the other format."),
    problems: problemList,
  }),
  examples: storedExamples(stored, answers),
  isolated: {
    limitMs: 2_000,
    // Aliases of YAML copy values that may have aliases. Three cannot make many values of a short text.
    isBounded: ({ text }) => String(text).split("*").length <= 4,
  },
})
