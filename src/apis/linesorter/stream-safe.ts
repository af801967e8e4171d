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
