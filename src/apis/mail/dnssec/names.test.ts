import { expect, test } from "bun:test"
import fc from "fast-check"
import {
  commonAncestor,
  compareNames,
  isBelow,
  isWithin,
  labelsOf,
  nameOf,
  parentOf,
  suffixOf,
  toWire,
} from "./names.ts"

const label = fc
  .array(
    fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom(..."ab-*\x00\xff.") },
      fc.integer({ min: 0, max: 255 }).map((byte) => String.fromCharCode(byte)),
    ),
    { minLength: 1, maxLength: 4 },
  )
  // The port writes names in lower case. It does not escape a backslash, so a name with one is ambiguous.
  .map((characters) => characters.join("").replace(/[A-Z]/g, "x").replaceAll("\\", "/"))
const name = fc.array(label, { maxLength: 5 }).map(nameOf)
const runs = { numRuns: 2_000, seed: 27 }

test("canonical order is that of the example in RFC 4034 §6.1", () => {
  const sorted = [
    ..."example a.example yljkjljk.a.example z.a.example zabc.a.example z.example".split(" "),
    ..."\x01.z.example *.z.example \xc8.z.example".split(" "),
  ]
  expect(sorted.toReversed().sort(compareNames)).toEqual(sorted)
})

test("canonical order is the order of the labels from the right, as bytes with an end before each label", () => {
  // Every byte is made one larger, so that an end, 0, is before all of them.
  const keyOf = (text: string) =>
    Buffer.from(
      labelsOf(text)
        .toReversed()
        .flatMap((one) => [...[...one].flatMap((character) => [1, character.charCodeAt(0)]), 0]),
    )
  fc.assert(
    fc.property(name, name, (one, other) => {
      expect(Math.sign(compareNames(one, other))).toBe(Buffer.compare(keyOf(one), keyOf(other)))
    }),
    runs,
  )
})

test("names are within their ancestors, and no others", () =>
  fc.assert(
    fc.property(name, name, (one, other) => {
      const common = commonAncestor(one, other)
      expect(isWithin(one, common) && isWithin(other, common)).toBe(true)
      expect(isBelow(one, other)).toBe(one !== other && common === other)
      expect(suffixOf(one, labelsOf(one).length)).toBe(one)
      expect(isWithin(one, parentOf(one))).toBe(true)
      expect(toWire(one).length).toBe(labelsOf(one).reduce((sum, text) => sum + 1 + text.length, 1))
    }),
    runs,
  ))

test("a dot inside a label is no border", () => {
  expect(labelsOf("a\\.b.c")).toEqual(["a.b", "c"])
  expect(isBelow("a\\.b.c", "b.c")).toBe(false)
  expect(toWire("a\\.b.c").toString("hex")).toBe("03612e620163" + "00")
})
