/** Promises of every kind of store. */
import { beforeEach, describe, expect, test } from "bun:test"
import type { ChargeOutcome } from "../../src/store/store.ts"
import { type AnyTestStore, useOpenStores, useStoreKinds } from "../support/any-store.ts"
import { accountOf, chargeOf, keyOf } from "../support/store.ts"

const secret = (hash: string, createdMs = 1_000) => ({ hash, prefix: `p-${hash}`, createdMs })
const charged = (used: number, bonus: number, periodStartMs = 1_000): ChargeOutcome => {
  return { charged: true, used, bonus, periodStartMs }
}
const refused: ChargeOutcome = { charged: false }

describe.each(useStoreKinds())("$name", ({ create }) => {
  const openStore = useOpenStores()
  let opened: AnyTestStore
  let db: string
  let store: AnyTestStore["store"]
  let admin: AnyTestStore["admin"]

  beforeEach(async () => {
    db = await create()
    opened = await openStore(db)
    store = opened.store
    admin = opened.admin
  })
  /** A second process on the same store. */
  const openAgain = () => openStore(db)

  const account = accountOf({ bonus: 5 })
  const limits = { expiresMs: 9_000, allowApis: ["hmac"], allowIps: ["192.0.2.0/24"], rateLimit: 10 }
  const key = keyOf(limits)

  test("accounts and keys come back as they were stored", async () => {
    await store.createAccount(account)
    await store.createKey(key, secret("h1"))
    expect(await store.findAccount("acc_1")).toStrictEqual(account)
    const { name: _, ...balance } = account
    expect(await store.findKey("h1")).toStrictEqual({
      key: { id: "key_1", revokedMs: null, disabledMs: null, blockApis: [], ...limits },
      account: balance,
      secretUntilMs: null,
      revision: expect.any(Number),
    })
    expect(await admin.findKey("key_1")).toMatchObject(key)
    expect([await admin.countKeys("acc_1"), await admin.countKeys("acc_2")]).toEqual([1, 0])
    expect([await store.findKey("h2"), await store.findAccount("acc_2")]).toEqual([null, null])
  })

  test("accounts and keys: any text and large numbers come back as they were stored", async () => {
    const name = `"'\\{}$1, ${"ä".repeat(1_000)}`
    const large = accountOf({ id: "constructor", name, used: 2 ** 53 - 10, bonus: 2 ** 40 })
    await store.createAccount(large)
    expect(await store.findAccount("constructor")).toStrictEqual(large)
    await store.charge([chargeOf({ accountId: "constructor", allowance: null, credits: 9 })])
    expect(await store.findAccount("constructor")).toMatchObject({ used: 2 ** 53 - 1, bonus: 2 ** 40 })
  })

  describe("charging", () => {
    test("tells each outcome once, as soon as it is decided", async () => {
      await store.createAccount(accountOf())
      await store.createAccount(accountOf({ id: "acc_2" }))
      const told: [number, ChargeOutcome][] = []
      const charges = ["acc_1", "acc_9", "acc_2", "acc_1"].map((accountId) =>
        chargeOf({ accountId, credits: 6 }),
      )
      const outcomes = await store.charge(charges, (outcome, index) => told.push([index, outcome]))
      expect(outcomes).toEqual([charged(6, 0), refused, charged(6, 0), refused])
      expect(told.sort(([a], [b]) => a - b)).toEqual([...outcomes.entries()])
    })

    test("spends the month's credits first, then the bonus", async () => {
      await store.createAccount(accountOf({ bonus: 5 }))
      const outcomes = await store.charge(Array.from({ length: 17 }, () => chargeOf()))
      expect(outcomes.map((outcome) => outcome.charged)).toEqual([...Array(15).fill(true), false, false])
      expect(outcomes[14]).toEqual(charged(10, 0))
      expect(await store.findAccount("acc_1")).toMatchObject({ used: 10, bonus: 0 })
      expect(await store.usage("acc_1")).toEqual([{ day: "2025-01-01", api: "hmac", calls: 15, credits: 15 }])
    })

    test("splits one charge between month and bonus, or takes nothing", async () => {
      await store.createAccount(accountOf({ bonus: 5 }))
      expect(await store.charge([chargeOf({ credits: 12 })])).toEqual([charged(10, 3)])
      expect(await store.charge([chargeOf({ credits: 4 })])).toEqual([refused])
      expect(await store.findAccount("acc_1")).toMatchObject({ used: 10, bonus: 3 })
      expect(await store.charge([chargeOf({ credits: 3 })])).toEqual([charged(10, 0)])
    })

    test("a charge that does not fit does not keep a smaller one behind it from fitting", async () => {
      await store.createAccount(accountOf())
      const outcomes = await store.charge([8, 3, 2, 1].map((credits) => chargeOf({ credits })))
      expect(outcomes.map((outcome) => outcome.charged)).toEqual([true, false, true, false])
      expect(await store.findAccount("acc_1")).toMatchObject({ used: 10 })
    })

    test("starts a new month once; a charge of an older month counts in the stored one", async () => {
      await store.createAccount(accountOf())
      await store.charge([chargeOf({ credits: 10 })])
      const outcomes = await store.charge([
        chargeOf({ credits: 4, periodStartMs: 2_000 }),
        chargeOf({ credits: 6 }),
        chargeOf(),
        chargeOf({ periodStartMs: 2_000 }),
      ])
      expect(outcomes.map((outcome) => outcome.charged)).toEqual([true, true, false, false])
      expect(await store.findAccount("acc_1")).toMatchObject({ used: 10, periodStartMs: 2_000 })
    })

    test("leaves the bonus when unlimited; a plan below the use leaves only the bonus to spend", async () => {
      await store.createAccount(accountOf({ bonus: 5 }))
      expect(await store.charge([chargeOf({ credits: 1_000, allowance: null })])).toEqual([charged(1_000, 5)])
      expect(await store.charge([chargeOf({ credits: 5 })])).toEqual([charged(1_000, 0)])
    })

    test("takes a charge for several APIs as a whole or not at all, and records usage by API", async () => {
      await store.createAccount(accountOf())
      const items = [
        { api: "hmac", calls: 1, credits: 1 },
        { api: "spfvalidator", calls: 1, credits: 5 },
      ]
      expect(await store.charge([chargeOf({ items }), chargeOf({ items })])).toEqual([charged(6, 0), refused])
      await store.charge([chargeOf({ items: [{ api: "constructor", calls: 2, credits: 0 }] })])
      const usage = [{ api: "constructor", calls: 2, credits: 0 }, ...items]
      expect(await store.usage("acc_1")).toEqual(usage.map((item) => ({ day: "2025-01-01", ...item })))
    })

    test("refuses closed and unknown accounts, and records no usage", async () => {
      await store.createAccount(accountOf({ closedMs: 1_500 }))
      expect(await store.charge([chargeOf(), chargeOf({ accountId: "acc_9" })])).toEqual([refused, refused])
      expect(await store.usage("acc_1")).toEqual([])
      expect(await store.charge([])).toEqual([])
    })

    test("two processes never spend a credit twice", async () => {
      await store.createAccount(accountOf())
      const other = await openAgain()
      const outcomes = await Promise.all(
        [store, other.store, store, other.store].flatMap((one) =>
          Array.from({ length: 20 }, () => one.charge([chargeOf()])),
        ),
      )
      expect(outcomes.flat().filter((outcome) => outcome.charged)).toHaveLength(10)
      expect(await store.findAccount("acc_1")).toMatchObject({ used: 10 })
    })
  })

  const row = (day: string, calls: number) => ({ day, api: "hmac", calls, credits: calls })

  test("usage counts in the month that paid, and is read by month or by day", async () => {
    await store.createAccount(accountOf({ bonus: 5 }))
    const later = chargeOf({ periodStartMs: 2_000 })
    // The third charge of the first month comes late: the stored month pays for it.
    for (const one of [chargeOf(), chargeOf(), later, chargeOf(), { ...later, day: "2025-01-02" }])
      await store.charge([one])
    await store.charge([{ ...later, periodStartMs: 0 }])
    const month = async (startMs: number, id = "acc_1") => await store.monthUsage(id, startMs)
    expect(await month(1_000)).toEqual([row("2025-01-01", 2)])
    expect(await month(2_000)).toEqual([row("2025-01-02", 1), row("2025-01-01", 3)])
    expect(await month(3_000)).toEqual([])
    expect(await month(2_000, "acc_2")).toEqual([])
    expect(await store.usage("acc_1")).toEqual([row("2025-01-02", 1), row("2025-01-01", 5)])
  })

  test("answers a probe", async () => {
    await store.ping()
    expect((await opened.gauges.bytes()).main).toBeGreaterThan(0)
  })
})
