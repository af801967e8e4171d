/** A large answer is written in steps, between which other work runs. */
import { describe, expect, test } from "bun:test"
import { Type } from "@sinclair/typebox"
import { defineApi } from "../src/apis/contract.ts"
import { formats } from "../src/encode/formats.ts"
import { systemTimer } from "../src/ports/timer.ts"
import { echoApi, startCatalogService, testApi } from "./support/catalog-service.ts"
import { createSlowClock } from "./support/clock.ts"
import { until } from "./support/until.ts"

/** Returns a text, and lines. */
const write = defineApi({
  ...testApi("write"),
  input: Type.Object({
    characters: Type.Integer({ description: "The length of the text." }),
    lines: Type.Integer({ description: "The number of lines." }),
  }),
  output: Type.Object({
    text: Type.String({ description: "The text." }),
    lines: Type.Array(Type.String({ description: "A line." }), { description: "The lines." }),
  }),
  run: ({ characters, lines }) => ({ text: "&".repeat(characters), lines: Array(lines).fill("line") }),
})

const inputsAtOnce = 16
let ended = 0
/** The turn of the event loop in which each result was written. */
const writtenIn = new Set<number>()
/** The first input of a batch ends after all others that run at the same time. */
const ordered = echoApi("ordered", async ({ what }) => {
  if (what === "first") await until(() => ended === inputsAtOnce - 1)
  ended++
  return {
    get done() {
      writtenIn.add(turns)
      return what
    },
  }
})

let turns = 0
const timer = {
  ...systemTimer,
  turn() {
    turns++
    return systemTimer.turn()
  },
}
const clock = createSlowClock()
const service = startCatalogService([write, ordered], { clock, timer })

/** The turns of the event loop in which a request was answered. */
async function turnsOf(path: string, body: unknown): Promise<number> {
  const { key } = await service.createKey("pro")
  const before = turns
  const answer = await service.post(path, body, key)
  expect(answer.status).toBe(200)
  expect((await answer.text()).length).toBeGreaterThan(1_000_000)
  return turns - before
}

describe.each([...formats])("as %s", (format) => {
  test.each([
    ["a long text", { characters: 2_000_000, lines: 0 }],
    ["many lines", { characters: 0, lines: 200_000 }],
  ])("%s of a single call and of an input of a batch", async (_, input) => {
    expect(await turnsOf(`/v1/write?format=${format}`, input)).toBeGreaterThan(15)
    expect(await turnsOf(`/v1/write/batch?format=${format}`, { inputs: [input] })).toBeGreaterThan(15)
  })
})

test("the JSON of a query", async () => {
  const text = "write(input: {characters: 1000000, lines: 0}) { text }"
  expect(await turnsOf("/v1/graphql", { query: `{ a: ${text} b: ${text} }` })).toBeGreaterThan(20)
})

test.each(["xml", "yaml", "csv"])("results that waited for an earlier one, as %s", async (format) => {
  const { key } = await service.createKey("pro")
  ended = 0
  writtenIn.clear()
  const inputs = Array.from({ length: inputsAtOnce }, (_, i) => ({ what: i === 0 ? "first" : "other" }))
  const answer = await service.post(`/v1/ordered/batch?format=${format}`, { inputs }, key)
  expect((await answer.text()).match(/other/g)).toHaveLength(inputsAtOnce - 1)
  expect(writtenIn.size).toBeGreaterThanOrEqual(inputsAtOnce - 1)
})
