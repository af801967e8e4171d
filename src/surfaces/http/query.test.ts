import { expect, test } from "bun:test"
import fc from "fast-check"
import { parseQuery } from "./query.ts"

const read = (query: string) => Object.fromEntries(parseQuery(`http://h/p?${query}`).values)

test.each([
  ["", {}],
  ["a=1", { a: ["1"] }],
  ["a=1&b=2&a=3", { a: ["1", "3"], b: ["2"] }],
  ["a", { a: [""] }],
  ["a=", { a: [""] }],
  ["=1", { "": ["1"] }],
  ["a=b=c&&", { a: ["b=c"] }],
  ["a=%C3%A9+%2B", { a: ["é +"] }],
])("%p", (query, expected) => {
  expect(read(query)).toEqual(expected)
})

test.each([
  ["lat=%ff", "lat"],
  ["lat=%zz&b=1", "lat"],
  ["lat=%", "lat"],
  ["a=1&%ff=2", null],
])("%p is malformed in %p", (query, name) => {
  expect([...parseQuery(`http://h/p?${query}`).malformed]).toEqual(name === null ? [] : [name])
})

test("reads back what URLSearchParams writes", () => {
  const pairs = fc.array(fc.tuple(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" })))
  fc.assert(
    fc.property(pairs, (entries) => {
      const expected = new URLSearchParams(entries)
      const { values, malformed } = parseQuery(`http://h/p?${expected}`)
      expect(malformed.size).toBe(0)
      for (const name of expected.keys()) expect(values.get(name)).toEqual(expected.getAll(name))
    }),
    { seed: 20250101, numRuns: 500 },
  )
})
