import type { Token } from "markdown-it"
import { defineProblems } from "../../values/problems.ts"

export const { problemList, problem } = defineProblems({
  html_as_text:
    "info: tags that would hide the text after them are shown as text: the nine of GFM (section 6.11), and those without an end",
  instructions_left_out:
    "warning: processing instructions, declarations and CDATA are left out with the text in them, as browsers show none of it",
  html_left_out: "warning: tags that are not allowed are left out, and the text in them is kept",
})

/** Tags after which parsers read all that follows as text, up to the end of the document (GFM 0.29, section 6.11). */
const disallowed = "title|textarea|style|xmp|iframe|noembed|noframes|script|plaintext"
const disallowedTag = new RegExp(`<(?=/?(?:${disallowed})(?![a-z\\d-]))`, "gi")
/** A whole tag, comment or declaration; or a `<` that begins none. Quotation marks count after an equals sign alone. */
const piece =
  /<!--[\s\S]*?-->|<!\[CDATA\[[\s\S]*?\]\]>|<\?[\s\S]*?>|<!(?!--|\[CDATA\[)[^>]*>|<\/?[a-z](?:=\s*(?:"[^"]*"|'[^']*'|(?=[^\s"']))|[^=>])*>|</gi

/** Markup that is neither a tag nor a comment: `<?php … ?>`, `<!DOCTYPE …>`, `<![CDATA[…]]>`. */
const instruction = /^<(?:\?|!(?!--))/

/**
 * Shows as text what would take the text after it away: the nine tags of GFM, and tags and comments without an end.
 * @returns how many there were, and how many instructions and declarations, which are never shown
 */
export function showUnsafeTags(tokens: readonly Token[]) {
  let count = 0
  let instructions = 0
  for (const token of tokens) {
    if (token.type === "html_block")
      token.content = token.content
        .replace(disallowedTag, () => toText())
        .replace(piece, (found) => {
          if (instruction.test(found)) instructions++
          return found === "<" ? toText() : found
        })
    for (const inline of token.children ?? []) {
      if (inline.type === "html_inline" && instruction.test(inline.content)) instructions++
      if (inline.type !== "html_inline" || inline.content.search(disallowedTag) !== 0) continue
      inline.type = "text"
      count++
    }
  }
  return { asText: count, instructions }

  function toText(): string {
    count++
    return "&lt;"
  }
}
