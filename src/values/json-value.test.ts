import { expect, test } from "bun:test"
import { Type } from "@sinclair/typebox"
import fc from "fast-check"
import { isJsonValue, jsonValue, mistakeOfJson } from "./json-value.ts"

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
])("%s", (_title, text, mistake) => {
  expect(mistakeOfJson(JSON.parse(text))).toBe(mistake)
})
