import { Type } from "@sinclair/typebox"
import { defineApi } from "../contract.ts"
import { field, storedExamples } from "../shared.ts"
import answers from "./answers.json"
import stored from "./examples.json"
import { requireSortable } from "./line-check.ts"
import { sortLines } from "./line-order.ts"
import { finish } from "./steps.ts"

export const linesorter = defineApi({
  id: "linesorter",
  title: "Line sorter",
  category: "text",
  keywords: ["alphabetical", "order", "list", "collation", "unicode", "arrange"],
  description:
    "Sorts lines of text alphabetically (Unicode collation) or by code point. Equal lines keep their order.",
  method: "POST",
  credits: 1,
  input: Type.Object({
    lines: Type.Array(Type.String(), {
      maxItems: 10_000,
      description: "The lines to sort: Stream-Safe Text (UAX #15), each of at most 100,000 characters.",
    }),
    order: field.optional.choice("Ascending or descending.", ["asc", "desc"], "asc"),
    caseSensitive: field.optional.flag(
      "When false, lines are sorted alphabetically, and upper and lower case count as equal. When true, lines are sorted by Unicode code point.",
      { default: false },
    ),
    sort_by: field.optional.choice(
      "`natural` compares numbers in the text by their size: `file9` is before `file10`. `numeric` sorts by the decimal number that a line begins with; lines without one come after the others.",
      ["text", "natural", "numeric"],
      "text",
    ),
    remove_duplicates: field.optional.flag(
      "Whether only the first of equal lines is kept. Lines that differ by case alone are equal unless `caseSensitive` is true.",
      { default: false },
    ),
  }),
  output: Type.Object({
    sorted: field.texts("The lines in sorted order."),
    lineCount: field.integer("How many lines were sorted."),
    order: field.text("The order applied: `asc` or `desc`."),
    caseSensitive: field.flag("Whether upper and lower case counted as different."),
    duplicates_removed: field.optional.integer(
      "How many lines were left out; only with `remove_duplicates`.",
    ),
  }),
  examples: storedExamples(stored, answers),
  run(
    {
      lines,
      order = "asc",
      caseSensitive = false,
      sort_by: sortBy = "text",
      remove_duplicates: isUnique = false,
    },
    { giveWay },
  ) {
    return finish(work(), giveWay)

    function* work() {
      yield* requireSortable(lines)
      const sorted = yield* sortLines(lines, order, caseSensitive, { sortBy, isUnique })
      const answer = { sorted, lineCount: sorted.length, order, caseSensitive }
      return isUnique ? { ...answer, duplicates_removed: lines.length - sorted.length } : answer
    }
  },
})
