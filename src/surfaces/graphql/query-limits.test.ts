import { expect, test } from "bun:test"
import { parse } from "graphql"
import { requireWithinLimits } from "./query-limits.ts"

const repeat = (count: number, part: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => part(index)).join(" ")
const nested = (levels: number) => "{ a ".repeat(levels) + "}".repeat(levels)
const aliases = (count: number) => repeat(count, (index) => `a${index}: b`)

test.each([
  ["levels of fields", (n: number) => nested(n), 10],
  ["levels of fields", (n: number) => `{ ...F } fragment F on Query ${nested(n)}`, 10],
  ["levels of fields", (n: number) => `{ ... on Query ${nested(n)} }`, 10],
  ["aliases", (n: number) => `{ ${aliases(n)} }`, 50],
  ["aliases", (n: number) => `{ ${repeat(n / 2, () => "...F")} } fragment F on Query { ${aliases(2)} }`, 50],
  [
    "aliases in or of __schema and __type",
    (n: number) => `{ ${repeat(n, (index) => `a${index}: __schema { b }`)} c: d }`,
    2,
  ],
  [
    "aliases in or of __schema and __type",
    (n: number) => `{ __type { ...F } c: d } fragment F on __Type { b { ${aliases(n)} } }`,
    2,
  ],
  ["directives", (n: number) => `query ${repeat(n, () => "@a")} { b }`, 50],
  ["directives", (n: number) => `{ ${repeat(n, () => "...F @a")} } fragment F on Query { b }`, 50],
  ["directives", (n: number) => `{ ${repeat(n / 2, () => "...F @a")} } fragment F on Query { b @c }`, 50],
  ["fields", (n: number) => `{ ${repeat(n, () => "a")} }`, 500],
  ["fields", (n: number) => `{ ${repeat(n / 2, () => "...F")} } fragment F on Query { a b }`, 500],
  ["fields with parameters under one name", (n: number) => `{ ${repeat(n, () => "a(b: 1)")} }`, 50],
] as const)("a query with the most %s passes, and one with more is refused: %p", (name, write, most) => {
  requireWithinLimits(parse(write(most)))
  const said = `The query has more than ${most} ${name}.`
  expect(() => requireWithinLimits(parse(write(most + 2)))).toThrow(said)
})

test("operations of one document are measured one by one, and the largest counts", () => {
  const operations = (count: number) => `query A { ${aliases(50)} } query B { ${aliases(count)} }`
  requireWithinLimits(parse(operations(50)))
  expect(() => requireWithinLimits(parse(operations(51)))).toThrow("more than 50 aliases")
})

test("levels below __schema do not count, since tools ask deeply in it; its fields do", () => {
  requireWithinLimits(parse(`{ __schema ${nested(20)} }`))
  expect(() => requireWithinLimits(parse(`{ __schema { ${repeat(500, () => "a")} } }`))).toThrow("500 fields")
})

test("fragments that spread each other in a circle, or are unknown, end", () =>
  requireWithinLimits(
    parse("{ ...A ...Unknown } fragment A on Query { a ...B } fragment B on Query { b ...A }"),
  ))

test("a hundred fragments, each with the next one twice, are measured in a moment and refused", () => {
  const doubling = repeat(99, (i) => `fragment F${i} on Query { a { ...F${i + 1} } b { ...F${i + 1} } }`)
  const query = `{ ...F0 } ${doubling} fragment F99 on Query { c }`
  expect(() => requireWithinLimits(parse(query))).toThrow("levels")
})
