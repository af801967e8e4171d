import { defineProblems } from "../../values/problems.ts"

export const { problemList, problem } = defineProblems({
  missing: "error: the document does not have the place that an operation names",
  index: "error: an operation names an item of a list, but not by an index, or by one after the end",
  root: "error: an operation removes or moves the whole document",
  move_inside: "error: an operation moves a value into itself",
  test_failed: "error: the document has another value than a test operation expects",
  large_number: "warning: a whole number beyond 2^53, which may have lost digits before it was compared",
})

/** A problem of {@link problemList}. */
export type PatchProblem = ReturnType<typeof problem>
