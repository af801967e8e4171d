/**
 * Prints the bytes of memory that a parsed query takes, for each query of a JSON object on stdin: `{ name: query }` gives
 * `{ name: bytes }`.
 * A process of its own, since other tests would change the heap meanwhile.
 */
import { heapStats } from "bun:jsc"
import { type DocumentNode, parse } from "graphql"

const queries: Readonly<Record<string, string>> = await Bun.stdin.json()
parse("{ a }")
const sizes = Object.entries(queries).map(([name, query]) => {
  const copies = Math.ceil(400_000 / query.length)
  const documents: DocumentNode[] = []
  const before = heapBytes()
  for (let copy = 0; copy < copies; copy++) documents.push(parse(`${query}#${copy}`))
  const size = (heapBytes() - before) / documents.length
  // The collector may take the list for one in use later on. Its documents must not count before the next query then.
  documents.length = 0
  return [name, size]
})
console.log(JSON.stringify(Object.fromEntries(sizes)))

function heapBytes(): number {
  Bun.gc(true)
  const { heapSize, extraMemorySize } = heapStats()
  return heapSize + extraMemorySize
}
