import { Type } from "@sinclair/typebox"
import { jsonValue } from "../../values/json-value.ts"
import { defineIsolatedApi } from "../contract.ts"
import { field, storedExamples } from "../shared.ts"
import answers from "./answers.json"
import stored from "./examples.json"
import { problemList } from "./problems.ts"

export const jsonpath = defineIsolatedApi({
  id: "jsonpath",
  title: "JSONPath",
  category: "data",
  keywords: [
    "query",
    "select",
    "extract",
    "filter",
    "take",
    "values",
    "RFC 9535",
    "RFC 9485",
    "document",
    "jq",
  ],
  description:
    "Finds the values of a JSON document that match a JSONPath (RFC 9535), each with its normalized path. Regular expressions in filters are I-Regexp (RFC 9485) and take linear time.",
  method: "POST",
  singleValues: ["path"],
  credits: 1,
  input: Type.Object({
    document: jsonValue({
      description: "The document. Whole numbers beyond 2^53 lose digits, with a warning: send them as text.",
    }),
    path: field.text("The path, such as `$.store.book[?@.price < 10].title`.", {
      minLength: 1,
      maxLength: 2_000,
    }),
  }),
  output: Type.Object({
    values: Type.Array(jsonValue({ description: "A value that matches the path." }), {
      description:
        "The values that match, at most 10,000, in the order of the path's selectors. Members of an object come in its order, except that names which are whole numbers, such as `10`, come first and by size.",
    }),
    paths: field.texts("The normalized path of each value (RFC 9535 section 2.7): `$['store']['book'][0]`."),
    problems: problemList,
  }),
  examples: storedExamples(stored, answers),
  isolated: { limitMs: 1_000, isBounded: ({ path }) => typeof path === "string" && isBounded(path) },
})

/**
 * Whether no value is visited twice by a segment of the path, nor the whole document by a filter. Several descents, selectors of
 * one segment or filters multiply their steps, and so do a filter below a descent, and queries in a filter that find many values.
 */
function isBounded(path: string): boolean {
  const [, filter, ...filters] = path.split("?")
  const descents = path.split("..").length - 1
  if (path.includes(",") || filters.length > 0) return false
  return filter === undefined ? descents <= 1 : descents === 0 && !/[$*:(]/.test(filter)
}
