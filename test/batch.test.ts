/** `POST /v1/{api}/batch`: one request with many inputs; each has its own result, and only successes are charged. */
import { expect, test } from "bun:test"
import { unavailable } from "../src/apis/contract.ts"
import { catalog } from "../src/app/prepare.ts"
import { contentTypes, encodeEnvelope, formats } from "../src/encode/formats.ts"
import type { Envelope } from "../src/encode/tree.ts"
import { type Answer, readAnswer } from "./support/answer.ts"
import { echoApi, startCatalogService } from "./support/catalog-service.ts"
import { startTestService } from "./support/service.ts"

const service = await startTestService({
  file: { plans: { five: { monthly_credits: 5, premium: false, requests_per_minute: 3 } } },
})

const sign = (message: unknown) => ({ message, secret: "s" })

const batch = (key: string | null, body: unknown, to = "/v1/hmac/batch") => service.post(to, body, { key })

interface Result {
  index: number
  status: string
  error: string | null
  data: Record<string, unknown> | null
}
const resultsOf = ({ data }: Answer) => data?.results as Result[]
const usedBy = async (account: string) => (await service.accounts.show(account)).balance.used

test("the answer has one result per input, in order, and what was charged", async () => {
  const { account, key } = await service.createKey("pro")
  const inputs = [sign("a"), sign(5), sign("c"), {}]
  const response = await batch(key, { inputs })
  expect(response.status).toBe(200)
  expect(response.headers.get("x-api-credits-used")).toBe("2")
  expect(response.headers.get("x-api-current-plan")).toBe("pro")
  const answer = await readAnswer(response)
  expect(answer).toEqual({
    status: "ok",
    error: null,
    data: {
      count: 4,
      succeeded: 2,
      failed: 2,
      credits_used: 2,
      results: [
        { index: 0, status: "ok", error: null, data: expect.objectContaining({ algorithm: "sha256" }) },
        { index: 1, status: "error", error: "The 'message' parameter must be a string.", data: null },
        { index: 2, status: "ok", error: null, data: expect.objectContaining({ encoding: "hex" }) },
        { index: 3, status: "error", error: expect.stringContaining("'message'"), data: null },
      ],
    },
  })
  const single = await readAnswer(batch(key, sign("c"), "/v1/hmac"))
  expect(resultsOf(answer)[2]?.data).toEqual(single.data)
  const row = { day: "2025-01-01", api: "hmac", calls: 3, credits: 3 }
  expect(await service.accounts.usage(account, 1)).toEqual([row])
})

test.each([...formats])("the answer comes as %s, encoded like a single answer", async (format) => {
  const { key } = await service.createKey("free")
  const inputs = [sign("a"), {}, sign("Grüße"), null, ...Array.from({ length: 30 }, () => sign("x"))]
  const json = await readAnswer(batch(key, { inputs }))
  const answer = await batch(key, { inputs }, `/v1/hmac/batch?format=${format}`)
  expect(answer.headers.get("content-type")).toBe(contentTypes[format])
  expect(await answer.text()).toBe(encodeEnvelope(format, json as Envelope))
  expect(json.data).toMatchObject({ succeeded: 32, failed: 2 })
})

test("the answer in an unknown format is a 400 and costs nothing", async () => {
  const { account, key } = await service.createKey("pro")
  const answer = await batch(key, { inputs: [sign("a")] }, "/v1/hmac/batch?format=html")
  expect(answer.status).toBe(400)
  expect((await readAnswer(answer)).error).toContain("'format'")
  expect(await usedBy(account)).toBe(0)
})

test("the answer takes 200 inputs, also for APIs with GET, whose parameters then have JSON types", async () => {
  const { account, key } = await service.createKey("pro")
  const inputs = Array.from({ length: 200 }, (_, id) => ({ companyid: id % 2 === 0 ? id : String(id) }))
  const answer = await readAnswer(batch(key, { inputs }, "/v1/bluetoothlookup/batch"))
  expect(answer.data).toMatchObject({ count: 200, succeeded: 200, failed: 0, credits_used: 200 })
  const ids = resultsOf(answer).map((result) => result.data?.companyId)
  expect(ids).toEqual(Array.from({ length: 200 }, (_, index) => index))
  const sun = [1, "1"].map((lat) => ({ lat, lon: 2 }))
  const typed = await readAnswer(batch(key, { inputs: sun }, "/v1/sunrisesunset/batch"))
  expect(resultsOf(typed).map(({ status }) => status)).toEqual(["ok", "error"])
  expect(await usedBy(account)).toBe(201)
})

const many = (count: number) => ({ inputs: Array.from({ length: count }, () => sign("a")) })
test.each([
  ["no inputs", {}, "inputs"],
  ["null", { inputs: null }, "inputs"],
  ["an object", { inputs: { 0: sign("a"), length: 1 } }, "inputs"],
  ["a string", { inputs: "abc" }, "inputs"],
  ["none", many(0), "inputs"],
  ["201", many(201), "inputs"],
  ["10,000", { inputs: Array.from({ length: 10_000 }, () => 0) }, "inputs"],
  ["more parts than a body may have", { inputs: Array.from({ length: 100_000 }, () => 0) }, "body"],
  ["an array as body", [sign("a")], "body"],
  ["no JSON", '{"inputs": [', "body"],
])("refused as a whole, for nothing: %s", async (_name, body, parameter) => {
  const { account, key } = await service.createKey("pro")
  const response = await batch(key, body)
  expect(response.status).toBe(400)
  const { error, data } = await readAnswer(response)
  expect(error).toStartWith(`The '${parameter}' parameter must be `)
  expect(data).toBeNull()
  expect(await usedBy(account)).toBe(0)
})

test("refused as a whole, for nothing: another method is a 405, another Content-Type a 415, another path a 404", async () => {
  const { key } = await service.createKey("pro")
  const get = await service.fetch("/v1/bluetoothlookup/batch", { key })
  expect([get.status, get.headers.get("allow")]).toEqual([405, "POST"])
  expect((await service.fetch("/v1/hmac/batch", { method: "POST", key, body: "{}" })).status).toBe(415)
  for (const path of ["/v1/nothing/batch", "/v1/hma%63/batch", "/v1/hma%63"])
    expect([path, (await batch(key, {}, path)).status]).toEqual([path, 404])
})

test("refused as a whole, for nothing: a missing key, a forbidden API and the rate limit are checked before the body is read", async () => {
  expect((await batch(null, "no json")).status).toBe(401)
  const blocked = await service.createKey("pro", { blockApis: ["hmac"] })
  expect((await batch(blocked.key, "no json")).status).toBe(403)
  const { key } = await service.createKey("five")
  for (const left of ["2", "1", "0"]) {
    const response = await batch(key, { inputs: [sign("a"), {}] })
    expect([response.status, response.headers.get("x-ratelimit-remaining")]).toEqual([200, left])
  }
  expect((await batch(key, "no json")).status).toBe(429)
})

test.each([[null], [5], ["x"], [[]], [true]])("inputs that are no object fail alone: %p", async (element) => {
  const { account, key } = await service.createKey("pro")
  const answer = await readAnswer(batch(key, { inputs: [sign("a"), element, sign("b")] }))
  expect(resultsOf(answer).map(({ status }) => status)).toEqual(["ok", "error", "ok"])
  expect(resultsOf(answer)[1]?.error).toStartWith("The 'inputs[1]' parameter must be an object")
  expect(await usedBy(account)).toBe(2)
})

test("nothing runs when the balance does not cover all inputs, bad ones included", async () => {
  const { account, key } = await service.createKey("five")
  const refused = await batch(key, { inputs: [1, 2, 3, 4, 5, 6].map(() => sign("a")) })
  expect(refused.status).toBe(429)
  expect((await readAnswer(refused)).error).toContain("this call costs 6 credits")
  expect((await batch(key, { inputs: [{}, {}, {}, {}, {}, sign("a")] })).status).toBe(429)
  expect(await usedBy(account)).toBe(0)
  expect((await batch(key, { inputs: [1, 2, 3, 4, 5].map(() => sign("a")) })).status).toBe(200)
  expect(await usedBy(account)).toBe(5)
})

const events: string[] = []
let inProgress = 0
let most = 0
const allWaiting = Promise.withResolvers<void>()
const slow = echoApi("slow", async ({ what }) => {
  inProgress++
  most = Math.max(most, inProgress)
  if (inProgress === 16) allWaiting.resolve()
  await allWaiting.promise
  inProgress--
  if (what === "down") unavailable("The server does not answer.")
  if (what === "bug") throw new Error("secret detail")
  return { done: what }
})
const busy = echoApi("busy", ({ what }) => {
  events.push("run")
  monotonic += 1
  return { done: what }
})
const wordy = echoApi("wordy", ({ what }) => ({
  // Called whenever an encoder reads the value.
  get done() {
    onEncode()
    return what
  },
}))
let onEncode = () => {}
let monotonic = 0
const clock = { now: () => Date.parse("2025-01-01T00:00:00Z"), monotonicMs: () => monotonic }
const own = startCatalogService([slow, busy, wordy], { clock })

/** Does something while other work notes each turn of the event loop that it gets. */
async function besideOtherWork<T>(work: () => Promise<T>): Promise<T> {
  events.length = 0
  let done = false
  const tick = () => {
    events.push("other work")
    if (!done) setImmediate(tick)
  }
  setImmediate(tick)
  const result = await work()
  done = true
  return result
}

/** The most events of a kind between two turns of the other work. */
const longestOf = (event: string): number =>
  Math.max(
    ...events
      .join()
      .split("other work")
      .map((stretch) => stretch.split(event).length - 1),
  )

test("while a batch runs, at most 16 inputs run at the same time, and a failure of one does not change the others", async () => {
  const { account, key } = await own.createKey("pro")
  const inputs = Array.from({ length: 100 }, (_, index) => ({
    what: index === 3 ? "down" : index === 50 ? "bug" : `job ${index}`,
  }))
  const answer = await readAnswer(own.post("/v1/slow/batch", { inputs }, key))
  expect(most).toBe(16)
  expect(answer.data).toMatchObject({ succeeded: 98, failed: 2, credits_used: 98 })
  const results = resultsOf(answer)
  expect(results[3]?.error).toBe("The server does not answer.")
  expect(results[50]?.error).toStartWith("Something went wrong here.")
  expect(JSON.stringify(answer)).not.toContain("secret detail")
  expect(results[99]?.data).toEqual({ done: "job 99" })
  // A server outside that does not answer is not an error of the service.
  expect(own.logged).toEqual(["internal"])
  expect((await own.accounts.show(account)).balance.used).toBe(98)
})

test("while a batch runs, inputs that only compute let other work in between", async () => {
  const { key } = await own.createKey("pro")
  const inputs = Array.from({ length: 200 }, () => ({ what: "x" }))
  const answer = await besideOtherWork(() => readAnswer(own.post("/v1/busy/batch", { inputs }, key)))
  expect(answer.data).toMatchObject({ succeeded: 200 })
  // Each run takes a millisecond of the clock above, and a slice of time is ten.
  expect(longestOf("run")).toBe(10)
})

test.each([...formats])(
  "while a batch runs, the writing of results lets other work in between: %s",
  async (format) => {
    const { key } = await own.createKey("pro")
    onEncode = () => {
      events.push("encode")
      monotonic += 1
    }
    const inputs = Array.from({ length: 50 }, (_, index) => ({ what: `job ${index}` }))
    const path = `/v1/wordy/batch?format=${format}`
    const text = await besideOtherWork(() => own.post(path, { inputs }, key).then((answer) => answer.text()))
    onEncode = () => {}
    expect(text).toContain("job 49")
    expect(events.filter((event) => event === "encode").length).toBeGreaterThanOrEqual(50)
    // Each result takes a millisecond of the clock above, a slice of time is ten, and JSON is written eight at a time.
    expect(longestOf("encode")).toBeLessThan(10 + 8)
  },
)

test("every API of the catalog has a batch route that needs a key", async () => {
  for (const { id } of catalog) expect((await batch(null, {}, `/v1/${id}/batch`)).status).toBe(401)
})
