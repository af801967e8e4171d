import { expect, test } from "bun:test"
import fc from "fast-check"
import type { KeyAccess } from "../store.ts"
import { createAccessCache } from "./access-cache.ts"

/** A database with the versions of some accounts, and a cache of their keys. A key is called like its account. */
function setUp() {
  let nowMs = 1
  let reads = 0
  /** The versions of each account, with the times from which they hold. */
  const versions = new Map<string, { fromMs: number; revision: number }[]>()
  const at = (id: string, ms: number) =>
    versions.get(id)?.findLast(({ fromMs }) => fromMs <= ms)?.revision ?? 0
  const cache = createAccessCache({ monotonicMs: () => nowMs }, async (id) => {
    reads++
    return { revision: at(id, nowMs), account: { id } } as KeyAccess
  })
  return {
    cache,
    at,
    now: () => nowMs,
    reads: () => reads,
    advance: (ms: number) => {
      nowMs += ms
    },
    change: (id: string) => {
      nowMs++
      versions.set(id, [...(versions.get(id) ?? []), { fromMs: nowMs, revision: at(id, nowMs) + 1 }])
    },
    revision: async (id: string) => (await cache.find(id))?.revision,
  }
}

test("a key is read once for as long as it is confirmed, and again five seconds after the last time", async () => {
  const { cache, now, reads, advance, revision } = setUp()
  await revision("a")
  for (let beats = 0; beats < 100; beats++) {
    advance(4_000)
    expect(await revision("a")).toBe(0)
    cache.confirm(now() - 100)
  }
  expect([reads(), cache.ageMs()]).toEqual([1, 100])
  advance(4_899)
  await revision("a")
  expect([reads(), cache.ageMs()]).toEqual([1, 4_999])
  advance(1)
  await revision("a")
  expect([reads(), cache.ageMs()]).toEqual([2, 5_000])
})

test("a changed account is read again, although a later time was confirmed, and no other one is", async () => {
  const { cache, now, reads, advance, change, revision } = setUp()
  await Promise.all([revision("a"), revision("b")])
  change("a")
  cache.forget("a")
  advance(10)
  cache.confirm(now())
  expect([await revision("a"), await revision("b"), reads()]).toEqual([1, 0, 3])
})

test("no key is believed again because more accounts were changed than are remembered", async () => {
  const { cache, change, advance, revision } = setUp()
  await revision("a")
  change("a")
  cache.forget("a")
  advance(1)
  for (let index = 0; index < 150_000; index++) cache.forget(`other ${index}`)
  expect(await revision("a")).toBe(1)
})

test("whatever is told, lost and confirmed, a key is as the database had it in the last five seconds", async () => {
  const ids = ["a", "b", "c"]
  const step = fc.record({
    kind: fc.constantFrom(..."change find find advance advance tell tell beat lose connect".split(" ")),
    id: fc.constantFrom(...ids),
    ms: fc.integer({ min: 1, max: 3_000 }),
  })
  let unread = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 40, maxLength: 60 }), async (steps) => {
      const { cache, at, now, reads, advance, change, revision } = setUp()
      /** Changes and beats on their way, in the order of their commits; null while there is no connection. */
      let underWay: (string | number)[] | null = []
      /** When each account was last told to have changed. */
      const toldMs = new Map<string, number>()
      let finds = 0
      for (const one of steps) {
        if (one.kind === "advance") advance(one.ms)
        else if (one.kind === "change") {
          change(one.id)
          underWay?.push(one.id)
        } else if (one.kind === "beat") {
          underWay?.push(now())
          advance(1)
        } else if (one.kind === "tell") {
          const told = underWay?.shift()
          if (typeof told === "string") {
            cache.forget(told)
            toldMs.set(told, now())
          } else if (told !== undefined) cache.confirm(told)
          advance(1)
        } else if (one.kind === "lose") underWay = null
        else if (one.kind === "connect") {
          underWay = []
          cache.clear()
          advance(1)
        } else {
          finds++
          const found = await revision(one.id)
          const oldestMs = Math.max(now() - 5_000, toldMs.get(one.id) ?? 0)
          expect(found).toBeGreaterThanOrEqual(at(one.id, oldestMs))
          expect(found).toBeLessThanOrEqual(at(one.id, now()))
        }
      }
      unread += finds - reads()
    }),
    { numRuns: 1_500 },
  )
  // Without finds from memory it would show nothing.
  expect(unread).toBeGreaterThan(300)
})
