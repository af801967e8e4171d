/** Charges under an Idempotency-Key, on every kind of store: once for each key of an account. */
import { beforeEach, describe, expect, test } from "bun:test"
import fc from "fast-check"
import { AlreadyCharged, type Charge, type ChargeOutcome, keepReplaysMs } from "../../src/store/store.ts"
import { type AnyTestStore, useOpenStores, useStoreKinds } from "../support/any-store.ts"
import { accountOf, chargeOf } from "../support/store.ts"

const nowMs = 10 * keepReplaysMs
const once = (keyHash: string, inputHash = "input", atMs = nowMs) => ({ keyHash, inputHash, nowMs: atMs })
const kinds = (outcomes: readonly ChargeOutcome[]) =>
  outcomes.map((outcome) =>
    outcome.charged
      ? "charged"
      : outcome.cause instanceof AlreadyCharged
        ? outcome.cause.firstCharge
        : outcome.cause,
  )

describe.each(useStoreKinds())("$name", ({ create }) => {
  const openStore = useOpenStores()
  let db: string
  let opened: AnyTestStore
  let store: AnyTestStore["store"]

  beforeEach(async () => {
    db = await create()
    opened = await openStore(db)
    store = opened.store
    for (const id of ["acc_1", "acc_2"]) await store.createAccount(accountOf({ id }))
  })
  const usedOf = async (id = "acc_1") => (await store.findAccount(id))?.used

  test("a key is charged once for an account, and the store tells what it cost", async () => {
    const charge = chargeOf({ credits: 3, idempotent: once("k") })
    expect(kinds(await store.charge([charge]))).toEqual(["charged"])
    const replay = { inputHash: "input", credits: 3, createdMs: nowMs }
    expect(await store.findFirstCharge("acc_1", "k", nowMs - keepReplaysMs)).toEqual(replay)
    const other = chargeOf({ credits: 1, idempotent: once("k", "other") })
    expect(kinds(await store.charge([charge, other]))).toEqual([replay, replay])
    expect(await store.findFirstCharge("acc_2", "k", 0)).toBeNull()
    expect(kinds(await store.charge([{ ...charge, accountId: "acc_2" }]))).toEqual(["charged"])
    expect([await usedOf(), await usedOf("acc_2")]).toEqual([3, 3])
  })

  test("charges of one turn are decided one by one, whatever is among them", async () => {
    await store.charge([chargeOf({ idempotent: once("old") })])
    const charges = [
      chargeOf({ idempotent: once("old") }),
      chargeOf({ idempotent: once("new") }),
      chargeOf(),
      chargeOf({ idempotent: once("new") }),
      chargeOf({ accountId: "acc_2", idempotent: once("new") }),
      chargeOf({ accountId: "acc_3", idempotent: once("new") }),
      chargeOf({ accountId: "acc_2" }),
    ]
    const replay = { inputHash: "input", credits: 1, createdMs: nowMs }
    expect(kinds(await store.charge(charges))).toEqual([
      replay,
      "charged",
      "charged",
      replay,
      "charged",
      undefined,
      "charged",
    ])
    expect([await usedOf(), await usedOf("acc_2")]).toEqual([3, 2])
  })

  test("many keys of one account are charged together", async () => {
    const charges = Array.from({ length: 40 }, (_, index) =>
      chargeOf({ allowance: null, idempotent: once(`k${index}`) }),
    )
    expect(new Set(kinds(await store.charge(charges)))).toEqual(new Set(["charged"]))
    expect(await usedOf()).toBe(40)
    expect(new Set((await store.charge(charges)).map(({ charged }) => charged))).toEqual(new Set([false]))
    expect(await usedOf()).toBe(40)
  })

  test("a refused charge leaves no key, and a charged key needs no credits", async () => {
    expect(kinds(await store.charge([chargeOf({ credits: 11, idempotent: once("k") })]))).toEqual([undefined])
    expect(await store.findFirstCharge("acc_1", "k", 0)).toBeNull()
    expect(kinds(await store.charge([chargeOf({ credits: 10, idempotent: once("k") })]))).toEqual(["charged"])
    const again = chargeOf({ credits: 10, idempotent: once("k") })
    expect(kinds(await store.charge([again, chargeOf()]))).toEqual([
      { inputHash: "input", credits: 10, createdMs: nowMs },
      undefined,
    ])
  })

  test("a key may be charged again after 24 hours, and is deleted then in steps", async () => {
    const laterMs = nowMs + keepReplaysMs
    await store.charge(["a", "b", "c"].map((key) => chargeOf({ idempotent: once(key) })))
    expect(await store.findFirstCharge("acc_1", "a", laterMs - 1 - keepReplaysMs)).not.toBeNull()
    expect(await store.findFirstCharge("acc_1", "a", laterMs - keepReplaysMs)).toBeNull()
    const charge = chargeOf({ credits: 2, idempotent: once("a", "new", laterMs) })
    const replay = { inputHash: "new", credits: 2, createdMs: laterMs }
    expect(kinds(await store.charge([charge, charge]))).toEqual(["charged", replay])
    const { deleteReplays } = opened.retention
    const steps = [
      await deleteReplays(laterMs - 1, 9),
      await deleteReplays(laterMs, 1),
      await deleteReplays(laterMs, 9),
    ]
    expect([...steps, await deleteReplays(laterMs, 9)]).toEqual([0, 1, 1, 0])
    expect(await store.findFirstCharge("acc_1", "a", 0)).toEqual(replay)
    expect(await store.findFirstCharge("acc_1", "b", 0)).toBeNull()
  })

  test("replays are counted up to a number, by all processes together, and anew when the key is charged anew", async () => {
    const other = await openStore(db)
    await store.charge([chargeOf({ idempotent: once("k") }), chargeOf({ idempotent: once("l") })])
    const counted = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        (index % 2 === 0 ? store : other.store).countReplay("acc_1", "k", 5),
      ),
    )
    expect(counted.filter((isCounted) => isCounted)).toHaveLength(5)
    expect(await store.countReplay("acc_1", "k", 5)).toBe(false)
    // Neither another key nor another account is affected, and what was never charged has no replays.
    expect(await store.countReplay("acc_1", "l", 5)).toBe(true)
    expect(await store.countReplay("acc_2", "k", 5)).toBe(false)
    // One that is taken back may be counted again, and there are never fewer than none.
    await store.giveBackReplay("acc_1", "k")
    expect([await store.countReplay("acc_1", "k", 5), await store.countReplay("acc_1", "k", 5)]).toEqual([
      true,
      false,
    ])
    await Promise.all(Array.from({ length: 3 }, () => store.giveBackReplay("acc_1", "l")))
    const more = [await store.countReplay("acc_1", "l", 1), await store.countReplay("acc_1", "l", 1)]
    expect(more).toEqual([true, false])
    const laterMs = nowMs + keepReplaysMs
    expect(kinds(await store.charge([chargeOf({ idempotent: once("k", "new", laterMs) })]))).toEqual([
      "charged",
    ])
    expect(await store.countReplay("acc_1", "k", 5)).toBe(true)
  })

  test("of the charges of two processes with one key, one is made", async () => {
    const other = await openStore(db)
    for (let round = 0; round < 20; round++) {
      const charge = chargeOf({ allowance: null, idempotent: once(`k${round}`) })
      const plainToo = store.charge([charge, chargeOf({ allowance: null })])
      const [[one, plain] = [], [two] = []] = await Promise.all([plainToo, other.store.charge([charge])])
      expect([one?.charged, two?.charged].sort()).toEqual([false, true])
      expect(plain?.charged).toBe(true)
    }
    expect(await usedOf()).toBe(40)
  })

  test("what is charged in all is what the distinct keys that succeeded cost", async () => {
    const item = fc.record({
      account: fc.constantFrom("acc_1", "acc_2"),
      key: fc.option(fc.constantFrom("a", "b", "c", "d"), { nil: null }),
      credits: fc.integer({ min: 0, max: 6 }),
      process: fc.integer({ min: 0, max: 1 }),
    })
    const other = await openStore(db)
    let run = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(item, { minLength: 1, maxLength: 8 }), { maxLength: 5 }),
        async (turns) => {
          const name = ++run
          const idOf = (account: string) => `${account}_${name}`
          for (const account of ["acc_1", "acc_2"])
            await store.createAccount(accountOf({ id: idOf(account) }))
          const expected = new Map<string, number>()
          const known = new Map<string, number>()
          for (const turn of turns) {
            const charges = turn.map(({ account, key, credits }): Charge => {
              return chargeOf({
                accountId: idOf(account),
                credits,
                idempotent: key === null ? null : once(key),
              })
            })
            const parts = [store, other.store].map((each, process) =>
              each.charge(charges.filter((_, index) => turn[index]?.process === process)),
            )
            const outcomes = (await Promise.all(parts)).flat()
            const sent = [0, 1].flatMap((process) => turn.filter((each) => each.process === process))
            for (const [index, outcome] of outcomes.entries()) {
              const { account, key, credits } = sent[index] as (typeof sent)[number]
              if (!outcome.charged) continue
              const full = `${account} ${key}`
              if (key !== null) expect(known.has(full)).toBe(false)
              if (key !== null) known.set(full, credits)
              expected.set(account, (expected.get(account) ?? 0) + credits)
            }
            for (const [index, outcome] of outcomes.entries()) {
              const { account, key } = sent[index] as (typeof sent)[number]
              if (outcome.charged || !(outcome.cause instanceof AlreadyCharged)) continue
              expect(outcome.cause.firstCharge.credits).toBe(known.get(`${account} ${key}`) ?? Number.NaN)
            }
          }
          for (const account of ["acc_1", "acc_2"])
            expect(await usedOf(idOf(account))).toBe(expected.get(account) ?? 0)
        },
      ),
      { numRuns: 25, seed: 28 },
    )
  })
})
