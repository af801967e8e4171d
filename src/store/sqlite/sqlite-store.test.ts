import { Database } from "bun:sqlite"
import { beforeEach, describe, expect, test } from "bun:test"
import { accountOf, chargeOf, keyOf, useDatabases } from "../../../test/support/store.ts"
import { noWaitTimer } from "../../../test/support/timer.ts"
import { type ChargeOutcome, type Store, StoreUnavailable } from "../store.ts"
import { migrate, migrations } from "./migrations.ts"
import { createSqliteStore } from "./sqlite-store.ts"

const open = useDatabases()
let file = ""
let store: Store
const storeOn = (database: Database) => createSqliteStore(database, { timer: noWaitTimer })
const secret = (hash: string, createdMs = 1_000) => ({ hash, prefix: `p-${hash}`, createdMs })

beforeEach(() => {
  const database = open()
  file = database.filename
  store = storeOn(database)
})

describe("accounts and keys", () => {
  const account = accountOf({ bonus: 5 })
  const limits = { expiresMs: 9_000, allowApis: ["hmac"], allowIps: ["192.0.2.0/24"], rateLimit: 10 }
  const key = keyOf(limits)

  test("come back as they were stored", async () => {
    await store.createAccount(account)
    await store.createKey(key, secret("h1"))
    expect(await store.findAccount("acc_1")).toStrictEqual(account)
    const { name, ...balance } = account
    expect(await store.findKey("h1")).toStrictEqual({
      key: { id: "key_1", revokedMs: null, blockApis: [], ...limits },
      account: balance,
      secretUntilMs: null,
      revision: 2,
    })
    expect(await store.listKeys("acc_1")).toStrictEqual([key])
    expect(await store.listKeys("acc_2")).toStrictEqual([])
    expect(await store.findKey("h2")).toBeNull()
    expect(await store.findAccount("acc_2")).toBeNull()
  })

  test("a rotation lets the old secret work on for a while, and does not lengthen an earlier one", async () => {
    await store.createAccount(account)
    await store.createKey(key, secret("h1"))
    expect(await store.rotateKey("key_1", secret("h2", 2_000), 5_000)).toBe(true)
    expect(await store.rotateKey("key_1", secret("h3", 3_000), 9_000)).toBe(true)
    expect((await store.findKey("h1"))?.secretUntilMs).toBe(5_000)
    expect((await store.findKey("h2"))?.secretUntilMs).toBe(9_000)
    expect((await store.findKey("h3"))?.secretUntilMs).toBeNull()
    expect((await store.findKeyById("key_1"))?.prefix).toBe("p-h3")
    expect(await store.rotateKey("key_9", secret("h4", 3_000), 9_000)).toBe(false)
    expect(await store.findKey("h4")).toBeNull()
  })

  test("a second revocation does not change the time of the first", async () => {
    await store.createAccount(account)
    await store.createKey(key, secret("h1"))
    await store.revokeKey("key_1", 4_000)
    await store.revokeKey("key_1", 8_000)
    expect((await store.findKey("h1"))?.key.revokedMs).toBe(4_000)
    expect(await store.revokeKey("key_9", 1)).toBe(false)
  })

  test("the database refuses a key without an account", async () => {
    await expect(store.createKey(key, secret("h1"))).rejects.toThrow("FOREIGN KEY")
    expect(await store.findKey("h1")).toBeNull()
  })
})

describe("charging", () => {
  const charged = (used: number, bonus: number, periodStartMs = 1_000): ChargeOutcome => {
    return { charged: true, used, bonus, periodStartMs }
  }
  const refused: ChargeOutcome = { charged: false }

  test("spends the month's credits first, then the bonus", async () => {
    await store.createAccount(accountOf({ bonus: 5 }))
    const outcomes = await store.charge(Array.from({ length: 17 }, () => chargeOf()))
    expect(outcomes[9]).toEqual(charged(10, 5))
    expect(outcomes[14]).toEqual(charged(10, 0))
    expect(outcomes.slice(15)).toEqual([refused, refused])
    expect(await store.usage("acc_1", "")).toEqual([
      { day: "2025-01-01", api: "hmac", calls: 15, credits: 15 },
    ])
  })

  test("splits one charge between month and bonus, or takes nothing", async () => {
    await store.createAccount(accountOf({ bonus: 5 }))
    expect(await store.charge([chargeOf({ credits: 12 })])).toEqual([charged(10, 3)])
    expect(await store.charge([chargeOf({ credits: 4 })])).toEqual([refused])
    expect(await store.findAccount("acc_1")).toMatchObject({ used: 10, bonus: 3 })
    expect(await store.charge([chargeOf({ credits: 3 })])).toEqual([charged(10, 0)])
  })

  test("starts a new month once; a charge of an older month counts in the stored one", async () => {
    await store.createAccount(accountOf())
    await store.charge([chargeOf({ credits: 10 })])
    expect(
      await store.charge([
        chargeOf({ credits: 4, periodStartMs: 2_000 }),
        chargeOf({ credits: 6 }),
        chargeOf(),
        chargeOf({ periodStartMs: 2_000 }),
      ]),
    ).toEqual([charged(4, 0, 2_000), charged(10, 0, 2_000), refused, refused])
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
    expect(await store.usage("acc_1", "")).toEqual(items.map((item) => ({ day: "2025-01-01", ...item })))
  })

  test("refuses closed and unknown accounts, and records no usage", async () => {
    await store.createAccount(accountOf({ closedMs: 1_500 }))
    expect(await store.charge([chargeOf(), chargeOf({ accountId: "acc_9" })])).toEqual([refused, refused])
    expect(await store.usage("acc_1", "")).toEqual([])
  })

  test("is unavailable on a file that may only be read; look-ups work", async () => {
    await store.createAccount(accountOf())
    const readOnly = storeOn(new Database(file, { readonly: true, strict: true }))
    await expect(readOnly.charge([chargeOf()])).rejects.toThrow(StoreUnavailable)
    await expect(readOnly.takeRates([{ buckets: [{ id: "a", perMinute: 1 }] }], () => 0)).rejects.toThrow(
      StoreUnavailable,
    )
    expect(await readOnly.findAccount("acc_1")).toMatchObject({ used: 0 })
    await readOnly.close()
  })
})

describe("usage", () => {
  const row = (day: string, calls: number) => ({ day, api: "hmac", calls, credits: calls })

  test("counts in the month that paid, and is read by month or by day", async () => {
    await store.createAccount(accountOf({ bonus: 5 }))
    const later = chargeOf({ periodStartMs: 2_000 })
    const nextDay = { ...later, day: "2025-01-02" }
    // The third charge of the first month comes late: the stored month pays for it.
    await store.charge([chargeOf(), chargeOf(), later, chargeOf(), nextDay])
    await store.charge([{ ...later, periodStartMs: 0 }])
    expect(await store.monthUsage("acc_1", 1_000)).toEqual([row("2025-01-01", 2)])
    expect(await store.monthUsage("acc_1", 2_000)).toEqual([row("2025-01-02", 1), row("2025-01-01", 3)])
    expect(await store.monthUsage("acc_1", 3_000)).toEqual([])
    expect(await store.monthUsage("acc_2", 2_000)).toEqual([])
    expect(await store.usage("acc_1", "")).toEqual([row("2025-01-02", 1), row("2025-01-01", 5)])
    expect(await store.usage("acc_1", "2025-01-02")).toEqual([row("2025-01-02", 1)])
  })

  test("of a month that is started again counts in no month, but still by day", async () => {
    await store.createAccount(accountOf({ bonus: 5 }))
    for (const calls of [1, 2]) {
      await store.charge(Array.from({ length: calls }, () => chargeOf()))
      expect(await store.renewMonth("acc_1", { createdMs: 1_000, periodStartMs: 1_000 })).toBe(true)
      expect(await store.monthUsage("acc_1", 1_000)).toEqual([])
      expect(await store.findAccount("acc_1")).toMatchObject({ used: 0, bonus: 5 })
    }
    expect(await store.usage("acc_1", "")).toEqual([row("2025-01-01", 3)])
    expect(await store.renewMonth("acc_9", { createdMs: 1_000, periodStartMs: 1_000 })).toBe(false)
  })

  test("of a file from before usage by month is kept, the current month's as such", async () => {
    const database = new Database(":memory:", { strict: true })
    for (const step of migrations.slice(0, 2)) database.run(step)
    database.run("PRAGMA user_version = 2")
    const startMs = Date.parse("2025-02-10T12:00:00Z")
    database.run(
      "INSERT INTO accounts (id, name, plan, created_ms, period_start_ms, used) VALUES ('acc_1', 'A', 'free', 0, ?1, 7)",
      [startMs],
    )
    const rows = [row("2025-02-11", 4), row("2025-02-10", 3), row("2025-02-09", 2)]
    for (const { day, calls } of rows) {
      database.run("INSERT INTO usage VALUES ('acc_1', ?1, 'hmac', ?2, ?2)", [day, calls])
    }
    migrate(database, "old.db")
    const upgraded = storeOn(database)
    expect(await upgraded.usage("acc_1", "")).toEqual(rows)
    expect(await upgraded.monthUsage("acc_1", startMs)).toEqual(rows.slice(0, 2))
    await upgraded.close()
  })
})

describe("keys in memory", () => {
  beforeEach(async () => {
    await store.createAccount(accountOf({ bonus: 5 }))
    await store.createKey(keyOf(), secret("h1"))
  })

  test("the next look-up sees a change by another connection; a charge causes no reload", async () => {
    const other = storeOn(open(file))
    const first = await store.findKey("h1")
    await other.charge([chargeOf()])
    await noWaitTimer.turn()
    expect(await store.findKey("h1")).toBe(first)
    await other.revokeKey("key_1", 7_000)
    await noWaitTimer.turn()
    const second = await store.findKey("h1")
    expect(second?.key.revokedMs).toBe(7_000)
    expect(second?.account.used).toBe(1)
    expect(second?.revision).toBeGreaterThan(first?.revision ?? 0)
  })

  test("a change by this connection is seen in the same turn", async () => {
    expect((await store.findKey("h1"))?.key.revokedMs).toBeNull()
    await store.revokeKey("key_1", 4_000)
    expect((await store.findKey("h1"))?.key.revokedMs).toBe(4_000)
  })
})

describe("rate limits", () => {
  async function take(nowMs: number, ...buckets: [id: string, perMinute: number][]) {
    const takes = [{ buckets: buckets.map(([id, perMinute]) => ({ id, perMinute })) }]
    const [outcome] = await store.takeRates(takes, () => nowMs)
    return outcome
  }

  test.each([1, 7, 60, 1_000])(
    "a limit of %d grants exactly that many at once, and refills evenly",
    async (limit) => {
      for (let left = limit - 1; left >= 0; left--) {
        expect(await take(0, ["a", limit])).toMatchObject({ granted: true, buckets: [{ remaining: left }] })
      }
      const refused = await take(0, ["a", limit])
      expect(refused).toMatchObject({ granted: false, buckets: [{ remaining: 0 }] })
      const waitMs = refused?.buckets[0]?.retryInMs ?? 0
      expect(Math.abs(waitMs - 60_000 / limit)).toBeLessThanOrEqual(1)
      expect(await take(waitMs - 2, ["a", limit])).toMatchObject({ granted: false })
      expect(await take(waitMs, ["a", limit])).toMatchObject({ granted: true })
      expect(await take(10_000_000, ["a", limit])).toMatchObject({
        granted: true,
        buckets: [{ remaining: limit - 1 }],
      })
    },
  )

  test("a call that one bucket refuses counts in none", async () => {
    await take(0, ["key", 1])
    for (let i = 0; i < 5; i++)
      expect(await take(0, ["account", 2], ["key", 1])).toMatchObject({ granted: false })
    expect(await take(0, ["account", 2])).toMatchObject({ granted: true, buckets: [{ remaining: 1 }] })
  })

  test("the time is read while no other connection can change the database", async () => {
    const other = new Database(file)
    let refusal: unknown
    const now = () => {
      try {
        other.run("BEGIN IMMEDIATE")
      } catch (thrown) {
        refusal = thrown
      }
      return 0
    }
    await store.takeRates([{ buckets: [{ id: "a", perMinute: 1 }] }], now)
    other.close()
    expect(String(refusal)).toContain("database is locked")
  })

  test("a clock that is set back by a day throttles for a minute at most", async () => {
    await take(86_400_000, ["a", 1])
    const refused = { granted: false, buckets: [{ fullInMs: 60_000, retryInMs: 60_000 }] }
    expect(await take(0, ["a", 1])).toMatchObject(refused)
    expect(await take(60_000, ["a", 1])).toMatchObject({ granted: true })
  })
})
