/** Parts of an answer that is being made count like unread bytes: inputs that run, results that wait, and data. */
import { expect, test } from "bun:test"
import { Type } from "@sinclair/typebox"
import { defineApi } from "../src/apis/contract.ts"
import { systemTimer } from "../src/ports/timer.ts"
import { echoApi, startCatalogService, testApi } from "./support/catalog-service.ts"
import { createSlowClock } from "./support/clock.ts"
import { until } from "./support/until.ts"

const inputsAtOnce = 16
const kilobytes = (text: string, count: number) => text.repeat(1_000 * count)

const gate = { ended: 0, open: Promise.withResolvers<void>() }
/** Its first run ends when the gate opens, the others at once. */
const ordered = echoApi("ordered", async ({ what }) => {
  if (what === "first") await gate.open.promise
  else gate.ended++
  return { done: kilobytes(what, 10) }
})

const runs = new Map<string, number>()
/** The runs of the slower of two batches when the faster one has begun its last. */
let runsOfOther = Number.NaN
const inputsOfBatch = 20
const large = echoApi("large", ({ what }) => {
  const count = (runs.get(what) ?? 0) + 1
  runs.set(what, count)
  const others = [...runs].flatMap(([name, other]) => (name === what ? [] : other))
  if (count === inputsOfBatch && Number.isNaN(runsOfOther)) runsOfOther = others[0] ?? 0
  return { done: kilobytes(what, 100) }
})

const sideBySide = { now: 0, most: 0 }
const slow = echoApi("slow", async ({ what }) => {
  sideBySide.most = Math.max(sideBySide.most, ++sideBySide.now)
  for (let left = 20; left > 0; left--) await systemTimer.turn()
  sideBySide.now--
  return { done: what.slice(0, 1) }
})

const lines = defineApi({
  ...testApi("lines"),
  input: Type.Object({ count: Type.Integer({ description: "How many." }) }),
  output: Type.Object({ list: Type.Array(Type.String({ description: "A line." }), { description: "All." }) }),
  run: ({ count }) => ({ list: Array.from({ length: count }, (_, index) => `line ${index} of many`) }),
})

let mostUnsent = 0
const timer = {
  ...systemTimer,
  turn() {
    mostUnsent = Math.max(mostUnsent, service.unsentBytes())
    return systemTimer.turn()
  },
}
const clock = createSlowClock()
const service = startCatalogService([ordered, slow, lines], { clock, timer })
/**
 * Above 192 KiB, its answers are made one after the other. A whole one that nobody has read yet leaves room for another, which
 * would be refused.
 */
const narrow = startCatalogService([large], { clock }, { maxUnsent: 3 * 1_048_576 })

test("results count that wait for one before them", async () => {
  const { key } = await service.createKey("pro")
  const whats = ["first", ...Array<string>(inputsAtOnce - 1).fill("x")]
  const answer = service.post("/v1/ordered/batch", { inputs: whats.map((what) => ({ what })) }, key)
  await until(() => gate.ended === inputsAtOnce - 1)
  await until(() => service.unsentBytes() > 10_000 * (inputsAtOnce - 1))
  gate.open.resolve()
  expect(await (await answer).json()).toMatchObject({ data: { succeeded: inputsAtOnce } })
  await until(() => service.unsentBytes() === 0)
})

test.each([
  ["of a single call", "/v1/lines", { count: 30_000 }],
  ["of a query", "/v1/graphql", { query: "{ lines(input: {count: 30000}) { list } }" }],
])("data counts until its text is made: %s", async (_, path, body) => {
  const { key } = await service.createKey("pro")
  mostUnsent = 0
  const text = await (await service.post(path, body, key)).text()
  expect(text.length).toBeGreaterThan(500_000)
  expect(mostUnsent).toBeGreaterThan(1.6 * text.length)
  await until(() => service.unsentBytes() === 0)
})

test("data does not count of a query that is refused, nor of one that asks for no API", async () => {
  const { key } = await service.createKey("free")
  const queries = [
    "{ __typename }",
    '{ slow(input: {what: "a"}) { done } lines(input: {count: "x"}) { list } }',
  ]
  for (const query of queries) await (await service.post("/v1/graphql", { query }, key)).text()
  expect(service.unsentBytes()).toBe(0)
})

test("while answers are made one after the other, a second batch begins one or two inputs, not 16", async () => {
  const { key } = await narrow.createKey("pro")
  const batch = (what: string) =>
    narrow.post("/v1/large/batch?format=xml", { inputs: Array(inputsOfBatch).fill({ what }) }, key)
  const answers = await Promise.all([batch("a"), batch("b")])
  for (const answer of answers) {
    const text = await answer.text()
    // A refusal is shown, which is short.
    expect([answer.status, text.length > 2_000_000 || text]).toEqual([200, true])
  }
  expect(runsOfOther).toBeWithin(0, 3)
})

test.each([
  ["small", 10, 3],
  ["large", 70, 1],
])("runs of one query with %s inputs: so many at once", async (_, size, expected) => {
  const { key } = await service.createKey("pro")
  sideBySide.most = 0
  const field = "slow(input: {what: $what}) { done }"
  const query = `query($what: String!) { a: ${field} b: ${field} c: ${field} }`
  const variables = { what: kilobytes("x", size) }
  const answer = await (await service.post("/v1/graphql", { query, variables }, key)).json()
  expect(answer).toEqual({ data: { a: { done: "x" }, b: { done: "x" }, c: { done: "x" } } })
  expect(sideBySide.most).toBe(expected)
})
