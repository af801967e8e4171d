/** Isolated APIs: whatever an input asks of their library, other callers are answered, and the input is told what to change. */
import { afterAll, expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { type ApiDefinition, defineIsolatedApi } from "../src/apis/contract.ts"
import { isolatedRuns } from "../src/apis/isolated-runs.ts"
import { catalog } from "../src/app/prepare.ts"
import { warmLibraries } from "../src/app/service.ts"
import { createIsolatedThreads } from "../src/plugins/isolated-threads.ts"
import { createMemoryWatch } from "../src/plugins/memory-watch.ts"
import { createThreadTime } from "../src/plugins/thread-time.ts"
import { systemClock } from "../src/ports/clock.ts"
import { readMemoryUse } from "../src/ports/machine.ts"
import { systemTimer } from "../src/ports/timer.ts"
import { echoApi, startCatalogService } from "./support/catalog-service.ts"
import { mainThreadMs } from "./support/processor-time.ts"
import { until } from "./support/until.ts"

const uncaught: string[] = []
const use = readMemoryUse()
const threads = createIsolatedThreads({
  ...{ clock: systemClock, timer: systemTimer, time: createThreadTime(systemClock) },
  ...{ memory: use && createMemoryWatch(use, systemTimer) },
  onUncaught: (cause) => uncaught.push(cause),
  runs: join(import.meta.dir, "support/isolated/runs.ts"),
})
afterAll(threads.end)

const { run: _, ...facts } = echoApi("sample", ({ what }) => ({ done: what }))
const definition: ApiDefinition = defineIsolatedApi({ ...facts, isolated: { limitMs: 200 } })
const limits = { maxWorkers: 2, maxMemoryBytes: 1 << 27 }
const sample = threads.isolate(definition, { limitMs: 200 }, limits)
const service = startCatalogService([sample, echoApi("cheap", ({ what }) => ({ done: what }))])

const read = async (key: string, body: object, path = "/v1/sample") =>
  (await (await service.post(path, body, key)).json()) as { error: string | null; data: unknown }
const used = async (key: string) => {
  const answer = await fetch(`${service.url}/v1/usage`, { headers: { "x-api-key": key } })
  return answer.headers.get("x-api-credits-used")
}

test("runs in a thread, with the clock and the plan of the call", async () => {
  const { key } = await service.createKey("free")
  expect(await read(key, { what: "hello" })).toMatchObject({ data: { done: "hello false 1735689600000" } })
  expect(() => definition.run({ what: "" }, {} as never)).toThrow(
    "'sample' runs in a thread, which is missing here",
  )
})

/** The worst inputs of the sample, with the beginnings of their refusals. */
const worst: readonly (readonly [what: string, refusal: string])[] = [
  ["loop", "The 'what' parameter takes too long: the call was ended after 200 ms of processor time."],
  ["backtrack", "The 'what' parameter takes too long"],
  ...(use ? ([["allocate", "The 'what' parameter takes too "]] as const) : []),
  ["deep", "The 'what' parameter is nested too deeply. Make it shorter or simpler."],
  ["long", "The 'what' parameter makes an answer of more than 1,000,000 characters."],
  ["refuse", "The 'what' parameter must be something else."],
]

test.each(worst)(
  "%s is a 400 that is not charged, beside which others are answered at once",
  async (what, refusal) => {
    const [bad, other] = await Promise.all([service.createKey("pro"), service.createKey("pro")])
    // Code that runs for the first time and a collection of memory take longer: only a turn that is long each time is the
    // input's.
    let longestMs = Number.POSITIVE_INFINITY
    for (let times = 0; times < 4 && longestMs >= 50; times++)
      longestMs = Math.min(longestMs, await longestBeside(what, refusal, bad.key, other.key))
    expect(longestMs).toBeLessThan(50)
    expect(await used(bad.key)).toBe("0")
    expect(await read(bad.key, { what: "again" })).toMatchObject({
      data: { done: expect.stringContaining("again") },
    })
  },
)

test("an account has half of the threads: another one's call is answered beside its endless ones", async () => {
  const [bad, other] = await Promise.all([service.createKey("pro"), service.createKey("pro")])
  const inputs = Array.from({ length: 4 }, () => ({ what: "loop" }))
  let isOver = false
  const late = read(bad.key, { inputs }, "/v1/sample/batch").finally(() => {
    isOver = true
  })
  expect(await read(other.key, { what: "mine" })).toMatchObject({
    data: { done: expect.stringContaining("mine") },
  })
  expect(isOver).toBe(false)
  expect(await late).toMatchObject({ data: { succeeded: 0, failed: 4, credits_used: 0 } })
})

test("a run that nothing can stop keeps its account's place until it is over", async () => {
  const { key } = await service.createKey("pro")
  expect(await read(key, { what: "search" })).toMatchObject({
    error: expect.stringContaining("takes too long"),
  })
  const before = process.cpuUsage()
  expect(await read(key, { what: "next" })).toMatchObject({ data: { done: expect.stringContaining("next") } })
  const { user, system } = process.cpuUsage(before)
  // The rest of the search. The next run alone takes some milliseconds.
  expect((user + system) / 1_000).toBeGreaterThan(400)
})

test("an account that has many calls waiting leaves places to others", async () => {
  const [bad, other] = await Promise.all([service.createKey("pro"), service.createKey("pro")])
  const many = Array.from({ length: 140 }, () => read(bad.key, { what: "x" }))
  expect(await read(other.key, { what: "mine" })).toMatchObject({
    data: { done: expect.stringContaining("mine") },
  })
  await Promise.all(many)
})

test.skipIf(!use)(
  "a thread that keeps more than 64 MiB after a run ends, also if others give back more meanwhile",
  async () => {
    const { key } = await service.createKey("pro")
    const ask = (what: string) => read(key, { what })
    for (let calls = 0; calls < 3; calls++) {
      const ofOthers = new ArrayBuffer(160 << 20)
      new Uint8Array(ofOthers).fill(1)
      // The thread begins while the process has more memory than later.
      expect(await ask("begin")).toMatchObject({ data: { done: expect.stringContaining("begin") } })
      const beforeBytes = process.memoryUsage.rss()
      ofOthers.transfer(0)
      await until(() => process.memoryUsage.rss() < beforeBytes - (120 << 20))
      for (let threads = 0; threads < 2; threads++) {
        expect(await ask("keep")).toMatchObject({ data: { done: "the texts of 1 calls" } })
        // The memory that a thread keeps is measured after its answer, so that one more call may still come to it.
        expect(await ask("x")).toMatchObject({ data: { done: expect.stringContaining("x") } })
      }
      // Both threads have ended, with the 160 MiB that they kept.
      await until(() => process.memoryUsage.rss() < beforeBytes - (80 << 20))
    }
  },
)

test("any other error is an internal one, and never stops the API for others", async () => {
  const { key } = await service.createKey("pro")
  for (let calls = 0; calls < 7; calls++)
    expect((await service.post("/v1/sample", { what: "fail" }, key)).status).toBe(500)
  expect(await read(key, { what: "well" })).toMatchObject({ data: { done: expect.stringContaining("well") } })
  expect(uncaught).toEqual([])
})

test("each isolated API of the catalog has its code, and its worst inputs in test/worst", () => {
  const isolated = catalog.flatMap(({ id, isolated: mark }) => (mark ? [id] : []))
  expect(Object.keys(isolatedRuns).sort()).toEqual([...isolated].sort())
  expect(isolated.filter((id) => !existsSync(join(import.meta.dir, `worst/${id}.ts`)))).toEqual([])
})

test("libraries that take long are loaded one in a turn; one that fails is logged, and the next is loaded", async () => {
  const steps: string[] = []
  const warm = (id: string) => ({ id, warm: async () => void steps.push(id) })
  const failing = { id: "b", warm: () => Promise.reject(new Error("broken")) }
  const turn = async () => void steps.push("turn")
  const log = { error: (message: string) => void steps.push(message) }
  await warmLibraries([warm("a"), { id: "none" }, failing, warm("c")], { turn }, log)
  expect(steps).toEqual(["turn", "a", "turn", "library not loaded", "turn", "c"])
})

/**
 * Calls the sample, which must refuse, and asks for other answers all the while. Returns the longest time that this thread worked
 * between two turns, in milliseconds: others would have waited for it.
 */
async function longestBeside(what: string, refusal: string, badKey: string, otherKey: string) {
  let isOver = false
  const late = service.post("/v1/sample", { what }, badKey).finally(() => {
    isOver = true
  })
  let longestMs = 0
  let answers = 0
  do {
    const before = mainThreadMs(process.pid)
    expect((await fetch(`${service.url}/health`)).status).toBe(200)
    expect(await read(otherKey, { what: "x" }, "/v1/cheap")).toMatchObject({ data: { done: "x" } })
    longestMs = Math.max(longestMs, mainThreadMs(process.pid) - before)
    answers++
  } while (!isOver)
  const answer = await late
  expect([
    answer.status,
    ((await answer.json()) as { error: string }).error.slice(0, refusal.length),
  ]).toEqual([400, refusal])
  expect(answers).toBeGreaterThan(0)
  // This includes two answers and the test's own work.
  return longestMs
}
