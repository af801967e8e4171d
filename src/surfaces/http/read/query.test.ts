import { expect, test } from "bun:test"
import fc from "fast-check"
import { parseQuery } from "./query.ts"

const read = (query: string) =>
  parseQuery(`http://h/p?${query}`).parameters.flatMap(({ name, text }) => [name, text])

test.each([
  ["", []],
  ["a=1", ["a", "1"]],
  ["a=1&b=2&a=3", ["a", "1", "b", "2", "a", "3"]],
  ["a", ["a", ""]],
  ["a=", ["a", ""]],
  ["=1", ["", "1"]],
  ["&a=b=c&&d", ["a", "b=c", "d", ""]],
  ["a=%C3%A9+%2B", ["a", "é +"]],
  ["a%3D=?", ["a=", "?"]],
])("%p", (query, expected) => expect(read(query)).toEqual(expected))

test("a URL without a query has no parameters", () => expect(parseQuery("http://h/p").parameters).toEqual([]))

test.each([
  ["lat=%ff", ["lat", null]],
  ["lat=%zz&b=1", ["lat", null, "b", "1"]],
  ["lat=%", ["lat", null]],
  ["a=1&%ff=2", ["a", "1"]],
])("what cannot be read in %p has no text", (query, expected) => expect(read(query)).toEqual(expected))

test("reads back what URLSearchParams writes", () => {
  const pairs = fc.array(fc.tuple(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" })))
  fc.assert(
    fc.property(pairs, (entries) =>
      expect(read(new URLSearchParams(entries).toString())).toEqual(entries.flat()),
    ),
    { numRuns: 500 },
  )
})
