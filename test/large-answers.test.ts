/** Answers that are too large to wait for their clients in memory: how they are bounded, written, counted and given up. */

import { expect, test } from "bun:test"
import { Type } from "@sinclair/typebox"
import { defineApi } from "../src/apis/contract.ts"
import { encodeEnvelope, formats } from "../src/encode/formats.ts"
import type { Envelope } from "../src/encode/tree.ts"
import { maxResultBytes } from "../src/surfaces/graphql/query-limits.ts"
import { httpLimits } from "../src/surfaces/http/read/limits.ts"
import { echoApi, startCatalogService, testApi } from "./support/catalog-service.ts"
import { readGraphql } from "./support/graphql.ts"
import { converse } from "./support/raw-http.ts"
import { createManualTimer } from "./support/timer.ts"
import { bytesInSystem, unreadCall } from "./support/unread.ts"
import { until } from "./support/until.ts"

let runs = 0
/** Returns a text that many times, as a text and as a list of objects. */
const repeat = defineApi({
  ...testApi("repeat"),
  input: Type.Object({
    what: Type.String({ description: "The text." }),
    times: Type.Integer({ description: "How often." }),
  }),
  output: Type.Object({
    text: Type.String({ description: "The text." }),
    list: Type.Array(Type.Object({ item: Type.String({ description: "The text." }) }), {
      description: "The texts.",
    }),
  }),
  run({ what, times }) {
    runs++
    return { text: what.repeat(times), list: Array.from({ length: 3 }, () => ({ item: what.repeat(times) })) }
  },
})
const echo = echoApi("echo", ({ what }) => ({ done: what }))
const timer = createManualTimer()
const maxUnsent = 2_000_000
const isLinux = process.platform === "linux"
const service = startCatalogService([repeat, echo], { timer }, { maxUnsent, maxCalls: 2 })
/** Its limit is not reached. */
const patient = startCatalogService([repeat, echo], { timer }, { maxCalls: 2 })

const batchOf = (inputs: number, times: number) => ({
  inputs: Array.from({ length: inputs }, (_, index) => ({ what: index % 2 ? "é€😀" : "\u0001<&>", times })),
})
const usedBy = async (account: string) => (await service.accounts.show(account)).balance.used

const query = (field: string) => service.post("/v1/graphql", { query: `{ ${field} }` }, key)
let key = ""
const text = "x".repeat(100)
const aliases = (count: number, field: string) =>
  Array.from({ length: count }, (_, index) => `a${index}: ${field}`).join(" ")

test.each([
  ["many results", aliases(20, `repeat(input: {what: "${text}", times: 10000}) { text }`)],
  ["one result many times", `repeat(input: {what: "${text}", times: 10000}) { ${aliases(20, "text")} }`],
  [
    "the items of a list many times",
    `repeat(input: {what: "${text}", times: 10000}) { ${aliases(7, "list { item }")} }`,
  ],
  ["characters that JSON escapes", aliases(4, `repeat(input: {what: "\\u0001", times: 1000000}) { text }`)],
])("the results of a query above 16 MiB are refused and not charged: %s", async (_, field) => {
  const { account, ...created } = await service.createKey("pro")
  key = created.key
  const { status, codes, body } = await readGraphql(query(field))
  expect([status, codes, Object.keys(body)]).toEqual([400, ["QUERY_TOO_COMPLEX"], ["errors"]])
  expect(body.errors?.[0]?.message).toContain("16,777,216 bytes")
  expect(await usedBy(account)).toBe(0)
})

test("the results of a query run no more once they are too large", async () => {
  key = (await service.createKey("pro")).key
  runs = 0
  await query(aliases(50, `repeat(input: {what: "${text}", times: 20000}) { text }`))
  expect(runs).toBe(9)
})

test("the results of a query are counted as the answer has them", async () => {
  key = (await service.createKey("pro")).key
  const times = Math.floor((maxResultBytes - 2_000) / 100 / 2)
  const selected = `repeat(input: {what: "${text}", times: ${times}}) { text ...more b: text @skip(if: true) __typename }`
  const more = "} fragment more on RepeatResult { text t: text"
  const answer = await service.post("/v1/graphql", { query: `{ ${selected} ${more} }` }, key)
  const body = await answer.text()
  expect(answer.status).toBe(200)
  expect(body.length).toBeGreaterThan(maxResultBytes - 5_000)
  expect(Object.keys(JSON.parse(body).data.repeat)).toEqual(["text", "t", "__typename"])
})

test.each([...formats])("a large answer is the same text, piece by piece, as %s", async (format) => {
  const { key } = await service.createKey("pro")
  const inputs = batchOf(30, 1_000)
  const json = (await (await service.post("/v1/repeat/batch", inputs, key)).json()) as Envelope
  const answer = await service.post(`/v1/repeat/batch?format=${format}`, inputs, key)
  expect(await answer.text()).toBe(encodeEnvelope(format, json))
  expect(answer.headers.get("content-length")).toBeNull()
  const single = await service.post(`/v1/repeat?format=${format}`, { what: "aé€😀", times: 40_000 }, key)
  const text = "aé€😀".repeat(40_000)
  const data = { text, list: [1, 2, 3].map(() => ({ item: text })) }
  expect(await single.text()).toBe(encodeEnvelope(format, { status: "ok", error: null, data }))
})

test("a large answer that fits one write has its length", async () => {
  const { key } = await service.createKey("pro")
  for (const times of [100, 300]) {
    const answer = await service.post("/v1/repeat/batch", batchOf(3, times), key)
    const text = await answer.text()
    expect(answer.headers.get("content-length")).toBe(String(Buffer.byteLength(text)))
  }
})

test("a large answer ends with the connection for a client of HTTP/1.0", async () => {
  const { key } = await service.createKey("pro")
  const body = JSON.stringify(batchOf(30, 1_000))
  const head = `POST /v1/repeat/batch HTTP/1.0\r\nhost: x\r\nx-api-key: ${key}\r\ncontent-type: application/json`
  const bytes = Buffer.byteLength(body)
  const answer = await converse(service.url, `${head}\r\ncontent-length: ${bytes}\r\n\r\n${body}`)
  expect(answer).not.toMatch(/^transfer-encoding/im)
  const [, text = ""] = answer.split("\r\n\r\n")
  expect(JSON.parse(text).data.results.length).toBe(30)
})

/** More than the buffers of the system take. */
const large = { what: "x".repeat(1_000), times: 2_000 }

async function startUnread() {
  const { account, key } = await service.createKey("pro")
  const client = unreadCall(service.url, "/v1/repeat/batch", { inputs: [large, large] }, key)
  await until(async () => (await usedBy(account)) === 2)
  const ask = () => service.post("/v1/echo", { what: "x" }, key)
  await until(async () => (await ask()).status === 503)
  return { ...client, account, ask, before: await usedBy(account) }
}

test("an answer that is not read makes new calls a 503 that costs nothing, until its client has read it", async () => {
  const { socket, ask, account, before } = await startUnread()
  const refused = await ask()
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"])
  expect(await refused.text()).toContain("until their clients read them. Nothing was charged")
  expect(await usedBy(account)).toBe(before)
  if (isLinux) expect(bytesInSystem(socket)).toBeWithin(1, 16_000_000 - maxUnsent)
  let bytes = 0
  socket.on("data", (chunk) => {
    bytes += chunk.length
  })
  socket.resume()
  await until(async () => (await ask()).status === 200)
  // On a busy machine the answer to `ask` comes before what the system has of the large one.
  expect(bytes + (isLinux ? bytesInSystem(socket) : 0)).toBeGreaterThan(16_000_000 - maxUnsent)
  socket.destroy()
})

test("an answer that is not read is given up when its client reads nothing for 20 s: the connection is reset", async () => {
  const { ask, isClosed, socket } = await startUnread()
  timer.advance(httpLimits.unreadSeconds * 1_000 - 1)
  expect((await ask()).status).toBe(503)
  timer.advance(1)
  expect((await ask()).status).toBe(200)
  socket.resume()
  await until(isClosed)
  expect(service.logged).toEqual([])
})

test("an answer that is not read is forgotten when its client hangs up", async () => {
  const { ask, socket } = await startUnread()
  socket.destroy()
  await until(async () => (await ask()).status === 200)
})

test("an answer that is not read is a call in progress", async () => {
  const { account, key } = await patient.createKey("pro")
  const inputs = [large, large]
  const clients = [1, 2].map(() => unreadCall(patient.url, "/v1/repeat/batch", { inputs }, key))
  await until(async () => (await patient.accounts.show(account)).balance.used === 4)
  const ask = () => patient.post("/v1/echo", { what: "x" }, key)
  expect(await (await ask()).text()).toContain("limit of calls under way")
  for (const { socket } of clients) socket.destroy()
  await until(async () => (await ask()).status === 200)
})
