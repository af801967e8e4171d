import { heapStats } from "bun:jsc"
import { expect, test } from "bun:test"
import { type DocumentNode, parse } from "graphql"
import { createDocumentCache } from "./graphql-server.ts"

const limitBytes = 8_000_000
/** Queries of about 10,000 characters, and a short one. */
const queries = {
  "fields of one character": `{${"a ".repeat(5_000)}}`,
  "fields inside each other": `{${"a{b}".repeat(2_500)}}`,
  aliases: `{${"a:b ".repeat(2_500)}}`,
  "inputs with texts": `{${'hmac(input:{message:"Hi",secret:"Je"}){hmac} '.repeat(200)}}`,
  "lists of numbers": `{a(x:[${"1 ".repeat(5_000)}])}`,
  comments: `{a ${"#\n".repeat(5_000)}}`,
  "a long text": `{a(x:"${"x".repeat(10_000)}")}`,
  "a usual query": '{ bluetoothlookup(input: {companyid: "76"}) { company companyid } }',
}

for (const [name, query] of Object.entries(queries)) {
  test(`a parsed query counts for at least the memory that it takes: ${name}`, () => {
    const copies = Math.ceil(400_000 / query.length)
    const documents: DocumentNode[] = []
    const before = heapBytes()
    for (let copy = 0; copy < copies; copy++) documents.push(parse(`${query}#${copy}`))
    const takenBytes = (heapBytes() - before) / copies
    const cache = createDocumentCache()
    const [document] = documents
    if (!document) throw new Error("there is a document")
    cache.set(query, document)
    expect(cache.calculatedSize).toBeGreaterThanOrEqual(takenBytes)
    expect(documents).toHaveLength(copies)
  })
}

test("the queries that are kept count for 8 MB at most, and the latest ones stay", () => {
  const cache = createDocumentCache()
  const fill = (query: string) => {
    const texts = Array.from({ length: 1_000 }, (_, copy) => `${query}#${copy}`)
    for (const text of texts) cache.set(text, parse(text))
    expect(cache.calculatedSize).toBeLessThanOrEqual(limitBytes)
    expect(cache.get(texts.at(-1) ?? "")).toBeDefined()
    return cache.size
  }
  expect(fill(queries["fields of one character"])).toBe(2)
  // A service is asked a few hundred different queries at most.
  expect(fill(queries["a usual query"])).toBeGreaterThan(500)
})

function heapBytes(): number {
  Bun.gc(true)
  const { heapSize, extraMemorySize } = heapStats()
  return heapSize + extraMemorySize
}
