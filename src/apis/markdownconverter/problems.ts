import { defineProblems } from "../../values/problems.ts"

export const { problemList, problem } = defineProblems({
  html_as_text:
    "info: tags that would hide the text after them are shown as text: the nine of GFM (section 6.11), and those without an end",
  instructions_left_out:
    "warning: processing instructions, declarations and CDATA are left out with the text in them, as browsers show none of it",
  html_left_out: "warning: tags that are not allowed are left out, and the text in them is kept",
})
