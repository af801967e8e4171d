/**
 * Lists of many rows, in both kinds of stores: each order with each filter has every row once, also with conditions that no index
 * answers, and counts end at their bounds.
 */
import { Database } from "bun:sqlite"
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { SQL } from "bun"
import { isMonthOver, periodAt } from "../../src/accounts/credits.ts"
import type { AccountDetails } from "../../src/store/admin-store.ts"
import type {
  AccountFilter,
  AccountOrder,
  AuditFilter,
  KeyFilter,
  KeySort,
  Page,
} from "../../src/store/list-filters.ts"
import { isPostgresUrl } from "../../src/store/open.ts"
import type { OpenStore } from "../../src/store/store-options.ts"
import { openAnyStore, useStoreKinds } from "../support/any-store.ts"
import { readAll } from "../support/read-all.ts"

/** More rows of each list than a look for few has. */
const count = 5_300
const dayMs = 86_400_000
const nowMs = Date.parse("2027-03-01T12:00:00Z")
const numbersTo = (end: number) =>
  `(WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${end - 1}) SELECT n FROM numbers) AS numbers`
const numbers = numbersTo(count)
const idOf = (n: number) => `acc_${10_000 + n}`
/** Days since the last call: some months are over. */
const ages = [0, 1, 27, 29, 30, 40]
const createdOf = (n: number) => nowMs - (400 + (n % 60)) * dayMs
const usedOf = (n: number) => (n % 3 === 0 ? 0 : (n * 7919) % 500)
const periodOf = (n: number) => periodAt(createdOf(n), nowMs - (ages[n % ages.length] ?? 0) * dayMs).startMs
const dayOf = (n: number) => (n % 4 === 0 ? "" : `2027-02-${10 + (n % 17)}`)
const nameOf = (n: number) => `${["Ärger", "ann", "Bob", "BOB", "_%"][n % 5]} ${n % 50}`

/** Statements that insert the first accounts. */
function accountRows(end: number): readonly string[] {
  // The last one has use in this month, and is the first row.
  const ledger = all
    .slice(0, end)
    .toReversed()
    .map((n) => {
      return `('${idOf(n)}', ${n % 40 === 0 ? 5 : "NULL"}, ${periodOf(n)}, ${usedOf(n)}, 0, '${dayOf(n)}', '{}', ${n < 4_000 ? 80 : 0})`
    })
  return [
    `INSERT INTO accounts (id, name, plan, created_ms, external_id)
     SELECT 'acc_' || (10000 + n), CASE n % 5 WHEN 0 THEN 'Ärger' WHEN 1 THEN 'ann' WHEN 2 THEN 'Bob' WHEN 3 THEN 'BOB' ELSE '_%' END || ' ' || (n % 50),
       CASE WHEN n % 100 = 0 THEN 'mega' ELSE 'free' END, ${nowMs} - CAST(400 + n % 60 AS bigint) * ${dayMs},
       CASE WHEN n = 7 THEN 'customer 7' END FROM ${numbersTo(end)}`,
    `INSERT INTO ledger (account_id, closed_ms, period_start_ms, used, bonus, day, booked, notified) VALUES ${ledger.join(", ")}`,
  ]
}

const all = Array.from({ length: count }, (_, n) => n)
const fill = [
  ...accountRows(count),
  `INSERT INTO keys (id, account_id, name, prefix, created_ms, block_apis, external_id, revoked_ms, disabled_ms, expires_ms)
   SELECT 'key_' || (10000 + n), 'acc_' || (10000 + n / 20), CASE WHEN n % 2 = 0 THEN 'CI' ELSE 'ci ' || (n % 30) END,
     'pk-' || (100000 + n % 100), n / 3, '[]', CASE WHEN n % 7 = 5 THEN 'fleet' END, CASE WHEN n % 50 = 1 THEN 5 END, CASE WHEN n % 50 = 2 THEN 5 END,
     CASE WHEN n % 50 = 3 THEN ${nowMs - 1} WHEN n % 50 = 4 THEN ${nowMs + 1} END FROM ${numbers}`,
  `INSERT INTO key_usage (account_id, day, key_id, api, calls, credits)
   SELECT 'acc_' || (10000 + n / 20), day, 'key_' || (10000 + n), 'hmac', 1, 1 FROM ${numbers}
     CROSS JOIN (SELECT '2027-01-05' AS day UNION ALL SELECT '2027-01-20') AS days WHERE n % 7 <> 0 AND (n % 2 = 0 OR day < '2027-01-10')`,
  `INSERT INTO audit (id, at_ms, actor, actor_name, operation, target_kind, target_id, account_id, source, request_id)
   SELECT 'aud_' || (10000 + n), n / 3, CASE WHEN n % 1300 = 7 THEN 'cli:eve' ELSE 'cli:ann' END, 'ann', 'keys.create', 'key',
     'key_' || (10000 + n), CASE WHEN n % 2 = 0 THEN 'acc_10000' END, 'host', 'r' FROM ${numbers}`,
  `INSERT INTO mails (id, recipient, template, raised_ms, state)
   SELECT 'mail_' || n || '_' || m, 'a@example.com', 'invitation', n, 'delivered' FROM ${numbers}
     CROSS JOIN (SELECT 0 AS m UNION ALL SELECT 1) AS times`,
  `UPDATE ledger SET day = '2027-02-28', booked = '{"hmac key_10003": [1, 1], "hmac": [2, 2]}' WHERE account_id = 'acc_10000'`,
]

const used: AccountOrder = {
  by: "used",
  surelyOverMs: nowMs - 31 * dayMs,
  perhapsOverMs: nowMs - 28 * dayMs,
  isMonthOver: (account) => isMonthOver(account, nowMs),
}
const plain: readonly AccountOrder[] = [{ by: "newest" }, { by: "oldest" }, { by: "name" }]
const orders: readonly AccountOrder[] = [...plain, used, { by: "last_used" }]
const lower = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
const effective = (n: number) =>
  isMonthOver({ createdMs: createdOf(n), periodStartMs: periodOf(n) }, nowMs) ? 0 : usedOf(n)

function rankOf(n: number, { by }: AccountOrder): string | number {
  if (by === "name") return lower(nameOf(n))
  if (by === "used") return effective(n)
  if (by === "last_used") return n === 0 ? "2027-02-28" : dayOf(n)
  return createdOf(n)
}

/** All numbers in each order that was asked for. */
const inOrder = new Map<AccountOrder, readonly number[]>()

function sorted(matches: (n: number) => boolean, order: AccountOrder): readonly string[] {
  const sign = order.by === "oldest" || order.by === "name" ? 1 : -1
  const compare = (a: number, b: number) => {
    const [x, y] = [rankOf(a, order), rankOf(b, order)]
    const first =
      typeof x === "string" ? Buffer.compare(Buffer.from(x), Buffer.from(String(y))) : x - Number(y)
    return sign * (first || a - b)
  }
  const numbers = inOrder.get(order) ?? all.toSorted(compare)
  inOrder.set(order, numbers)
  return numbers.filter(matches).map(idOf)
}

function placeOf(account: AccountDetails, order: AccountOrder): readonly (string | number)[] {
  const n = Number(account.id.slice(4)) - 10_000
  return [rankOf(n, order), account.id]
}

async function runAll(db: string, statements: readonly string[]): Promise<void> {
  if (isPostgresUrl(db)) {
    await using sql = new SQL({ url: db, max: 1 })
    await sql.unsafe(statements.join("; ")).simple()
  } else {
    using database = new Database(db)
    for (const statement of statements) database.run(statement)
  }
}

describe.each(useStoreKinds())("$name", ({ create }) => {
  let opened: OpenStore

  beforeAll(async () => {
    const db = await create()
    opened = await openAnyStore(db)
    await runAll(db, [...fill, "ANALYZE"])
  })
  afterAll(() => opened.store.close())

  const filters: readonly (readonly [AccountFilter, (n: number) => boolean])[] = [
    [{}, () => true],
    [{ plan: "mega" }, (n) => n % 100 === 0],
    [{ plan: "free" }, (n) => n % 100 !== 0],
    [{ closed: false }, (n) => n % 40 !== 0],
    [{ closed: true, plan: "free" }, (n) => n % 40 === 0 && n % 100 !== 0],
    [{ closed: true }, (n) => n % 40 === 0],
    [
      { closed: false, search: "b 2" },
      (n) => n % 40 !== 0 && [2, 3].includes(n % 5) && String(n % 50).startsWith("2"),
    ],
    [{ mayBeNearLimitSinceMs: -1 }, (n) => n < 4_000 && n % 40 !== 0],
    [{ mayBeNearLimitSinceMs: nowMs }, () => false],
    [{ search: "ACC_1259" }, (n) => n >= 2_590 && n < 2_600],
    [{ search: "BOB 1" }, (n) => [2, 3].includes(n % 5) && String(n % 50).startsWith("1")],
    [{ search: "_%" }, (n) => n % 5 === 4],
    [{ search: "nobody" }, () => false],
    [{ search: "cc_1" }, () => false],
    [{ search: "\\" }, () => false],
    [{ externalId: "customer 7" }, (n) => n === 7],
    [{ keyPrefix: "pk-100007" }, (n) => n < count / 20 && n % 5 === 0],
  ]
  for (const order of orders)
    test.each(filters)(`accounts by ${order.by}: %p`, async (filter, matches) => {
      const read = (page: Page) => opened.admin.accounts(filter, page, order)
      const found = await readAll(read, (row) => placeOf(row, order), 700)
      const expected = sorted(matches, order)
      expect(found.map(({ id }) => id)).toEqual([...expected])
      const first = await opened.admin.accounts(filter, { limit: 3, after: null }, order)
      expect(first.map(({ id }) => id)).toEqual(expected.slice(0, 3))
    })

  const sampled = "others are left out by a bound that some of them give"
  test.each([used, { by: "last_used" } as const])(`the first accounts by %p: ${sampled}`, async (order) => {
    const expected = sorted(() => true, order)
    for (let limit = 1; limit <= 60; limit++) {
      const found = await opened.admin.accounts({}, { limit, after: null }, order)
      expect(found.map(({ id }) => id)).toEqual(expected.slice(0, limit))
    }
  })

  test.each([1, 2, 8, 32, 98, 104, 254])(`the first of %p accounts by use: ${sampled}`, async (few) => {
    const db = await create()
    const { admin, store } = await openAnyStore(db)
    await runAll(db, accountRows(few))
    const expected = sorted((n) => n < few, used)
    for (const limit of new Set([1, 2, 5, 20, 60, few]))
      expect((await admin.accounts({}, { limit, after: null }, used)).map(({ id }) => id)).toEqual(
        expected.slice(0, limit),
      )
    await store.close()
  })

  test.each(filters)("accounts are counted: %p", async (filter, matches) => {
    const { length } = all.filter(matches)
    const counted = await opened.admin.countListed({ list: "accounts", filter }, 100_000)
    expect(counted).toEqual({ count: length, isExact: true })
  })

  test("a count ends at its bound", async () => {
    const few = await opened.admin.countListed({ list: "accounts", filter: {} }, 1_000)
    expect(few).toEqual({ count: 1_000, isExact: false })
  })

  const keyFilters: readonly (readonly [KeyFilter, (n: number) => boolean])[] = [
    [{}, () => true],
    [{ accountId: "acc_10000" }, (n) => n < 20],
    [{ externalId: "fleet" }, (n) => n % 7 === 5],
    [{ externalId: "fleet", accountId: "acc_10000" }, (n) => n === 5 || n === 12 || n === 19],
    [{ externalId: "another" }, () => false],
    [{ prefix: "pk-100007" }, (n) => n % 100 === 7],
    [{ prefix: "pk-10000" }, (n) => n % 100 < 10],
    [{ prefix: "pk-9" }, () => false],
    [{ idPrefix: "key_1000" }, (n) => n < 10],
    [{ idPrefix: "key_10012", prefix: "pk-100012" }, (n) => n === 12],
    [{ state: { name: "revoked", nowMs } }, (n) => n % 50 === 1],
    [{ state: { name: "disabled", nowMs } }, (n) => n % 50 === 2],
    [{ state: { name: "expired", nowMs } }, (n) => n % 50 === 3],
    [{ state: { name: "works", nowMs } }, (n) => ![1, 2, 3].includes(n % 50)],
    [{ accountId: "acc_10002", state: { name: "revoked", nowMs } }, (n) => n === 51],
  ]
  const keyName = (n: number) => (n % 2 === 0 ? "ci" : `ci ${n % 30}`)
  for (const sort of ["newest", "oldest", "name"] as const satisfies readonly KeySort[])
    test.each(keyFilters)(`keys by ${sort}: %p`, async (filter, matches) => {
      const value = (n: number) => (sort === "name" ? keyName(n) : Math.floor(n / 3))
      const found = await readAll(
        (page) => opened.admin.keys(filter, page, sort),
        ({ id }) => [value(Number(id.slice(4)) - 10_000), id],
        900,
      )
      const expected = all.filter(matches).toSorted((a, b) => {
        const [x, y] = [value(a), value(b)]
        const first = x < y ? -1 : x > y ? 1 : a - b
        return sort === "newest" ? -first : first
      })
      expect(found.map(({ id }) => id)).toEqual(expected.map((n) => `key_${10_000 + n}`))
    })

  test.each(keyFilters)("keys are counted: %p", async (filter, matches) => {
    const { length } = all.filter(matches)
    const counted = await opened.admin.countListed({ list: "keys", filter }, 100_000)
    expect(counted).toEqual({ count: length, isExact: true })
  })

  test("keys of an account by their last use, which the running day has too", async () => {
    const filter = { accountId: "acc_10000" }
    const lastOf = (n: number) =>
      n === 3 ? "2027-02-28" : n % 7 === 0 ? "" : n % 2 === 0 ? "2027-01-20" : "2027-01-05"
    const found = await readAll(
      (page) => opened.admin.keys(filter, page, "last_used"),
      ({ id }) => [lastOf(Number(id.slice(4)) - 10_000), id],
      6,
    )
    const expected = all
      .slice(0, 20)
      .toSorted((a, b) => (lastOf(a) === lastOf(b) ? b - a : lastOf(a) < lastOf(b) ? 1 : -1))
    expect(found.map(({ id }) => id)).toEqual(expected.map((n) => `key_${10_000 + n}`))
    const days = new Map((await opened.admin.lastUses(found)).map(({ keyId, day }) => [keyId, day]))
    expect(days.get("key_10003")).toBe("2027-02-28")
    expect([days.get("key_10002"), days.get("key_10007")]).toEqual(["2027-01-20", undefined])
    await expect(opened.admin.keys({}, { limit: 1, after: null }, "last_used")).rejects.toThrow("'sort'")
  })

  const audits: readonly (readonly [AuditFilter, (n: number) => boolean])[] = [
    [{ accountId: "acc_10000", actor: "cli:eve" }, () => false],
    [
      { accountId: "acc_10000", actor: "cli:ann", operation: "keys.create", fromMs: 800, toMs: 1_000 },
      (n) => n >= 2_400 && n < 3_000 && n % 2 === 0,
    ],
    [{ accountId: "acc_10000", targetIds: ["key_10002"] }, (n) => n === 2],
    [{ actor: "cli:eve", operation: "keys.create", toMs: 5 }, (n) => n === 7],
  ]
  test.each(audits)("audit: %p", async (filter, matches) => {
    const read = (page: Page) => opened.admin.audit(filter, page)
    const found = await readAll(read, ({ atMs, id }) => [atMs, id], 100)
    const expected = all.filter(matches).toReversed()
    expect(found.map(({ id }) => id)).toEqual(expected.map((n) => `aud_${10_000 + n}`))
    const counted = await opened.admin.countListed({ list: "audit", filter }, 100_000)
    expect(counted).toEqual({ count: expected.length, isExact: true })
  })

  test("a count ends early where each row has to be looked at, and says so", async () => {
    const count = (filter: object, most = 12_000) => opened.admin.countListed({ list: "mails", filter }, most)
    const checked = { recipient: "a@example.com", state: "delivered" }
    for (const filter of [{}, { state: "delivered" }, checked])
      expect(await count(filter)).toEqual({ count: 10_600, isExact: true })
    expect(await count(checked, 5_000)).toEqual({ count: 5_000, isExact: false })
    expect(await count({ ...checked, state: "failed" }, 5_000)).toEqual({ count: 0, isExact: false })
  })

  test("a place of another order is refused", async () => {
    for (const order of [used, orders[2] ?? used]) {
      const after = order.by === "used" ? ["a", "b"] : [5, "b"]
      await expect(opened.admin.accounts({}, { limit: 1, after }, order)).rejects.toThrow("'after'")
    }
  })
})
