import { defineProblems } from "../../values/problems.ts"

export const { problemList, problem } = defineProblems({
  no_run: ["error", "no time fits the expression"],
  either_day: ["warning", "it runs on days that fit one of two fields, not both"],
  left_out: ["warning", "a change of the clocks leaves out a time"],
  repeated: ["info", "a change of the clocks repeats a time"],
})
