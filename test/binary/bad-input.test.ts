/** Bad GraphQL and batch requests to the executable cost little processor time and no credits, and memory does not grow. */
import { expect, test } from "bun:test"
import { postWith } from "../support/keyed-request.ts"
import { processMs } from "../support/processor-time.ts"
import { tempDir } from "../support/temp.ts"
import { unread } from "../support/unread.ts"
import { memoryOf } from "../support/worst-inputs.ts"
import { seedOne } from "./accounts.ts"
import { serveForFile } from "./support.ts"

const { db, call, used } = await seedOne(tempDir())
const server = await serveForFile(db)

const repeat = (count: number, part: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => part(index)).join(" ")
const query = (text: string, variables: object = {}) => JSON.stringify({ query: text, variables })
const lookUp = "query($in: BluetoothlookupInput!) { bluetoothlookup(input: $in) { company } }"
const hmac = `hmac(input: {message: "m", secret: 5}) { hmac }`

const queries: Readonly<Record<string, string>> = {
  "1 MB": query(`{ ${" ".repeat(1_000_000)} __typename }`),
  "10,000 aliases": query(`{ ${repeat(10_000, (i) => `a${i}:__typename`)} }`),
  "500 levels": query("{ a ".repeat(500) + "}".repeat(500)),
  "6,000 fields": query(`{ ${"ab ".repeat(6_000)} }`),
  "6,000 directives": query(`{ a ${"@a ".repeat(6_000)} }`),
  "fragments in a circle": query("{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }"),
  "fragments that double each other": query(
    `{ ...F0 } ${repeat(100, (i) => `fragment F${i} on Query { a { ...F${i + 1} } b { ...F${i + 1} } }`)}`,
  ),
  "fields that contradict each other": query(`{ ${repeat(240, (i) => `a: ${hmac.replace("m", `${i}`)}`)} }`),
  "2,500 variables": query(`query(${"$a:Int,".repeat(2_500)}) { __typename }`),
  "a variable of 100,000 members": query(lookUp, {
    in: Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`companyi${i}`, 1])),
  }),
  "no JSON, a million brackets": "[".repeat(1_000_000),
}
const batches: Readonly<Record<string, string>> = {
  "201 inputs": JSON.stringify({ inputs: Array(201).fill({ message: "m", secret: "s" }) }),
  "500,000 inputs": JSON.stringify({ inputs: Array(500_000).fill(1) }),
  "200 that all fail": JSON.stringify({ inputs: Array(200).fill({ message: 5 }) }),
}
const cases = [
  ...Object.entries(queries).map(([name, body]) => [`query: ${name}`, "/v1/graphql", body] as const),
  ...Object.entries(batches).map(([name, body]) => [`batch: ${name}`, "/v1/hmac/batch", body] as const),
]

async function send(path: string, body: string): Promise<number> {
  const answer = await call(server.url, path, postWith(body))
  await answer.arrayBuffer()
  return answer.status
}

const residentMb = () => memoryOf(server.child.pid).nowMb

const rounds = 3
/** A request that takes a second delays all others by a second. These take up to 30 ms, or 60 when there is 1 MB to read. */
const mostMs = 400

test.each(cases)("%s", async (name, path, body) => {
  const spentMs: number[] = []
  for (let i = 0; i < rounds; i++) {
    const before = processMs(server.child.pid)
    expect(await send(path, body)).toBe(name === "batch: 200 that all fail" ? 200 : 400)
    spentMs.push(processMs(server.child.pid) - before)
  }
  // A busy machine makes some rounds longer, not each.
  expect(Math.min(...spentMs)).toBeLessThan(mostMs)
})

test("all of them repeated: memory does not grow, and nothing is charged", async () => {
  const sendAll = async (times: number) => {
    for (let i = 0; i < times; i++) for (const [, path, body] of cases) await send(path, body)
  }
  await sendAll(2)
  const before = residentMb()
  await sendAll(6)
  expect(residentMb() - before).toBeLessThan(200)
  expect(await used()).toBe(0)
})

test("a large file that many clients ask for and none reads is in memory once", async () => {
  const path = "/openapi.json"
  const file = { accept: "*/*", "accept-encoding": "identity" }
  const bytes = (await (await fetch(server.url + path, { headers: file })).bytes()).length
  expect(bytes).toBeGreaterThan(900_000)
  const before = residentMb()
  const clients = Array.from({ length: 200 }, () => unread(server.url, `GET ${path}`, file))
  // The system takes a part of each answer, and the rest has to wait.
  await Promise.all(clients.map(({ answered }) => answered))
  expect((await fetch(`${server.url}/health`)).status).toBe(200)
  expect(residentMb() - before).toBeLessThan(100)
  for (const { socket } of clients) socket.destroy()
})
