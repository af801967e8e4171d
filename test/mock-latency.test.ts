/** Slow answers of the mock, and its profiles: named sets of faults beside those of a test. */
import { beforeEach, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { createFaults, type Profiles } from "../src/mock/faults.ts"
import { maxDelayMs, toDelay } from "../src/mock/rule.ts"
import { createSeededRandom } from "../src/ports/random.ts"
import { createDelays } from "../src/surfaces/http/mock/delays.ts"
import { connectMcp } from "./support/mcp.ts"
import { listOf, post, startTestMock, ways } from "./support/mock.ts"
import { slowly } from "./support/raw-http.ts"
import { createManualTimer } from "./support/timer.ts"
import { until } from "./support/until.ts"

const mock = await startTestMock()
beforeEach(() => mock.reset())

const key = "mock-pro"
const lookUp = () => mock.fetch("/v1/bluetoothlookup?companyid=76", { key })
const fault = (rule: object) => mock.control("PUT", "/faults", rule)
const use = (name: string) => mock.control("PUT", "/profile", { name })
const draw = (count: number, next: () => number) => Array.from({ length: count }, next)

const range = fc.tuple(fc.integer({ min: 0, max: maxDelayMs }), fc.integer({ min: 0, max: maxDelayMs }))

test("a delay: between two bounds keeps to them, and is the same on every run for the same seed", () => {
  fc.assert(
    fc.property(range, fc.nat(), ([one, other], seed) => {
      const delay = { min: Math.min(one, other), max: Math.max(one, other) }
      const drawn = draw(50, toDelay(delay, seed, createSeededRandom))
      for (const ms of drawn) expect(Number.isInteger(ms) && ms >= delay.min && ms <= delay.max).toBe(true)
      expect(draw(50, toDelay(delay, seed, createSeededRandom))).toEqual(drawn)
    }),
    { numRuns: 50 },
  )
  const seeds = [0, 1].map((seed) => draw(9, toDelay({ min: 0, max: 9_999 }, seed, createSeededRandom)))
  expect(seeds[0]).not.toEqual(seeds[1] ?? [])
})

test("a delay with percentiles is log-normal: half are below p50, 99 % below p99, and none is over the bound", () => {
  for (const [p50, p99] of [
    [80, 900],
    [500, 5_000],
    [7, 7],
    [1, maxDelayMs],
  ] as const) {
    const drawn = draw(20_000, toDelay({ p50, p99 }, 3, createSeededRandom))
    const sorted = drawn.toSorted((one, other) => one - other)
    const below = (limit: number) => sorted.filter((ms) => ms <= limit).length / sorted.length
    expect(below(p50)).toBeGreaterThan(0.48)
    expect(below(p99)).toBeGreaterThan(0.985)
    expect(sorted.every((ms) => Number.isInteger(ms) && ms >= 0 && ms <= maxDelayMs)).toBe(true)
    if (p50 === p99) continue
    expect(below(p50)).toBeLessThan(0.55)
    if (p99 < maxDelayMs) expect(below(p99)).toBeLessThan(0.995)
  }
})

test("a delay is drawn for each call, shown in the journal, and the same after a reset", async () => {
  const sequence = async () => {
    await mock.reset()
    await fault({ delay_ms: { min: 1, max: 30 }, seed: 5 })
    for (let call = 0; call < 6; call++) await lookUp()
    return (await listOf(mock, "requests")).map((one) => one.fault?.delay_ms)
  }
  const first = await sequence()
  expect(new Set(first).size).toBeGreaterThan(1)
  expect(await sequence()).toEqual(first)
})

/** Reads all pieces of a body while it moves time, and the time at which each came. */
async function piecesOf(timer: ReturnType<typeof createManualTimer>, body: ReadableStream<Uint8Array>) {
  const pieces: { atMs: number; text: string }[] = []
  const reader = body.getReader()
  for (let atMs = 0; ; ) {
    const next = reader.read()
    await until(() => timer.waiting.length > 0)
    const [waitMs = 0] = timer.waiting
    atMs += waitMs
    timer.advance(waitMs)
    const { done, value } = await next
    if (done) return pieces
    pieces.push({ atMs, text: Buffer.from(value).toString() })
    if (timer.waiting.length === 0 && pieces.at(-1)?.text.endsWith("!")) return pieces
  }
}

/** Reads the first piece of a body, and waits for the second one. */
async function begin(effects: Parameters<ReturnType<typeof createDelays>["toBody"]>[1]) {
  const timer = createManualTimer()
  const reader = createDelays(timer).toBody("abc", effects).getReader()
  const first = reader.read()
  await until(() => timer.waiting.length > 0)
  timer.fire()
  await first
  const second = reader.read()
  await until(() => timer.waiting.length > 0)
  return { timer, reader, first, second }
}

test.each([
  [10, "x".repeat(29)],
  [1, "abc"],
  [1_000, "x".repeat(333)],
  [30, "x".repeat(60)],
])("the body of an answer at %d bytes a second takes as long as that, and is whole", async (rate, text) => {
  const timer = createManualTimer()
  const pieces = await piecesOf(timer, createDelays(timer).toBody(`${text}!`, { bytes_per_second: rate }))
  expect(pieces.map(({ text }) => text).join("")).toBe(`${text}!`)
  const tookMs = pieces.at(-1)?.atMs ?? 0
  const expectedMs = ((text.length + 1) / rate) * 1_000
  expect(tookMs).toBeGreaterThanOrEqual(expectedMs - 1)
  expect(tookMs).toBeLessThanOrEqual(expectedMs + Math.max(100, 1_000 / rate))
  expect(pieces.length).toBeLessThanOrEqual(Math.ceil(expectedMs / 33) + 1)
})

test("the body of an answer that hangs sends its first byte, and is broken off after ten minutes", async () => {
  const { timer, first, second } = await begin({ hang: true })
  expect(Buffer.from((await first).value ?? []).toString()).toBe("a")
  expect(timer.waiting).toEqual([600_000])
  timer.advance(600_000)
  await expect(second).rejects.toBeUndefined()
})

test("the body of an answer whose client left waits for nothing", async () => {
  for (const effects of [{ hang: true }, { bytes_per_second: 1 }]) {
    const { timer, reader, second } = await begin(effects)
    await reader.cancel()
    expect((await second).done).toBe(true)
    expect(timer.waiting).toEqual([])
  }
})

test.each([{ hang: true }, { bytes_per_second: 1 }])(
  "the body of an answer with %j does not delay others",
  async (effects) => {
    const whole = await (await lookUp()).text()
    await fault({ key: "mock-free", ...effects })
    const head = "GET /v1/bluetoothlookup?companyid=76 HTTP/1.1\r\nHost: x\r\nx-api-key: mock-free\r\n\r\n"
    const { answer, socket, closed } = slowly(mock.url, head)
    await until(() => answer().includes("\r\n\r\n"))
    await until(() => answer().endsWith("\r\n1\r\n{\r\n"))
    expect(await (await lookUp()).text()).toBe(whole)
    socket.destroy()
    await closed
    const requests = await listOf(mock, "requests", "?key=mock-free")
    expect(requests).toMatchObject([{ fault: effects, response: { status: 200 } }])
  },
)

test("the body of an answer at a speed is the same one, in every way of calling", async () => {
  for (const way of [ways.rest, ways.batch, ways.graphql]) {
    await mock.reset()
    const prompt = await (await way(mock, key)).text()
    await mock.reset()
    await fault({ bytes_per_second: 100_000 })
    expect(await (await way(mock, key)).text()).toBe(prompt)
  }
})

test("faults act on a tool call as on others: a delay, a reset, a broken and a slow answer", async () => {
  await using mcp = await connectMcp(mock.url, key)
  const call = () => mcp.call("bluetoothlookup", { companyid: "76" })
  const api = "bluetoothlookup"
  await fault({ api, delay_ms: { min: 2, max: 9 }, bytes_per_second: 100_000, times: 1 })
  expect(await call()).toMatchObject({ isError: false })
  await fault({ api, status: 429, times: 1 })
  expect(await call()).toMatchObject({ isError: true })
  for (const effect of [{ reset: true }, { status: 502 }]) {
    await fault({ api, ...effect })
    await expect(call()).rejects.toThrow()
  }
  // The client would wait for another answer until its own limit.
  await fault({ api, malformed: true })
  const params = { name: api, arguments: { companyid: "76" } }
  const broken = await post(mock, "/mcp", key, { jsonrpc: "2.0", id: 1, method: "tools/call", params })
  await expect(broken.json()).rejects.toThrow()
  await mock.control("DELETE", "/faults")
  expect(await call()).toMatchObject({ isError: false })
  const faults = (await listOf(mock, "requests", "?api=bluetoothlookup")).map((one) => one.fault)
  expect(faults[0]).toMatchObject({ delay_ms: expect.any(Number), bytes_per_second: 100_000 })
  expect(faults).toContainEqual({ reset: true })
})

test("a profile is ok at the start, stands beside the faults of a test, and ends with ok and with a reset", async () => {
  expect((await mock.control("GET", "/profile")).data).toMatchObject({ name: "ok", profiles: { ok: [] } })
  await fault({ api: "hmac", status: 500 })
  expect((await use("outage")).data).toMatchObject({ name: "outage" })
  expect((await lookUp()).status).toBe(502)
  expect((await ways.batch(mock, key)).status).toBe(502)
  expect((await mock.control("GET", "/faults")).data?.faults).toEqual([{ api: "hmac", status: 500 }])
  await mock.control("DELETE", "/faults")
  expect((await lookUp()).status).toBe(502)
  await use("ok")
  expect((await lookUp()).status).toBe(200)
  await mock.control("POST", "/profile", { name: "throttled" })
  await mock.reset()
  expect((await mock.control("GET", "/profile")).data?.name).toBe("ok")
})

test("a profile: a fault of a test has precedence, and a fault with the same target does not replace it", async () => {
  await use("outage")
  await fault({ status: 503, times: 1 })
  expect([(await lookUp()).status, (await lookUp()).status]).toEqual([503, 502])
})

test("a profile: throttled and flaky act on about as many calls as they say, on the same ones each time", () => {
  const outcomes = (name: string, count: number) => {
    const faults = createFaults(createSeededRandom, {}, name)
    return Array.from({ length: count }, () => {
      const { status, reset } = faults.take({ apis: ["hmac"], key, inputsOf: () => [] })?.effects ?? {}
      return reset ? "reset" : (status ?? 200)
    })
  }
  const flaky = outcomes("flaky", 1_000)
  const share = (outcome: unknown) => flaky.filter((one) => one === outcome).length / flaky.length
  expect(share(503)).toBeWithin(0.07, 0.13)
  expect(share("reset")).toBeWithin(0.03, 0.07)
  expect(outcomes("flaky", 1_000)).toEqual(flaky)
  expect(outcomes("throttled", 1_000).filter((one) => one === 429).length).toBeWithin(450, 550)
})

test("a profile of a start of its own is there again after other ones, and counts its calls", () => {
  const own: Profiles = { once: [{ status: 500, times: 1 }] }
  const faults = createFaults(createSeededRandom, own, "once")
  const statusOf = () => faults.take({ apis: [], key, inputsOf: () => [] })?.effects.status
  expect([statusOf(), statusOf(), faults.profile().name]).toEqual([500, undefined, "once"])
  faults.useProfile("ok")
  faults.useProfile("once")
  expect([statusOf(), faults.list()]).toEqual([500, []])
})

test.each([{ name: "flakey" }, { name: "__proto__" }, { name: 5 }, {}, { nmae: "ok" }, "", "[]"])(
  "a profile: %j is refused, and nothing changes",
  async (body) => {
    await use("throttled")
    const { code, error } = await mock.control("PUT", "/profile", body)
    expect([code, error]).toEqual([400, expect.stringMatching(/^The '(?:name|nmae|body)' parameter /)])
    expect((await mock.control("GET", "/profile")).data?.name).toBe("throttled")
  },
)

test("a profile is written out in the page as it is", async () => {
  const page = readFileSync(join(import.meta.dir, "../docs/mock-reference.md"), "utf8")
  const { data } = await mock.control("GET", "/profile")
  const rows = Object.entries(data?.profiles as Record<string, object[]>)
  expect(rows.map(([name]) => name)).toEqual(["ok", "flaky", "slow", "outage", "throttled"])
  for (const [name, rules] of rows) {
    const [, shown = ""] = new RegExp(`^\\| \`${name}\` \\| (.*) \\|$`, "m").exec(page) ?? []
    const written = [...shown.matchAll(/`(\{.*?\})`/g)].map(([, json = ""]) => JSON.parse(json))
    expect([name, written]).toEqual([name, rules])
  }
})
