import { visit } from "jsonc-parser"

/** How far the search goes, in UTF-16 units: about 30 ms. */
export const maxSearched = 200_000

/**
 * Says where a text that is not JSON (RFC 8259) has its first mistake, since Bun's own parser does not. Goes on from "must be
 * valid JSON"; empty when the place is not known. Nothing of the text is quoted: it may hold a secret.
 */
export function placeOfMistake(text: string): string {
  const isCut = text.length > maxSearched
  const searched = isCut ? text.slice(0, maxSearched) : text
  const mistake = findMistake(searched)
  // The cut itself looks like a mistake.
  if (isCut && (mistake === null || mistake.end >= maxSearched))
    return `; there is no mistake in the first ${maxSearched.toLocaleString("en-US")} characters`
  return mistake ? `; the mistake is at line ${mistake.line}, column ${mistake.column}` : ""
}

/** The place of the first mistake. Line and column count from 1, columns in UTF-16 units. */
function findMistake(text: string) {
  const found: { readonly line: number; readonly column: number; readonly end: number }[] = []
  function onError(_code: number, offset: number, length: number, line: number, character: number): void {
    if (found.length === 0) found.push({ line: line + 1, column: character + 1, end: offset + length })
  }
  try {
    visit(text, { onError }, { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false })
  } catch (thrown) {
    // The text is nested too deep for the parser, which calls itself.
    if (!(thrown instanceof RangeError)) throw thrown
  }
  return found[0] ?? null
}
