import { Type } from "@sinclair/typebox"
import { group } from "../../values/text.ts"
import { defineApi, reject } from "../contract.ts"
import { field, storedExamples } from "../shared.ts"
import answers from "./answers.json"
import stored from "./examples.json"
import { sortLines } from "./line-order.ts"
import { createStepMeter, finish, type Steps } from "./steps.ts"

export const linesorter = defineApi({
  id: "linesorter",
  title: "Line sorter",
  category: "text",
  keywords: ["alphabetical", "order", "list", "collation", "unicode", "arrange"],
  description:
    "Sorts lines of text alphabetically (Unicode collation) or by code point. Equal lines keep their order.",
  method: "POST",
  credits: 1,
  input: Type.Object({
    lines: Type.Array(Type.String(), {
      maxItems: 10_000,
      description: "The lines to sort: Stream-Safe Text (UAX #15), each of at most 100,000 characters.",
    }),
    order: field.optional.choice("Ascending or descending.", ["asc", "desc"], "asc"),
    caseSensitive: field.optional.flag(
      "When false, lines are sorted alphabetically, and upper and lower case count as equal. When true, lines are sorted by Unicode code point.",
      { default: false },
    ),
    sort_by: field.optional.choice(
      "`natural` compares numbers in the text by their size: `file9` is before `file10`. `numeric` sorts by the decimal number that a line begins with; lines without one come after the others.",
      ["text", "natural", "numeric"],
      "text",
    ),
    remove_duplicates: field.optional.flag(
      "Whether only the first of equal lines is kept. Lines that differ by case alone are equal unless `caseSensitive` is true.",
      { default: false },
    ),
  }),
  output: Type.Object({
    sorted: field.texts("The lines in sorted order."),
    lineCount: field.integer("How many lines were sorted."),
    order: field.text("The order applied: `asc` or `desc`."),
    caseSensitive: field.flag("Whether upper and lower case counted as different."),
    duplicates_removed: field.optional.integer(
      "How many lines were left out; only with `remove_duplicates`.",
    ),
  }),
  examples: storedExamples(stored, answers),
  run(
    {
      lines,
      order = "asc",
      caseSensitive = false,
      sort_by: sortBy = "text",
      remove_duplicates: isUnique = false,
    },
    { giveWay },
  ) {
    return finish(work(), giveWay)

    function* work() {
      yield* requireSortable(lines)
      const sorted = yield* sortLines(lines, order, caseSensitive, { sortBy, isUnique })
      const answer = { sorted, lineCount: sorted.length, order, caseSensitive }
      return isUnique ? { ...answer, duplicates_removed: lines.length - sorted.length } : answer
    }
  },
})

const maxCharacters = 100_000
/** Most letters become at most four. A few ligatures become up to 18, and take as much longer to compare. */
const maxDecomposed = 400_000
/** UTF-16 units in NFKD for one unit at most, for U+FDFA. */
const maxGrowth = 18
const maxRepeatedSigns = 10_000

/**
 * Refuses, in short steps, lines that would take long to compare.
 * @throws InputRejected for `lines`
 */
function* requireSortable(lines: readonly string[]): Steps<void> {
  const isOver = createStepMeter()
  let repeatedSigns = 0
  for (const [index, line] of lines.entries()) {
    const refuse = (requirement: string) =>
      reject("lines", `${requirement}; item ${index} (counted from 0) has more`)
    if (isLonger(line, maxCharacters)) refuse(`must have lines of at most ${group(maxCharacters)} characters`)
    if (!isStreamSafe(line))
      refuse("must be Stream-Safe Text (UAX #15), with at most 30 combining marks in a row")
    repeatedSigns += countRepeatedSigns(line)
    if (repeatedSigns > maxRepeatedSigns)
      refuse(`must have at most ${group(maxRepeatedSigns)} repeated vowel signs U+0F71 in all lines together`)
    if (isOver(line.length)) yield
    if (line.length * maxGrowth > maxDecomposed && (yield* isLongDecomposed(line)))
      refuse(
        `must have lines of at most ${group(maxDecomposed)} characters after compatibility decomposition (NFKD)`,
      )
  }
}

/** Decomposes pieces, since the whole could take long. */
function* isLongDecomposed(line: string): Steps<boolean> {
  const pieceLength = 10_000
  let count = 0
  for (let start = 0; start < line.length && count <= maxDecomposed; start += pieceLength) {
    for (const _ of line.slice(start, start + pieceLength).normalize("NFKD")) count++
    yield
  }
  return count > maxDecomposed
}

function isLonger(line: string, maximum: number): boolean {
  if (line.length <= maximum) return false
  if (line.length > 2 * maximum) return true
  let count = 0
  for (const _ of line) count++
  return count > maximum
}

/**
 * Counts the signs U+0F71 that follow another one in the same run of marks, alone or in a composed sign. The collator looks
 * for the other half of each in the whole run, so a run of 30 takes ten times as long as other marks.
 */
function countRepeatedSigns(line: string): number {
  let count = 0
  for (const [run] of line.matchAll(/[\u0f71\u0f73\u0f75\u0f81]\p{M}+/gu))
    count += (run.match(/[\u0f71\u0f73\u0f75\u0f81]/g)?.length ?? 1) - 1
  return count
}

/** The most non-starters in a row that Stream-Safe Text has after NFKD (UAX #15 §13). */
const maxNonStarters = 30

/**
 * Every code point whose NFKD begins with a non-starter is in this class, stands for at most two of them, and follows a code
 * point that ends with at most three. So 13 in a row are 29 at most.
 */
const longRun = /[\p{M}\uff9e\uff9f]{14}/u

/** Whether a line is Stream-Safe Text. Takes time linear in its length, which normalizing the whole line would not. */
export function isStreamSafe(line: string): boolean {
  if (!longRun.test(line)) return true
  let nonStarters = 0
  for (const character of line) {
    const { isMark, count } = endingOf(character)
    nonStarters = isMark ? nonStarters + count : count
    if (nonStarters > maxNonStarters) return false
  }
  return true
}

/** The non-starters at the end of a code point's NFKD. */
interface Ending {
  /** Whether there is nothing else in it. */
  readonly isMark: boolean
  readonly count: number
}

/** Grows with the code points that are seen in long runs and next to them, all of Unicode at most. */
const endings = new Map<string, Ending>()

function endingOf(character: string): Ending {
  const known = endings.get(character)
  if (known) return known
  const parts = [...character.normalize("NFKD")]
  const starterAt = parts.findLastIndex((part) => !isNonStarter(part))
  const ending = { isMark: starterAt === -1, count: parts.length - 1 - starterAt }
  endings.set(character, ending)
  return ending
}

/**
 * A non-starter has a combining class other than 0. Normalization sorts neighbours by class, so it moves one that comes after
 * U+0345, which has the highest class, 240.
 */
function isNonStarter(character: string): boolean {
  return character === "\u0345" || `\u0345${character}`.normalize("NFD") !== `\u0345${character}`
}
