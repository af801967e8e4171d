import { defineProblems } from "../../values/problems.ts"

export const { problemList, problem } = defineProblems({
  regular_expression: [
    "warning",
    "a pattern is not an I-Regexp (RFC 9485); `match` and `search` are always false with it",
  ],
})
