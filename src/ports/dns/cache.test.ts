import { expect, test } from "bun:test"
import { createManualClock } from "../../../test/support/clock.ts"
import type { DnsAnswer, DnsReply } from "../../apis/contract.ts"
import { type CacheOptions, createCache } from "./cache.ts"

const records = (...texts: string[]): DnsAnswer => ({ kind: "records", records: texts, messageBytes: 0 })

function cacheWith(options: Omit<CacheOptions, "clock"> = {}) {
  const clock = createManualClock()
  return { clock, cache: createCache({ clock, ...options }) }
}

test("time: an answer is kept until the end of its time to live, also when it was used", () => {
  const { clock, cache } = cacheWith()
  cache.put("a", records("x"), 60)
  clock.advance(59_999)
  expect(cache.get("a")).toEqual(records("x"))
  clock.advance(1)
  expect(cache.get("a")).toBeNull()
})

test("time: a jump of the wall clock changes nothing", () => {
  const { clock, cache } = cacheWith()
  cache.put("a", records("x"), 1)
  clock.set("2099-01-01T00:00:00Z")
  expect(cache.get("a")).not.toBeNull()
})

test.each<[DnsAnswer, number]>([
  [records("x"), 3600],
  [{ kind: "nodata" }, 300],
  [{ kind: "nxdomain" }, 300],
])("time: %j is kept for %d seconds at most", (answer, seconds) => {
  const { clock, cache } = cacheWith()
  cache.put("a", answer, 1_000_000)
  clock.advance(seconds * 1000 - 1)
  expect(cache.get("a")).toEqual(answer)
  clock.advance(1)
  expect(cache.get("a")).toBeNull()
})

test("time: an answer of more than 200 records is not kept, and removes the old answer", () => {
  const { cache } = cacheWith()
  const most = Array.from({ length: 200 }, (_, index) => `${index}`)
  cache.put("a", records(...most), 60)
  expect(cache.get("a")).toEqual(records(...most))
  cache.put("a", records(...most, "x"), 60)
  expect(cache.get("a")).toBeNull()
})

test("time: a failure and an answer without time to live are not kept, and remove the old answer", () => {
  const { cache } = cacheWith()
  cache.put("a", { kind: "failure", reason: "timeout" }, 60)
  expect(cache.get("a")).toBeNull()
  cache.put("a", records("x"), 60)
  cache.put("a", records("y"), 0)
  expect(cache.get("a")).toBeNull()
})

test("size: the answers not used for the longest time are dropped first", () => {
  const { cache } = cacheWith({ maxEntries: 3 })
  for (const key of ["a", "b", "c"]) cache.put(key, records(key), 60)
  expect(cache.get("a")).not.toBeNull()
  cache.put("d", records("d"), 60)
  expect(["a", "b", "c", "d"].filter((key) => cache.get(key))).toEqual(["a", "c", "d"])
})

test("size: an answer that replaces another takes its place", () => {
  const { cache } = cacheWith({ maxEntries: 2, maxBytes: 3_000 })
  for (let turn = 0; turn < 20; turn++) {
    cache.put("a", records("x".repeat(700)), 60)
    cache.put("b", records("y".repeat(700)), 60)
  }
  expect(cache.get("a")).not.toBeNull()
  expect(cache.get("b")).not.toBeNull()
})

test("size is limited by bytes too, for every type of record", () => {
  const text = records("x".repeat(1_000))
  const mail: DnsAnswer = {
    kind: "records",
    records: Array.from({ length: 10 }, () => ({ preference: 1, exchange: "x".repeat(100) })),
    messageBytes: 0,
  }
  const service: DnsAnswer = {
    kind: "records",
    records: [
      { priority: 1, target: "", parameters: [{ key: "key9", values: ["x".repeat(500), "y".repeat(500)] }] },
    ],
    messageBytes: 0,
  }
  const record = { owner: "a", type: "TXT", ttlSeconds: 60, data: "x".repeat(300) } as const
  const reply: DnsReply = {
    ...({ kind: "reply", rcode: "NOERROR", authenticated: false, authority: [], messageBytes: 0 } as const),
    answer: [{ ...record, text: "x".repeat(300), wire: "x".repeat(600) }],
  }
  for (const answer of [text, mail, service, reply]) {
    const { cache } = cacheWith({ maxBytes: 10_000 })
    for (let index = 0; index < 100; index++) cache.put(`${index}`, answer, 60)
    const kept = Array.from({ length: 100 }, (_, index) => index).filter((index) => cache.get(`${index}`))
    expect(kept.length).toBeGreaterThanOrEqual(4)
    expect(kept.length).toBeLessThanOrEqual(9)
    expect(kept).toContain(99)
  }
})

test("size: an answer larger than the whole cache is not kept and displaces nothing", () => {
  const { cache } = cacheWith({ maxBytes: 1_000 })
  cache.put("a", records("x"), 60)
  cache.put("big", records("x".repeat(2_000)), 60)
  expect(cache.get("big")).toBeNull()
  expect(cache.get("a")).not.toBeNull()
})

test("a caller cannot change an answer for the next", () => {
  const { cache } = cacheWith()
  const exchange = { preference: 1, exchange: "x" }
  cache.put("a", { kind: "records", records: [exchange], messageBytes: 0 }, 60)
  const answer = cache.get("a")
  expect(Object.isFrozen(answer)).toBe(true)
  expect(answer?.kind === "records" && Object.isFrozen(answer.records)).toBe(true)
  expect(Object.isFrozen(exchange)).toBe(true)
})
