import { expect, test } from "bun:test"
import { join } from "node:path"
import { parse } from "graphql"
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

test("a parsed query counts for at least the memory that it takes", async () => {
  const script = join(import.meta.dir, "../../../test/support/document-sizes.ts")
  const stdin = new Blob([JSON.stringify(queries)])
  const child = Bun.spawn([process.execPath, script], { stdin, stdout: "pipe" })
  const takenBytes: Record<string, number> = JSON.parse(await child.stdout.text())
  for (const [name, query] of Object.entries(queries)) {
    const cache = createDocumentCache()
    cache.set(query, parse(query))
    expect(takenBytes[name], name).toBeGreaterThan(100)
    expect(cache.calculatedSize, name).toBeGreaterThanOrEqual(takenBytes[name] ?? Number.POSITIVE_INFINITY)
  }
})

test("the queries that are kept count for 8 MB at most, and the latest ones stay", () => {
  const cache = createDocumentCache()
  const fill = (query: string) => {
    const texts = Array.from({ length: 1_000 }, (_, copy) => `${query}#${copy}`)
    const document = parse(query)
    for (const text of texts) cache.set(text, document)
    expect(cache.calculatedSize).toBeLessThanOrEqual(limitBytes)
    expect(cache.get(texts.at(-1) ?? "")).toBeDefined()
    return cache.size
  }
  expect(fill(queries["fields of one character"])).toBe(2)
  // A service is asked a few hundred different queries at most.
  expect(fill(queries["a usual query"])).toBeGreaterThan(500)
})
