import { defineProblems } from "../../values/problems.ts"

export const { problemList, problem } = defineProblems({
  regular_expression:
    "warning: a pattern is not an I-Regexp (RFC 9485); `match` and `search` are always false with it",
  large_number: "warning: a whole number beyond 2^53, which may have lost digits before it was read",
})
