import { createStepMeter, type Steps } from "./steps.ts"

/** How lines are sorted, besides the case. */
interface Options {
  readonly sortBy?: "text" | "natural" | "numeric"
  /** Whether only the first of lines that count as equal is kept. */
  readonly isUnique?: boolean
}

let collator: Intl.Collator | undefined

/**
 * Sorts in short steps. Case-sensitive order goes by Unicode code point. Case-insensitive order is Unicode root-locale
 * collation at its second level: it ignores case, but not accents, punctuation and spaces. Equal lines keep their order, in
 * descending order too.
 */
export function* sortLines(
  lines: readonly string[],
  order: "asc" | "desc",
  caseSensitive: boolean,
  { sortBy = "text", isUnique = false }: Options = {},
): Steps<string[]> {
  const compareKeys = caseSensitive ? compareUnits : compareCollated()
  const keyed = yield* addKeys(lines, caseSensitive ? toCodePointKey : toCollationKey, ranks[sortBy])
  const compareRanks = sortBy === "natural" ? compareKeys : compareUnits
  const compare = (a: KeyedLine, b: KeyedLine) =>
    compareRanks(a.rank ?? "", b.rank ?? "") || compareKeys(a.key, b.key)
  const sorted = yield* mergeSort(keyed, order === "asc" ? compare : (a, b) => compare(b, a))
  const kept = isUnique ? yield* withoutEqual(sorted, compare) : sorted
  return kept.map(({ line }) => line)
}

function* addKeys(
  lines: readonly string[],
  toKey: (line: string) => string,
  toRank: ((line: string, key: string) => string) | undefined,
): Steps<KeyedLine[]> {
  const isOver = createStepMeter()
  const keyed: KeyedLine[] = []
  for (const line of lines) {
    const key = toKey(line)
    keyed.push({ line, key, rank: toRank?.(line, key) })
    if (isOver(line.length)) yield
  }
  return keyed
}

function* withoutEqual(
  lines: readonly KeyedLine[],
  compare: (a: KeyedLine, b: KeyedLine) => number,
): Steps<KeyedLine[]> {
  const isOver = createStepMeter()
  const kept: KeyedLine[] = []
  for (const line of lines) {
    const last = kept.at(-1)
    if (last === undefined || compare(last, line) !== 0) kept.push(line)
    if (isOver(line.key.length)) yield
  }
  return kept
}

const ranks = { text: undefined, natural: toNaturalRank, numeric: toNumericRank }

/** Puts the length of each number before its digits, so that 10 is after 9. */
function toNaturalRank(_line: string, key: string): string {
  return key.replace(/\d+/g, (digits) => `0${withLength(digits)}`)
}

/**
 * The number that a line begins with, as a text that sorts like the number, whatever its length. Lines without a number are after
 * all others.
 */
function toNumericRank(line: string): string {
  const [, sign, digits, fraction = ""] = /^\s*([-+]?)(?=\.?\d)(\d*)(?:\.(\d+))?/.exec(line) ?? []
  if (digits === undefined) return "2"
  const size = `${withLength(digits)}.${fraction.replace(/(?<!0)0+$/, "")}`
  if (sign !== "-" || !/[1-9]/.test(digits + fraction)) return `1${size}`
  return `0${size.replace(/\d/g, (digit) => String(9 - Number(digit)))}~`
}

function withLength(digits: string): string {
  const significant = digits.replace(/^0+/, "")
  return String(significant.length).padStart(6, "0") + significant
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

/** A line and the keys by which it is compared: `rank` first, where there is one. */
type KeyedLine = { readonly line: string; readonly key: string; readonly rank?: string | undefined }

type Compare = (a: KeyedLine, b: KeyedLine) => number
type Run = readonly KeyedLine[]

/** Lines with this many UTF-16 units in all are sorted in one step; the slowest take 6 ms. */
const unitsOfRun = 1_000

/** Sorts in short steps, which `Array.sort` cannot. Equal lines keep their order. */
export function* mergeSort(lines: Run, compare: Compare): Steps<Run> {
  // One for all merges: many short ones would be a long step.
  const isOver = createStepMeter()
  let runs = yield* sortRuns(lines, compare)
  while (runs.length > 1) {
    const longer: Run[] = []
    for (let index = 0; index < runs.length; index += 2)
      longer.push(yield* merge(runs[index] ?? [], runs[index + 1] ?? [], compare, isOver))
    runs = longer
  }
  return runs[0] ?? []
}

/** Divides the lines into short runs, each sorted. */
function* sortRuns(lines: Run, compare: Compare): Steps<Run[]> {
  const runs: Run[] = []
  let start = 0
  let units = 0
  for (const [index, { key }] of lines.entries()) {
    units += key.length + 1
    if (units < unitsOfRun) continue
    runs.push(lines.slice(start, index + 1).sort(compare))
    start = index + 1
    units = 0
    yield
  }
  return [...runs, lines.slice(start).sort(compare)]
}

function* merge(left: Run, right: Run, compare: Compare, isOver: (length: number) => boolean): Steps<Run> {
  const merged: KeyedLine[] = []
  let [leftAt, rightAt] = [0, 0]
  let [a, b] = [left[0], right[0]]
  while (a && b) {
    if (compare(a, b) <= 0) {
      merged.push(a)
      a = left[++leftAt]
    } else {
      merged.push(b)
      b = right[++rightAt]
    }
    if (isOver(merged.at(-1)?.key.length ?? 0)) yield
  }
  return merged.concat(left.slice(leftAt), right.slice(rightAt))
}
