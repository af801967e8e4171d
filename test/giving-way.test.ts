/** Long work of all requests together holds up the event loop for one slice of time in each of its turns. */
import { afterEach, expect, test } from "bun:test"
import { Type } from "@sinclair/typebox"
import { defineApi } from "../src/apis/contract.ts"
import { createZoneDns } from "../src/ports/dns/zone.ts"
import { createHttpApp } from "../src/surfaces/http/app.ts"
import { createClosing } from "../src/surfaces/http/calls.ts"
import { readAnswer } from "./support/answer.ts"
import { catalogParts, echoApi, startCatalogService, testApi } from "./support/catalog-service.ts"
import { readGraphql } from "./support/graphql.ts"
import { createSlowTurns } from "./support/slow-turns.ts"

/** Events in their order: a run by its text, or a turn of the event loop. */
const events: string[] = []
let monotonic = 0
const clock = { now: () => Date.parse("2025-01-01T00:00:00Z"), monotonicMs: () => monotonic }
const runMs = 4
/** Runs of {@link runMs} that fill a slice of 10 ms. */
const runsPerSlice = 3
const busy = echoApi("busy", ({ what }) => {
  events.push(what)
  monotonic += runMs
  return { done: what }
})
/** The same work as one call in many steps. */
const stepwise = echoApi("stepwise", async ({ what }, { giveWay }) => {
  for (let step = 0; step < 20; step++) {
    const pause = giveWay()
    if (pause) await pause
    events.push(what)
    monotonic += runMs
  }
  return { done: what }
})
/** Its work comes after a wait that is over at once, as that for a module which is loaded. */
const later = echoApi("later", async ({ what }) => {
  await undefined
  events.push(what)
  monotonic += runMs
  return { done: what }
})
/** The same, and it may ask the DNS. */
const mayAsk = { ...later, id: "mayask", asksDns: true }
/** Its work comes after an answer of the DNS, which many runs get at the same moment, and before the first question. */
const asking = {
  ...echoApi("asking", async ({ what }, { ports }) => {
    await undefined
    events.push(what)
    monotonic += runMs
    await ports.dns.resolve("a.example", "A")
    for (let wait = 0; wait < 6; wait++) await undefined
    events.push(what)
    monotonic += runMs
    return { done: what }
  }),
  asksDns: true,
}
/** Its answer comes when all runs that may ask at the same time have asked, and they get the same one. */
let answer: Promise<{ readonly kind: "nodata" }> | null = null
const dns = {
  ...createZoneDns({}),
  resolve() {
    answer ??= Bun.sleep(20).then(() => {
      answer = null
      return { kind: "nodata" }
    })
    return answer
  },
}
/** A list that takes time when it is written. */
const listing = defineApi({
  ...testApi("listing"),
  input: Type.Object({ what: Type.String({ description: "The text." }) }),
  output: Type.Object({
    items: Type.Array(Type.Object({ done: Type.String({ description: "The text." }) }), {
      description: "One item.",
    }),
  }),
  run: ({ what }) => ({
    items: [
      {
        get done() {
          events.push(what)
          monotonic += runMs
          return what
        },
      },
    ],
  }),
})
let hasSlowTurns = false
const timer = createSlowTurns(() => hasSlowTurns)
/** A list of 25,000 items: GraphQL takes {@link runMs} to complete a thousand of them, after their two sizes were counted. */
const longList = defineApi({
  ...listing,
  id: "longlist",
  run: ({ what }) => ({ items: Array.from({ length: 25_000 }, (_, index) => longItem(what, index)) }),
})
function longItem(what: string, index: number) {
  let reads = 0
  return {
    get done() {
      if (++reads > 2 && index % 1_000 === 0) {
        events.push(what)
        monotonic += runMs
      }
      return what
    },
  }
}

const apis = [busy, stepwise, later, mayAsk, asking, listing, longList]
const own = startCatalogService(apis, { clock, timer, dns })
afterEach(() => {
  events.length = 0
  hasSlowTurns = false
})

const query = (what: string, key: string, api = "busy") => {
  const fields = Array.from({ length: 50 }, (_, i) => `f${i}: ${api}(input: {what: "${what}"}) { done }`)
  return readGraphql(own.post("/v1/graphql", { query: `{ ${fields.join(" ")} }` }, key))
}
const lists = (what: string, key: string, api = "listing", times = 45) => {
  const fields = Array.from({ length: times }, (_, index) => `f${index}: items { done }`)
  const query = `{ ${api}(input: {what: "${what}"}) { ${fields.join(" ")} } }`
  return readGraphql(own.post("/v1/graphql", { query }, key))
}
const batch = (what: string, key: string, api = "busy") =>
  readAnswer(own.post(`/v1/${api}/batch`, { inputs: Array(50).fill({ what }) }, key))
const single = (what: string, key: string) => readAnswer(own.post("/v1/busy", { what }, key))
const steps = (what: string, key: string) => readAnswer(own.post("/v1/stepwise", { what }, key))

test.each([
  ["one query", (key: string) => [query("query", key)]],
  ["one query for a list many times", (key: string) => [lists("list", key)]],
  ["one query for a long list", (key: string) => [lists("items", key, "longlist", 1)]],
  ["one batch", (key: string) => [batch("batch", key)]],
  ["one batch of runs that work after a wait", (key: string) => [batch("batch", key, "later")]],
  ["one batch of runs that ask the DNS", (key: string) => [batch("batch", key, "asking")]],
  ["one query of fields that work after a wait", (key: string) => [query("query", key, "later")]],
  ["one query of fields that may ask the DNS", (key: string) => [query("query", key, "mayask")]],
  ["one call of many steps", (key: string) => [steps("steps", key)]],
  ["many calls", (key: string) => Array.from({ length: 50 }, () => single("single", key))],
  [
    "all of these at once",
    (key: string) => [
      ...[1, 2].flatMap(() => [query("query", key), batch("batch", key)]),
      steps("steps", key),
      ...Array.from({ length: 20 }, () => single("single", key)),
    ],
  ],
])("%s: the runs of one turn stay within one slice", async (_name, send) => {
  const { key } = await own.createKey("pro")
  await countTurns(() => Promise.all<unknown>(send(key)))
  expect(events.filter((event) => event !== "turn").length).toBeGreaterThanOrEqual(20)
  // One slice may begin when requests arrive, and the next at the end of the same turn.
  expect(Math.max(...runsPerTurn())).toBeLessThanOrEqual(2 * runsPerSlice)
})

test("accounts take turns: a call does not wait for all fields of another account's queries", async () => {
  const [{ key: heavy }, { key: light }] = [await own.createKey("pro"), await own.createKey("pro")]
  hasSlowTurns = true
  const heavyWork = Promise.all([query("heavy", heavy), query("heavy", heavy), batch("heavy", heavy)])
  while (!events.includes("heavy")) await new Promise((resolve) => setImmediate(resolve))
  await single("light", light)
  const { body } = (await heavyWork)[0]
  expect(Object.keys(body.data ?? {})).toHaveLength(50)
  expect(events.slice(events.indexOf("light")).length).toBeGreaterThan(75)
})

async function countTurns(work: () => Promise<unknown>): Promise<void> {
  let isDone = false
  const tick = () => {
    events.push("turn")
    if (!isDone) setImmediate(tick)
  }
  setImmediate(tick)
  await work()
  isDone = true
}

function runsPerTurn(): number[] {
  const counts = [0]
  for (const event of events) {
    if (event === "turn") counts.push(0)
    else counts[counts.length - 1] = (counts.at(-1) ?? 0) + 1
  }
  return counts
}

test("requests that begin in one turn stay within one slice; the others wait for the next turn", async () => {
  let nowMs = 0
  const clock = { now: () => 0, monotonicMs: () => (nowMs += runMs) }
  const { opened, parts, settings } = catalogParts([], { clock })
  const closing = createClosing(parts.pipeline.ports.timer)
  const app = createHttpApp(parts, { ...settings, closing, strict: true })
  let answered = 0
  const requests = Array.from({ length: 10 }, async () => {
    await app.fetch(new Request("http://penknife.test/nothing"))
    answered++
  })
  for (let microtask = 0; microtask < 100; microtask++) await undefined
  expect(answered).toBeGreaterThan(0)
  expect(answered).toBeLessThanOrEqual(runsPerSlice)
  await Promise.all(requests)
  await opened.store.close()
})
