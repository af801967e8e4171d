import fc from "fast-check"

const surrogates = { first: 0xd800, count: 0x800 }

/**
 * Any Unicode character, the unit of a string as `unit: "binary"` is. To try dangerous texts, that one makes a map of all 1.1
 * million characters: a second of processor time in each process, and memory that every later collection looks through.
 */
export const anyCharacter = fc
  .nat({ max: 0x10ffff - surrogates.count })
  .map((place) => String.fromCodePoint(place + (place < surrogates.first ? 0 : surrogates.count)), placeOf)

/** @throws Error for what is no character, as fast-check expects */
function placeOf(value: unknown): number {
  const code = typeof value === "string" ? value.codePointAt(0) : undefined
  if (code === undefined || String.fromCodePoint(code) !== value) throw new Error("not one character")
  if (code < surrogates.first) return code
  if (code < surrogates.first + surrogates.count) throw new Error("half of a character")
  return code - surrogates.count
}
