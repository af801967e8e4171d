import { type KindName, kindOf } from "./kinds.ts"

/** Messages for the errors of bwip-js, by the error's name, such as `ean13badCheckDigit`. The first pattern that fits is used. */
const mistakes = [
  [/checkdigit|checksum|checkchar/i, "its check digit is wrong; leave it out to have it computed"],
  [/^GS1unknownAI/, "GS1 has no such identifier"],
  [/^GS1(?:missing|exclusive|repeated)/, "its identifiers do not go together"],
  [/^GS1aiMissing|BadAI|^GS1dl/i, "its values need identifiers in parentheses before them"],
  [/^GS1|coupon/i, "a value does not have the form that GS1 gives its identifier"],
  [/dash/i, "its hyphens are missing, or at wrong places"],
  [/length|long|large|much|NoValidSymbol|capacity|emptyData/i, "its length does not fit"],
  [/startDigit|prefix|numberSystem|firstDigit/i, "it begins with a digit that the kind does not have"],
  [/character|numeric|startStop|format/i, "it has a character that the kind does not have"],
] as const
const others = "the kind cannot hold it"

/** The sentences that {@link mistakeOf} can end with. */
export const reasons: readonly string[] = [...mistakes.map(([, reason]) => reason), others]

/**
 * Says what is wrong with a text, by the error that bwip-js throws, such as `bwipp.ean13badCheckDigit#6915: …`; null for an error
 * that is no fault of the text. The words of the library are for programmers, and some are wrong.
 */
export function mistakeOf(error: unknown, kind: KindName): string | null {
  const text = error instanceof Error ? error.message : String(error)
  const [, name] = /^bwipp\.(\w+)/.exec(text) ?? []
  if (name === undefined) return null
  const { sample, digits } = kindOf(kind)
  const reason = mistakes.find(([pattern]) => pattern.test(name))?.[1] ?? others
  const form = digits === undefined ? "" : ` (${digits - 1} digits, and ${digits} with the check digit)`
  return `must fit the kind '${kind}', such as ${sample}${form}: ${reason}`
}
