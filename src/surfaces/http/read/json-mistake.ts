import { visit } from "jsonc-parser"

/** How far the search goes, in UTF-16 units: about 20 ms. */
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
  if (isCut && (mistake === null || mistake.end >= maxSearched)) {
    return `; there is no mistake in the first ${maxSearched.toLocaleString("en-US")} characters`
  }
  return mistake ? `; the mistake is at line ${mistake.line}, column ${mistake.column}` : ""
}

/** The place of the first mistake. Line and column count from 1, columns in UTF-16 units. */
function findMistake(text: string): Found | null {
  function onError(_code: number, offset: number, length: number, line: number, character: number) {
    throw new Found(line + 1, character + 1, offset + length)
  }
  try {
    visit(text, { onError }, { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false })
  } catch (thrown) {
    if (thrown instanceof Found) return thrown
    // The text is nested too deep for the parser, which calls itself.
    if (!(thrown instanceof RangeError)) throw thrown
  }
  return null
}

/** Stops the search: the parser would go on after the mistake, which takes long in a large text. */
class Found extends Error {
  readonly line: number
  readonly column: number
  readonly end: number
  constructor(line: number, column: number, end: number) {
    super("found")
    this.line = line
    this.column = column
    this.end = end
  }
}
