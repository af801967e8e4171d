import { Database } from "bun:sqlite"
import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { tempDir } from "../../../test/support/temp.ts"
import { noWaitTimer } from "../../../test/support/timer.ts"
import {
  type AccountRecord,
  type Charge,
  type KeyRecord,
  type Store,
  StoreUnavailable,
  StoreUnusable,
} from "../store.ts"
import { migrations, schemaVersion } from "./migrations.ts"
import { openDatabase } from "./open.ts"
import { createSqliteStore } from "./sqlite-store.ts"

const dir = tempDir()
let file = ""
let store: Store
let count = 0

beforeEach(() => {
  file = join(dir, `store-${count++}.db`)
  store = createSqliteStore(openDatabase(file), { timer: noWaitTimer })
})
afterEach(() => store.close())

const account: AccountRecord = {
  id: "acc_1",
  name: "Ä & Co",
  plan: "free",
  createdMs: 1_000,
  closedMs: null,
  periodStartMs: 1_000,
  used: 0,
  bonus: 5,
}
const key: KeyRecord = {
  id: "key_1",
  accountId: "acc_1",
  name: "ci",
  prefix: "pk_abcdef",
  createdMs: 1_000,
  expiresMs: 9_000,
  revokedMs: null,
  allowApis: ["hmac"],
  blockApis: [],
  allowIps: ["192.0.2.0/24"],
  rateLimit: 10,
}
const charge: Charge = {
  accountId: "acc_1",
  items: [{ api: "hmac", calls: 1, credits: 1 }],
  allowance: 10,
  periodStartMs: 1_000,
  day: "2025-01-01",
}

/** One call of hmac at another price. */
const cost = (credits: number) => [{ api: "hmac", calls: 1, credits }]

describe("accounts and keys", () => {
  test("come back as they were stored", async () => {
    await store.createAccount(account)
    await store.createKey(key, { hash: "h1", prefix: "pk_abcdef", createdMs: 1_000 })
    expect(await store.findAccount("acc_1")).toStrictEqual(account)
    const { id, expiresMs, revokedMs, allowApis, blockApis, allowIps, rateLimit } = key
    const { name, ...balance } = account
    expect(await store.findKey("h1")).toStrictEqual({
      key: { id, expiresMs, revokedMs, allowApis, blockApis, allowIps, rateLimit },
      account: balance,
      secretUntilMs: null,
      revision: 2,
    })
    expect(await store.listKeys("acc_1")).toStrictEqual([key])
    expect(await store.listKeys("acc_2")).toStrictEqual([])
    expect(await store.findKey("h2")).toBeNull()
    expect(await store.findAccount("acc_2")).toBeNull()
  })

  test("rotation graces the old secret, and an earlier end stays", async () => {
    await store.createAccount(account)
    await store.createKey(key, { hash: "h1", prefix: "p1", createdMs: 1_000 })
    expect(await store.rotateKey("key_1", { hash: "h2", prefix: "p2", createdMs: 2_000 }, 5_000)).toBe(true)
    expect(await store.rotateKey("key_1", { hash: "h3", prefix: "p3", createdMs: 3_000 }, 9_000)).toBe(true)
    expect((await store.findKey("h1"))?.secretUntilMs).toBe(5_000)
    expect((await store.findKey("h2"))?.secretUntilMs).toBe(9_000)
    expect((await store.findKey("h3"))?.secretUntilMs).toBeNull()
    expect((await store.findKeyById("key_1"))?.prefix).toBe("p3")
    expect(await store.rotateKey("key_9", { hash: "h4", prefix: "p4", createdMs: 3_000 }, 9_000)).toBe(false)
    expect(await store.findKey("h4")).toBeNull()
  })

  test("a revoked key keeps its first instant", async () => {
    await store.createAccount(account)
    await store.createKey(key, { hash: "h1", prefix: "p1", createdMs: 1_000 })
    await store.revokeKey("key_1", 4_000)
    await store.revokeKey("key_1", 8_000)
    expect((await store.findKey("h1"))?.key.revokedMs).toBe(4_000)
    expect(await store.revokeKey("key_9", 1)).toBe(false)
  })

  test("a key without an account is refused by the database", async () => {
    await expect(store.createKey(key, { hash: "h1", prefix: "p1", createdMs: 1 })).rejects.toThrow(
      "FOREIGN KEY",
    )
    expect(await store.findKey("h1")).toBeNull()
  })
})

describe("charging", () => {
  test("takes the month's credits first, then the bonus, then nothing", async () => {
    await store.createAccount(account)
    const outcomes = await store.charge(Array.from({ length: 17 }, () => charge))
    expect(outcomes.filter((outcome) => outcome.charged)).toHaveLength(15)
    expect(outcomes[9]).toEqual({ charged: true, used: 10, bonus: 5, periodStartMs: 1_000 })
    expect(outcomes[14]).toEqual({ charged: true, used: 10, bonus: 0, periodStartMs: 1_000 })
    expect(outcomes.slice(15)).toEqual([{ charged: false }, { charged: false }])
    expect(await store.usage("acc_1", "")).toEqual([
      { day: "2025-01-01", api: "hmac", calls: 15, credits: 15 },
    ])
  })

  test("splits one charge over month and bonus, and takes all or nothing", async () => {
    await store.createAccount(account)
    expect(await store.charge([{ ...charge, items: cost(12) }])).toEqual([
      { charged: true, used: 10, bonus: 3, periodStartMs: 1_000 },
    ])
    expect(await store.charge([{ ...charge, items: cost(4) }])).toEqual([{ charged: false }])
    expect(await store.findAccount("acc_1")).toMatchObject({ used: 10, bonus: 3 })
    expect(await store.charge([{ ...charge, items: cost(3) }])).toEqual([
      { charged: true, used: 10, bonus: 0, periodStartMs: 1_000 },
    ])
  })

  test("a new month renews once; an older month counts as the stored one", async () => {
    await store.createAccount({ ...account, bonus: 0 })
    await store.charge([{ ...charge, items: cost(10) }])
    expect(await store.charge([{ ...charge, items: cost(4), periodStartMs: 2_000 }])).toEqual([
      { charged: true, used: 4, bonus: 0, periodStartMs: 2_000 },
    ])
    expect(await store.charge([{ ...charge, items: cost(6) }])).toEqual([
      { charged: true, used: 10, bonus: 0, periodStartMs: 2_000 },
    ])
    expect(await store.charge([charge])).toEqual([{ charged: false }])
    expect(await store.charge([{ ...charge, periodStartMs: 2_000 }])).toEqual([{ charged: false }])
  })

  test("unlimited counts use and leaves the bonus; an allowance that shrank below the use leaves the bonus to spend", async () => {
    await store.createAccount(account)
    expect(await store.charge([{ ...charge, items: cost(1_000), allowance: null }])).toEqual([
      { charged: true, used: 1_000, bonus: 5, periodStartMs: 1_000 },
    ])
    expect(await store.charge([{ ...charge, items: cost(5) }])).toEqual([
      { charged: true, used: 1_000, bonus: 0, periodStartMs: 1_000 },
    ])
  })

  test("a charge for several APIs is taken as a whole or not at all, and booked by API", async () => {
    await store.createAccount({ ...account, bonus: 0 })
    const items = [
      { api: "hmac", calls: 1, credits: 1 },
      { api: "spfvalidator", calls: 1, credits: 5 },
    ]
    expect(
      await store.charge([
        { ...charge, items },
        { ...charge, items },
      ]),
    ).toEqual([{ charged: true, used: 6, bonus: 0, periodStartMs: 1_000 }, { charged: false }])
    expect(await store.usage("acc_1", "")).toEqual([
      { day: "2025-01-01", api: "hmac", calls: 1, credits: 1 },
      { day: "2025-01-01", api: "spfvalidator", calls: 1, credits: 5 },
    ])
  })

  test("closed and unknown accounts are not charged, and book no usage", async () => {
    await store.createAccount({ ...account, closedMs: 1_500 })
    expect(await store.charge([charge, { ...charge, accountId: "acc_9" }])).toEqual([
      { charged: false },
      { charged: false },
    ])
    expect(await store.usage("acc_1", "")).toEqual([])
  })
})

describe("usage", () => {
  const rows = (day: string, calls: number, api = "hmac") => ({ day, api, calls, credits: calls })

  test("is booked in the month that paid, and told by month or by day", async () => {
    await store.createAccount(account)
    const later = { ...charge, periodStartMs: 2_000 }
    const nextDay = { ...later, day: "2025-01-02" }
    // The second of the first month comes late: the stored month pays for it.
    await store.charge([charge, charge, later, charge, nextDay])
    await store.charge([{ ...later, periodStartMs: 0 }])
    expect(await store.monthUsage("acc_1", 1_000)).toEqual([rows("2025-01-01", 2)])
    expect(await store.monthUsage("acc_1", 2_000)).toEqual([rows("2025-01-02", 1), rows("2025-01-01", 3)])
    expect(await store.monthUsage("acc_1", 3_000)).toEqual([])
    expect(await store.monthUsage("acc_2", 2_000)).toEqual([])
    expect(await store.usage("acc_1", "")).toEqual([rows("2025-01-02", 1), rows("2025-01-01", 5)])
    expect(await store.usage("acc_1", "2025-01-02")).toEqual([rows("2025-01-02", 1)])
  })

  test("of a month that is begun anew counts in none, and is kept by day", async () => {
    await store.createAccount(account)
    for (const calls of [1, 2]) {
      await store.charge(Array.from({ length: calls }, () => charge))
      expect(await store.renewMonth("acc_1", { createdMs: 1_000, periodStartMs: 1_000 })).toBe(true)
      expect(await store.monthUsage("acc_1", 1_000)).toEqual([])
      expect(await store.findAccount("acc_1")).toMatchObject({ used: 0, bonus: 5 })
    }
    expect(await store.usage("acc_1", "")).toEqual([rows("2025-01-01", 3)])
    expect(await store.renewMonth("acc_9", { createdMs: 1_000, periodStartMs: 1_000 })).toBe(false)
  })

  test("of a file from before months were kept stays, the present month's in its month", async () => {
    const old = join(dir, "old.db")
    const database = new Database(old)
    for (const step of migrations.slice(0, 2)) database.run(step)
    database.run("PRAGMA user_version = 2")
    const startMs = Date.parse("2025-02-10T12:00:00Z")
    database.run(
      "INSERT INTO accounts (id, name, plan, created_ms, period_start_ms, used, bonus) VALUES ('acc_1', 'Ann', 'free', 0, ?1, 7, 0)",
      [startMs],
    )
    for (const [day, calls] of [
      ["2025-02-09", 2],
      ["2025-02-10", 3],
      ["2025-02-11", 4],
    ] as const) {
      database.run("INSERT INTO usage VALUES ('acc_1', ?1, 'hmac', ?2, ?2)", [day, calls])
    }
    database.close()

    const upgraded = createSqliteStore(openDatabase(old), { timer: noWaitTimer })
    expect(await upgraded.usage("acc_1", "")).toEqual([
      rows("2025-02-11", 4),
      rows("2025-02-10", 3),
      rows("2025-02-09", 2),
    ])
    expect(await upgraded.monthUsage("acc_1", startMs)).toEqual([
      rows("2025-02-11", 4),
      rows("2025-02-10", 3),
    ])
    await upgraded.close()
  })
})

describe("keys in memory", () => {
  test("a change by another connection is seen by the next look-up, a charge brings no reload", async () => {
    await store.createAccount(account)
    await store.createKey(key, { hash: "h1", prefix: "p1", createdMs: 1_000 })
    const other = createSqliteStore(openDatabase(file), { timer: noWaitTimer })
    const nextTurn = () => new Promise((resolve) => setImmediate(resolve))
    const first = await store.findKey("h1")
    await other.charge([charge])
    await nextTurn()
    expect(await store.findKey("h1")).toBe(first)
    await other.revokeKey("key_1", 7_000)
    await nextTurn()
    const second = await store.findKey("h1")
    expect(second?.key.revokedMs).toBe(7_000)
    expect(second?.account.used).toBe(1)
    expect(second?.revision).toBeGreaterThan(first?.revision ?? 0)
    await other.close()
  })

  test("its own changes are seen in the same turn", async () => {
    await store.createAccount(account)
    await store.createKey(key, { hash: "h1", prefix: "p1", createdMs: 1_000 })
    expect((await store.findKey("h1"))?.key.revokedMs).toBeNull()
    await store.revokeKey("key_1", 4_000)
    expect((await store.findKey("h1"))?.key.revokedMs).toBe(4_000)
  })
})

describe("rate limits", () => {
  const take = (nowMs: number, ...buckets: [string, number][]) =>
    store
      .takeRates([{ nowMs, buckets: buckets.map(([id, perMinute]) => ({ id, perMinute })) }])
      .then((outcomes) => outcomes[0])

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

  test("a call that one bucket refuses takes from none", async () => {
    await take(0, ["key", 1])
    for (let i = 0; i < 5; i++)
      expect(await take(0, ["account", 2], ["key", 1])).toMatchObject({ granted: false })
    expect(await take(0, ["account", 2])).toMatchObject({ granted: true, buckets: [{ remaining: 1 }] })
  })

  test("a clock set back by a day throttles for a minute at most", async () => {
    const day = 86_400_000
    await take(day, ["a", 1])
    expect(await take(0, ["a", 1])).toMatchObject({
      granted: false,
      buckets: [{ fullInMs: 60_000, retryInMs: 60_000 }],
    })
    expect(await take(60_000, ["a", 1])).toMatchObject({ granted: true })
  })
})

describe("files that cannot be used", () => {
  test("one of a newer version is refused and left alone", () => {
    const newer = join(dir, "newer.db")
    const database = new Database(newer)
    database.run(`PRAGMA user_version = ${schemaVersion + 1}`)
    database.close()
    expect(() => openDatabase(newer)).toThrow(StoreUnusable)
    expect(() => openDatabase(newer)).toThrow("was written by a newer penknife")
    const again = new Database(newer)
    expect(again.query("SELECT count(*) AS n FROM sqlite_schema").get()).toEqual({ n: 0 })
    again.close()
  })

  test("one that is no database says so", () => {
    const text = join(dir, "text.db")
    writeFileSync(text, "this is not a database, but it is long enough to look like a file\n".repeat(20))
    expect(() => openDatabase(text)).toThrow(/text\.db cannot be used: file is not a database/)
  })

  test("one that must exist and does not is not made", () => {
    const missing = join(dir, "missing.db")
    expect(() => openDatabase(missing, { mustExist: true })).toThrow("There is no data file")
    expect(() => openDatabase(join(dir, "no", "folder.db"))).toThrow("cannot be opened")
  })
})

test("a store that may only be read is unavailable to charges, and answers look-ups", async () => {
  await store.createAccount(account)
  const readOnly = createSqliteStore(new Database(file, { readonly: true, strict: true }), {
    timer: noWaitTimer,
  })
  await expect(readOnly.charge([charge])).rejects.toThrow(StoreUnavailable)
  await expect(readOnly.takeRates([{ nowMs: 0, buckets: [{ id: "a", perMinute: 1 }] }])).rejects.toThrow(
    StoreUnavailable,
  )
  expect(await readOnly.findAccount("acc_1")).toMatchObject({ used: 0 })
  await readOnly.close()
})

test("a store that another process keeps locked is unavailable, not broken", async () => {
  await store.createAccount(account)
  const impatient = openDatabase(file)
  impatient.run("PRAGMA busy_timeout = 0")
  const other = createSqliteStore(impatient, { timer: noWaitTimer })
  const blocker = openDatabase(file)
  blocker.run("BEGIN IMMEDIATE")
  await expect(other.charge([charge])).rejects.toThrow(StoreUnavailable)
  blocker.run("ROLLBACK")
  expect(await other.charge([charge])).toMatchObject([{ charged: true }])
  await other.close()
  blocker.close()
})
