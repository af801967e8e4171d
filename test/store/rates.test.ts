/** Promises of every kind of store about limits per minute. */
import { beforeEach, describe, expect, test } from "bun:test"
import { type AnyTestStore, useOpenStores, useStoreKinds } from "../support/any-store.ts"

describe.each(useStoreKinds())("$name", ({ create }) => {
  const openStore = useOpenStores()
  let db: string
  let store: AnyTestStore["store"]

  beforeEach(async () => {
    db = await create()
    store = (await openStore(db)).store
  })
  /** A second process on the same store. */
  const openAgain = () => openStore(db)

  const take = (...buckets: [id: string, perMinute: number][]) => {
    return { buckets: buckets.map(([id, perMinute]) => ({ id, perMinute })) }
  }

  test.each([1, 7, 60, 1_000])("a limit of %d grants exactly that many at once", async (limit) => {
    const outcomes = await store.takeRates(Array(limit + 2).fill(take(["a", limit])), Date.now)
    expect(outcomes.filter(({ granted }) => granted)).toHaveLength(limit)
    const bucket = { remaining: limit - 1, perMinute: limit }
    expect(outcomes[0]).toMatchObject({ granted: true, buckets: [bucket] })
    expect(outcomes[limit]).toMatchObject({ granted: false, buckets: [{ remaining: 0 }] })
    const waitMs = outcomes[limit]?.buckets[0]?.retryInMs ?? 0
    expect(Math.abs(waitMs - 60_000 / limit)).toBeLessThanOrEqual(1)
  })

  test("a call that one bucket refuses counts in none", async () => {
    await store.takeRates([take(["key", 1])], Date.now)
    for (let i = 0; i < 5; i++) {
      const [outcome] = await store.takeRates([take(["account", 2], ["key", 1])], Date.now)
      expect(outcome).toMatchObject({ granted: false })
    }
    const [outcome] = await store.takeRates([take(["account", 2])], Date.now)
    expect(outcome).toMatchObject({ granted: true, buckets: [{ remaining: 1 }] })
  })

  test("takes from new and known buckets, from several at once, and under two limits may go together", async () => {
    await store.takeRates([take(["known", 5]), take(["key", 2]), take(["changed", 5])], Date.now)
    const outcomes = await store.takeRates(
      [
        take(["known", 5]),
        take(["account", 9], ["key", 2]),
        take(["changed", 5]),
        take(["account", 9]),
        take(["known", 5]),
        take(["changed", 10]),
        take(["new", 1]),
        take(["account", 9], ["key", 2]),
        take(["new", 1]),
      ],
      Date.now,
    )
    expect(outcomes.map(({ granted }) => granted)).toEqual([1, 1, 1, 1, 1, 1, 1, 0, 0].map(Boolean))
    const remaining = outcomes.map(({ buckets }) => buckets.map((bucket) => bucket.remaining))
    expect(remaining[0]).toEqual([3])
    expect(remaining[4]).toEqual([2])
    expect(remaining[6]).toEqual([0])
    // Two of five calls are used, which is four of ten, and one of ten.
    expect(remaining[5]).toEqual([5])
    expect(outcomes[7]?.buckets[1]).toMatchObject({ remaining: 0, perMinute: 2 })
    const [account] = await store.takeRates([take(["account", 9])], Date.now)
    expect(account?.buckets[0]?.remaining).toBe(6)
  })

  test("are exact over two processes that take from many buckets in different orders", async () => {
    const other = await openAgain()
    const ids = Array.from({ length: 40 }, (_, number) => `acc_${number}`)
    const startedMs = performance.now()
    const granted = new Map<string, number>(ids.map((id) => [id, 0]))
    /** Some take from a bucket of a key too, which lies between those of accounts. */
    const takeAll = async (one: AnyTestStore["store"], round: number) => {
      const order = [...ids.slice(round), ...ids.slice(0, round)]
      const takes = order.map((id) => (round % 3 === 0 ? take([id, 12], [`${id}_key`, 600]) : take([id, 12])))
      for (const [place, outcome] of (await one.takeRates(takes, Date.now)).entries()) {
        const id = order[place] ?? ""
        if (outcome.granted) granted.set(id, (granted.get(id) ?? 0) + 1)
      }
    }
    const workOf = async (one: AnyTestStore["store"], first: number) => {
      for (let round = first; round < 24; round += 2) await takeAll(one, round)
    }
    await Promise.all([workOf(store, 0), workOf(other.store, 1)])
    const refilled = Math.floor((performance.now() - startedMs) / 5_000)
    for (const count of granted.values()) {
      expect(count).toBeGreaterThanOrEqual(12)
      expect(count).toBeLessThanOrEqual(12 + refilled)
    }
  })
})
