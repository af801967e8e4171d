/** Lists with conditions that no index answers: they find the right rows. */
import { Database } from "bun:sqlite"
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { SQL } from "bun"
import { systemClock } from "../../src/ports/clock.ts"
import { systemRandom } from "../../src/ports/random.ts"
import { keepAliveTimer } from "../../src/ports/timer.ts"
import type { Page } from "../../src/store/admin-store.ts"
import type { AccountFilter, AuditFilter } from "../../src/store/list-filters.ts"
import { isPostgresUrl, openStore } from "../../src/store/open.ts"
import type { OpenStore } from "../../src/store/open-store.ts"
import type { UsageQuery } from "../../src/store/usage-types.ts"
import { useStoreKinds } from "../support/any-store.ts"

/** Rows of each list: more than a look for few has. */
const count = 2_600
const numbers = `(WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count - 1}) SELECT n FROM numbers) AS numbers`
const id = (kind: string) => `'${kind}_' || (10000 + n)`
/** Accounts with many rows of a list, and with few. */
const [busy, quiet] = ["acc_10000", "acc_10001"]
/** Three rows at a time have the same time. */
const timeOf = (n: number) => Math.floor(n / 3)

/** The first and the last day of a window, and others. */
const usedDays = ["2015-01-01", "2015-04-02", "2015-04-03", "2020-02-29", "2025-12-31"]

const fill = [
  `INSERT INTO accounts (id, name, plan, created_ms)
   SELECT ${id("acc")}, 'Account ' || n, CASE WHEN n % 2 = 0 THEN 'pro' ELSE 'free' END, n / 3 FROM ${numbers}`,
  `INSERT INTO ledger (account_id, closed_ms, period_start_ms, used, bonus, notified)
   SELECT ${id("acc")}, CASE WHEN n >= 2500 THEN 5 END, 0, 0, 0, CASE WHEN n < 2200 THEN 80 ELSE 0 END FROM ${numbers}`,
  ...usedDays.flatMap((day) => [
    `INSERT INTO usage (account_id, period_start_ms, day, api, calls, credits, key_calls, key_credits) VALUES ('${busy}', 0, '${day}', 'hmac', 1, 2, 1, 2)`,
    `INSERT INTO key_usage (account_id, day, key_id, api, calls, credits) VALUES ('${busy}', '${day}', 'key_10001', 'hmac', 1, 2)`,
  ]),
  `INSERT INTO keys (id, account_id, name, prefix, created_ms, block_apis, external_id)
   SELECT ${id("key")}, '${busy}', 'ci', 'pk', n / 3, '[]', CASE WHEN n % 1300 = 1299 THEN 'fleet' END FROM ${numbers}`,
  `INSERT INTO notices (id, account_id, type, data, period_start_ms, plan, used, raised_ms, state)
   SELECT ${id("msg")}, CASE WHEN n % 1300 = 1299 THEN '${quiet}' ELSE '${busy}' END, 'key.created', '{}', 0, 'pro', 0, n / 3,
     CASE WHEN n < 2 THEN 'failed' ELSE 'unsent' END FROM ${numbers}`,
  `INSERT INTO notice_attempts (notice_id, attempt, at_ms, duration_ms) SELECT ${id("msg")}, 1, n / 3, 5 FROM ${numbers}`,
  `INSERT INTO audit (id, at_ms, actor, actor_name, operation, target_kind, target_id, account_id, source, request_id)
   SELECT ${id("aud")}, n / 3, CASE WHEN n % 1300 = 7 THEN 'cli:eve' ELSE 'cli:ann' END, 'ann', 'keys.create', 'key', ${id("key")},
     CASE WHEN n % 2 = 0 THEN '${busy}' END, 'host', 'r' FROM ${numbers}`,
]

describe.each(useStoreKinds())("$name", ({ create }) => {
  let opened: OpenStore
  let isPostgres = false
  let run: (...statements: readonly string[]) => Promise<void>

  beforeAll(async () => {
    const db = await create()
    isPostgres = isPostgresUrl(db)
    const ports = { timer: keepAliveTimer, clock: systemClock, random: systemRandom }
    opened = await openStore(db, { ...ports, limitMs: 30_000 })
    run = async (...statements) => {
      if (isPostgres) {
        await using sql = new SQL({ url: db, max: 1 })
        await sql.unsafe([...statements, "ANALYZE"].join("; ")).simple()
      } else {
        using database = new Database(db)
        for (const statement of statements) database.run(statement)
      }
    }
    await run(...fill)
  })
  afterAll(() => opened.store.close())

  /** Reads a whole list by pages. */
  async function readAll<Row>(
    read: (page: Page) => Promise<readonly Row[]>,
    placeOf: (row: Row) => readonly (string | number)[],
  ): Promise<{ readonly ids: readonly string[] }> {
    const ids: string[] = []
    for (let after: Page["after"] = null; ; ) {
      const rows = await read({ limit: 100, after })
      ids.push(...rows.map((row) => String(placeOf(row)[1])))
      const last = rows.at(-1)
      if (last === undefined) return { ids }
      after = placeOf(last)
    }
  }
  const idsWhere = (kind: string, matches: (n: number) => boolean, isDescending: boolean) => {
    const found = Array.from({ length: count }, (_, n) => n).filter(matches)
    const sorted = found.map((n) => [timeOf(n), `${kind}_${10_000 + n}`] as const)
    return (isDescending ? sorted.toReversed() : sorted).map(([, text]) => text)
  }

  const last = (n: number) => n >= 2_500
  const accounts: readonly (readonly [AccountFilter, (n: number) => boolean])[] = [
    [{ search: "nobody" }, () => false],
    [{ search: "account 259" }, (n) => n === 259 || n >= 2_590],
    [{ search: "ACCOUNT" }, () => true],
    [{ search: "acc_1259" }, (n) => n >= 2_590],
    [{ closed: true }, last],
    [{ closed: true, plan: "free" }, (n) => last(n) && n % 2 === 1],
    [{ closed: true, search: "nobody" }, () => false],
    [{ closed: false }, (n) => !last(n)],
    [{ closed: false, search: "t 2" }, (n) => !last(n) && String(n).startsWith("2")],
    [{ mayBeNearLimitSinceMs: -1 }, (n) => n < 2_200],
    [{ mayBeNearLimitSinceMs: 1 }, () => false],
  ]
  test.each(accounts)("accounts: %p", async (filter, matches) => {
    const found = await readAll(
      (page) => opened.admin.accounts(filter, page),
      ({ createdMs, id }) => [createdMs, id],
    )
    expect(found.ids).toEqual(idsWhere("acc", matches, false))
  })

  test("the open accounts of each plan are counted", async () => {
    const open = [1_250, 1_250]
    expect((await opened.admin.plansInUse()).map(({ accounts }) => accounts)).toEqual(open)
  })

  test("usage of an account over years", async () => {
    const years = { fromDay: "2015-01-01", toDay: "2025-12-31", accountIds: [busy] }
    const read = async (query: Partial<UsageQuery>) => {
      const { sums } = await opened.admin.usage({ ...years, by: [], ...query }, { limit: 10, after: null })
      return sums.map(({ key, day, api, calls, credits }) => [key, day, api, calls, credits].join(" "))
    }
    expect(await read({})).toEqual([`   ${usedDays.length} ${2 * usedDays.length}`])
    expect(await read({ by: ["key", "api"] })).toEqual([
      `key_10001  hmac ${usedDays.length} ${2 * usedDays.length}`,
    ])
    expect(await read({ by: ["day"] })).toEqual(usedDays.toReversed().map((day) => ` ${day}  1 2`))
    expect(await read({ by: ["account"], accountIds: undefined })).toEqual(await read({}))
  })

  test("keys of an account with an external id", async () => {
    const found = await readAll(
      (page) => opened.admin.keys({ accountId: busy, externalId: "fleet" }, page),
      ({ createdMs, id }) => [createdMs, id],
    )
    expect(found.ids).toEqual(idsWhere("key", (n) => n % 1_300 === 1_299, false))
  })

  test("notices of an account in a state", async () => {
    const found = await readAll(
      (page) => opened.admin.notices({ accountId: busy, state: "failed" }, page),
      ({ raisedMs, id }) => [raisedMs, id],
    )
    expect(found.ids).toEqual(idsWhere("msg", (n) => n < 2, true))
  })

  test.each([
    ["failed", (n: number) => n < 2],
    ["pending", () => false],
    ["delivered", () => false],
    ["unsent", (n: number) => n >= 2],
    ["mailed", () => false],
  ] as const)("notices that are %s", async (state, matches) => {
    const found = await readAll(
      (page) => opened.admin.notices({ state }, page),
      ({ raisedMs, id }) => [raisedMs, id],
    )
    expect(found.ids).toEqual(idsWhere("msg", matches, true))
    const counted = await opened.admin.countListed({ list: "notices", filter: { state } }, 100_000)
    expect(counted).toEqual({ count: found.ids.length, isExact: true })
  })

  test.each([
    [quiet, (n: number) => n % 1_300 === 1_299],
    [busy, (n: number) => n % 1_300 !== 1_299],
  ])("attempts for the notices of %s", async (accountId, matches) => {
    const found = await readAll(
      (page) => opened.admin.noticeAttempts({ accountId }, page),
      ({ atMs, noticeId, attempt }) => [atMs, noticeId, attempt],
    )
    expect(found.ids).toEqual(idsWhere("msg", matches, true))
  })

  const audits: readonly (readonly [AuditFilter, (n: number) => boolean])[] = [
    [{ accountId: busy, actor: "cli:eve" }, () => false],
    [
      { accountId: busy, actor: "cli:ann", operation: "keys.create", fromMs: 800 },
      (n) => n >= 2_400 && n % 2 === 0,
    ],
    [{ accountId: busy, targetIds: ["key_10002"] }, (n) => n === 2],
    [{ actor: "cli:eve", operation: "keys.create", toMs: 5 }, (n) => n === 7],
  ]
  test.each(audits)("audit: %p", async (filter, matches) => {
    const found = await readAll(
      (page) => opened.admin.audit(filter, page),
      ({ atMs, id }) => [atMs, id],
    )
    expect(found.ids).toEqual(idsWhere("aud", matches, true))
    const counted = await opened.admin.countListed({ list: "audit", filter }, 100_000)
    expect(counted).toEqual({ count: found.ids.length, isExact: true })
  })

  test("a count ends early where each row has to be looked at, and says so", async () => {
    const more = `INSERT INTO mails (id, recipient, template, raised_ms, state)
      SELECT 'mail_' || n || '_' || m, 'a@example.com', 'invitation', n, 'delivered' FROM ${numbers}
        CROSS JOIN (SELECT 0 AS m UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3) AS times`
    await run(more)
    const count = (filter: object, most = 12_000) => opened.admin.countListed({ list: "mails", filter }, most)
    expect(await count({})).toEqual({ count: 10_400, isExact: true })
    expect(await count({ state: "delivered" })).toEqual({ count: 10_400, isExact: true })
    const checked = { recipient: "a@example.com", state: "delivered" }
    expect(await count(checked)).toEqual({ count: 10_400, isExact: true })
    expect(await count(checked, 5_000)).toEqual({ count: 5_000, isExact: false })
    expect(await count({ ...checked, state: "failed" }, 5_000)).toEqual({ count: 0, isExact: false })
  })
})
