import { type KeyedLine, mergeSort } from "./merge-sort.ts"
import { createStepMeter, type Steps } from "./steps.ts"

type Order = "asc" | "desc"

let collator: Intl.Collator | undefined

/**
 * Sorts in short steps. Case-sensitive order goes by Unicode code point. Case-insensitive order is Unicode root-locale
 * collation at its second level: it ignores case, but not accents, punctuation and spaces. Equal lines keep their order, in
 * descending order too.
 */
export function* sortLines(lines: readonly string[], order: Order, caseSensitive: boolean): Steps<string[]> {
  const keyed = yield* addKeys(lines, caseSensitive ? toCodePointKey : toCollationKey)
  const compare = caseSensitive ? compareUnits : compareCollated()
  const sorted = yield* mergeSort(
    keyed,
    order === "asc" ? (a, b) => compare(a.key, b.key) : (a, b) => compare(b.key, a.key),
  )
  return sorted.map(({ line }) => line)
}

function* addKeys(lines: readonly string[], toKey: (line: string) => string): Steps<KeyedLine[]> {
  const isOver = createStepMeter()
  const keyed: KeyedLine[] = []
  for (const line of lines) {
    keyed.push({ line, key: toKey(line) })
    if (isOver(line.length)) yield
  }
  return keyed
}

function compareUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function compareCollated(): (a: string, b: string) => number {
  // Made on first use, since it takes half a millisecond. English uses the root collation without changes (CLDR),
  // whereas `und` would become the language of the machine.
  collator ??= new Intl.Collator("en", { sensitivity: "accent" })
  return collator.compare
}

/** This order ignores case. In one case, more lines begin alike, and the collator skips what is alike. */
function toCollationKey(line: string): string {
  return line.toLowerCase()
}

/**
 * JavaScript compares strings by UTF-16 unit, which puts surrogate pairs (U+10000 and up) before U+E000–U+FFFF. The bytes of
 * UTF-8 have the order of the code points. The key has a character for each byte.
 */
function toCodePointKey(line: string): string {
  return /[^\0-\x7f]/.test(line) ? Buffer.from(line).toString("latin1") : line
}
