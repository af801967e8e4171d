import { expect, test } from "bun:test"
import { Type } from "@sinclair/typebox"
import fc from "fast-check"
import { findLargeNumber, isJsonValue, jsonValue, largeNumberSentence, mistakeOfJson } from "./json-value.ts"

const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels)

test("is distinguished from other schemas", () => {
  expect(isJsonValue(jsonValue({ description: "x" }))).toBe(true)
  expect([Type.String(), Type.Null(), Type.Object({})].map(isJsonValue)).toEqual([false, false, false])
})

test("any value of JSON may come in", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      expect(mistakeOfJson(value)).toBeNull()
    }),
    { seed: 26 },
  )
  for (const text of [nested(100), "9007199254740993", '{"constructor": 1}', '""', "null"])
    expect(mistakeOfJson(JSON.parse(text))).toBeNull()
})

test.each([
  ["101 levels", nested(101), "must have at most 100 levels"],
  ["20,000 levels", nested(20_000), "must have at most 100 levels"],
  ["100,001 values", `[${"0,".repeat(99_999)}0]`, "must have at most 100,000 values"],
  ["a number without end", "[1e999]", "must have no number beyond 1.8e308"],
  ["a prototype", '{"a": [{"__proto__": 1}]}', "must have no member named __proto__"],
  ["half a character", '{"a": ["\\ud800"]}', "must be well-formed Unicode text, without lone surrogates"],
  [
    "half a character in a name",
    '{"\\udc00": 1}',
    "must be well-formed Unicode text, without lone surrogates",
  ],
])("%s", (_title, text, mistake) => expect(mistakeOfJson(JSON.parse(text))).toBe(mistake))

test("a whole number that lost digits is found, wherever it is, and no safe one is", () => {
  const whole = fc.oneof(
    fc.bigInt({ min: -(10n ** 22n), max: 10n ** 22n }).map(String),
    fc
      .tuple(fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }), fc.nat(4))
      .map(([digits, power]) => `${digits}e${power}`),
    fc
      .bigInt({ min: 10n ** 15n, max: 10n ** 19n })
      .map(
        (digits) => `${String(digits).slice(0, 1)}.${String(digits).slice(1)}E+${String(digits).length - 1}`,
      ),
  )
  const places: readonly ((number: string) => readonly [json: string, pointer: string])[] = [
    (number) => [number, ""],
    (number) => [`[0.5, ${number}]`, "/1"],
    (number) => [`{"a/b": {"c": [-0, 1e-7, {"": ${number}}]}}`, "/a~1b/c/2/"],
  ]
  fc.assert(
    fc.property(whole, fc.constantFrom(...places), (number, place) => {
      const [json, pointer] = place(number)
      const value: unknown = JSON.parse(json)
      const [digits = "", power = "0"] = number.toLowerCase().replace("+", "").split("e")
      const [before = "", after = ""] = digits.split(".")
      const meant = BigInt(before + after) * 10n ** BigInt(Number(power) - after.length)
      const size = meant < 0n ? -meant : meant
      expect(findLargeNumber(value)).toBe(size > BigInt(Number.MAX_SAFE_INTEGER) ? pointer : null)
      expect(largeNumberSentence(value) === null).toBe(size <= BigInt(Number.MAX_SAFE_INTEGER))
    }),
    { numRuns: 2_000 },
  )
})
