import { expect, test } from "bun:test"
import fc from "fast-check"
import { maxSearched, placeOfMistake } from "./json-mistake.ts"

const at = (line: number, column: number) => `; the mistake is at line ${line}, column ${column}`

test.each<[string, number, number]>([
  ["{'a': 1}", 1, 2],
  ['{"a": 1,}', 1, 9],
  ['{"a" 1}', 1, 6],
  ['{"a": 1 "b": 2}', 1, 9],
  ["{a: 1}", 1, 2],
  ["[1,]", 1, 4],
  ["[1 2]", 1, 4],
  ["[1, 2", 1, 6],
  ["{}}", 1, 3],
  ['{\n  "a": 1,\n  "b": NaN\n}', 3, 8],
  ['{\r\n  "a": undefined\r\n}', 2, 8],
  ['{"a": 01}', 1, 8],
  ['{"a": .5}', 1, 7],
  ['{"a": "tab\there"}', 1, 7],
  ['{"a": "\\x"}', 1, 7],
  ['{"a": "open}', 1, 7],
  ["// comment\n{}", 1, 1],
  ['{"ä€😀": x}', 1, 10],
  ["\n\n", 3, 1],
])("the place of a mistake in %j is line %d, column %d", (text, line, column) => {
  expect(() => JSON.parse(text)).toThrow(SyntaxError)
  expect(placeOfMistake(text)).toBe(at(line, column))
})

test("the place of a mistake is found in any JSON that is cut short or has a character too many, and never in JSON", () =>
  fc.assert(
    fc.property(fc.json(), fc.nat(), fc.constantFrom("x", "}", ",", "'", "\0"), (json, where, more) => {
      expect(placeOfMistake(json)).toBe("")
      const place = where % json.length
      for (const text of [json.slice(0, place), json.slice(0, place) + more + json.slice(place)])
        if (!isJson(text))
          expect([text, placeOfMistake(text)]).toEqual([text, expect.stringMatching(/line 1, column \d+$/)])
    }),
  ))

test("the place of a mistake is left out where the text is nested too deep, and behind the part that is searched", () => {
  expect(placeOfMistake("[".repeat(maxSearched))).toBe("")
  const long = `["${"x".repeat(maxSearched)}"`
  expect(placeOfMistake(long)).toBe("; there is no mistake in the first 200,000 characters")
  expect(placeOfMistake(`[${"1,".repeat(maxSearched)}`)).toBe(
    "; there is no mistake in the first 200,000 characters",
  )
  expect(placeOfMistake(`[1 ${long}`)).toBe(at(1, 4))
})

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
