export type Order = "asc" | "desc"

/**
 * Sorts lines without touching the given array. Case-sensitive is by Unicode code point. Otherwise it is Unicode
 * root-locale collation at its second level: case is ignored, accents, punctuation and blanks are not. Lines that are
 * equal in that sense keep their order, descending too.
 */
export function sortLines(lines: readonly string[], order: Order, caseSensitive: boolean): string[] {
  if (caseSensitive) return sortByCodePoint(lines, order)
  const { compare } = collator()
  return lines.toSorted(order === "asc" ? compare : (a, b) => compare(b, a))
}

function sortByCodePoint(lines: readonly string[], order: Order): string[] {
  // Equal here means identical, so nobody can tell a reversed tie.
  const sorted = lines.some(hasSurrogate) ? sortByKey(lines) : lines.toSorted()
  return order === "asc" ? sorted : sorted.reverse()
}

let rootCollator: Intl.Collator | undefined

/**
 * Made on first use, since it costs half a millisecond. CLDR's English is the root collation untailored, whereas `und`
 * would be resolved to whatever language the machine speaks.
 */
function collator(): Intl.Collator {
  rootCollator ??= new Intl.Collator("en", {
    sensitivity: "accent",
    ignorePunctuation: false,
    numeric: false,
    caseFirst: "false",
  })
  return rootCollator
}

function hasSurrogate(line: string): boolean {
  return /[\ud800-\udfff]/.test(line)
}

function sortByKey(lines: readonly string[]): string[] {
  return lines
    .map((line) => ({ line, key: toCodePointKey(line) }))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ line }) => line)
}

/**
 * A string whose order by UTF-16 unit, which is how JavaScript compares, is the line's order by code point: as they
 * stand, surrogate pairs (U+10000 and up) would come before U+E000–U+FFFF. Pairs, and U+FFFF to stay below them, become
 * U+FFFF followed by the code point in two units.
 */
function toCodePointKey(line: string): string {
  return line.replace(/[\uffff\u{10000}-\u{10ffff}]/gu, (character) => {
    const codePoint = character.codePointAt(0) ?? 0
    return String.fromCharCode(0xffff, codePoint >>> 16, codePoint & 0xffff)
  })
}
