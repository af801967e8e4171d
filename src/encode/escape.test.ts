import { expect, test } from "bun:test"
import fc from "fast-check"
import { createEscape } from "./escape.ts"

const escapes = [
  ["&", "&amp;"],
  ["\0", "\ufffd"],
  ["\uffff", "\\uffff"],
  ['"', '""'],
] as const
const replaceAll = createEscape(escapes)

test("each unit is replaced by its text, and the others stay", () => {
  const others = ["a", "é", "\u2028", "\u{1f600}", "\ud800"]
  const characters = fc.constantFrom(...escapes.map(([character]) => character), ...others)
  fc.assert(
    fc.property(fc.string({ unit: characters, maxLength: 40 }), (text) => {
      const units = text.split("").map((unit) => new Map<string, string>(escapes).get(unit) ?? unit)
      expect(replaceAll(text)).toBe(units.join(""))
    }),
    { numRuns: 500 },
  )
})

test("nothing to replace, and nothing at all", () => {
  for (const text of ["", "abc", "\u{1f600}"]) expect(replaceAll(text)).toBe(text)
})
