import { defineProblems } from "../../values/problems.ts"

export const { problemList, problem } = defineProblems({
  missing: ["error", "an operation leads to a place that the document does not have"],
  index: [
    "error",
    "an operation names an item of a list by something that is no index, or by one after the end",
  ],
  root: ["error", "an operation removes or moves the whole document"],
  move_inside: ["error", "an operation moves a value into itself"],
  test_failed: ["error", "the value of a test operation is another one"],
  large_number: ["warning", "a whole number beyond 2^53, which may have lost digits before it was compared"],
})

/** A problem of {@link problemList}. */
export type PatchProblem = ReturnType<typeof problem>
