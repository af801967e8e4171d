/** Promises of every kind of store about what is deleted when it is old. */
import { beforeEach, describe, expect, test } from "bun:test"
import { isPostgresUrl } from "../../src/store/open.ts"
import { isDeletable, type PassStep } from "../../src/store/retention.ts"
import type { UsageColumn, UsageQuery } from "../../src/store/usage-types.ts"
import { auditOf, changeOf } from "../support/admin-store.ts"
import { type AnyTestStore, runSql, useOpenStores, useStoreKinds } from "../support/any-store.ts"
import { accountOf, chargeOf, keyOf } from "../support/store.ts"

const firstPage = { limit: 1_000, after: null }
const all: readonly UsageColumn[] = ["account", "key", "day", "api"]
const march = Date.parse("2025-03-01")

describe.each(useStoreKinds())("$name", ({ create }) => {
  const openStore = useOpenStores()
  let db: string
  let opened: AnyTestStore
  let other: AnyTestStore
  beforeEach(async () => {
    db = await create()
    opened = await openStore(db)
    other = await openStore(db)
    for (const id of ["acc_1", "acc_2", "acc_3"]) await opened.store.createAccount(accountOf({ id }))
    await opened.store.createKey(keyOf(), { hash: "h1", prefix: "p", createdMs: 1 })
  })

  /** Runs a pass over all accounts, on two processes in turn. */
  async function pass(step: (store: AnyTestStore, place: string) => Promise<PassStep>): Promise<number> {
    let rows = 0
    let turns = 0
    for (let place: string | null = ""; place !== null; ) {
      const done: PassStep = await step(turns++ % 2 === 0 ? opened : other, place)
      rows += done.rows
      place = done.next
      expect(turns).toBeLessThan(500)
    }
    return rows
  }

  const raise = async (id: string, nowMs: number, accountId = "acc_1") =>
    opened.admin.apply(changeOf([{ kind: "notice.insert", id, accountId, type: "test", data: "{}", nowMs }]))
  const ids = async () => (await opened.admin.notices({}, firstPage)).map(({ id }) => id)

  test("notices are deleted with their attempts, oldest first; what waits and what is new stays", async () => {
    const webhook = { url: "https://example.com/", secret: "whsec_AAAA", allowPrivate: false }
    await opened.outbox.setWebhook("acc_1", webhook)
    for (const [index, id] of ["msg_a", "msg_b", "msg_c"].entries()) await raise(id, 1_000 + index)
    for (const id of ["msg_a", "msg_b"]) {
      const due = await opened.outbox.claim({
        nowMs: 5_000,
        leaseMs: 60_000,
        maxWaitMs: 3_600_000,
        busyHosts: [],
        untriedOnly: false,
      })
      expect(due?.id).toBe(id)
      const attempt = { atMs: 5_000, durationMs: 1, status: 200, error: null }
      if (due) await opened.outbox.record(due, attempt, { kind: "delivered" })
    }
    await raise("msg_d", 2_000, "acc_2")
    await raise("msg_e", march, "acc_2")
    expect(await opened.retention.deleteNotices(march, 1)).toBe(1)
    expect(await ids()).toEqual(["msg_e", "msg_d", "msg_c", "msg_b"])
    expect(await opened.retention.deleteNotices(march, 10)).toBe(2)
    expect(await opened.retention.deleteNotices(march, 10)).toBe(0)
    expect(await ids()).toEqual(["msg_e", "msg_c"])
    expect(await opened.admin.noticeAttempts({}, firstPage)).toEqual([])
  })

  const charge = (...charges: Parameters<typeof chargeOf>[0][]) =>
    opened.store.charge(charges.map((one) => chargeOf({ allowance: null, ...one })))
  async function usage(query: Partial<UsageQuery> = {}) {
    const given = { fromDay: "2024-01-01", toDay: "2025-12-31", by: all, ...query }
    const { sums } = await opened.admin.usage(given, firstPage)
    return sums.map(({ account, key, day, api, calls, credits }) =>
      [account, key, day, api, calls, credits].join(" "),
    )
  }
  const fold = (beforeDay: string, limit: number) =>
    pass(({ retention }, place) => retention.foldUsage(beforeDay, place, limit))

  test.each([1, 3, 100])(
    "usage becomes that of its month, no sum changes, and charges go on: %d rows a step",
    async (limit) => {
      const items = [
        { api: "hmac", calls: 1, credits: 1 },
        { api: "spfvalidator", calls: 2, credits: 10 },
      ]
      const days = "2025-01-01 2025-01-02 2025-01-31 2025-02-01 2025-02-28 2025-03-01 2025-03-02".split(" ")
      for (const day of days) {
        // The credit month begins on the 15th.
        const periodStartMs = Date.parse(
          day < "2025-01-15" ? "2024-12-15" : day < "2025-02-15" ? "2025-01-15" : "2025-02-15",
        )
        await charge(
          { day, periodStartMs, keyId: "key_1", items },
          { day, periodStartMs },
          { day, periodStartMs, accountId: "acc_2", keyId: "key_2" },
        )
      }
      const months = () =>
        Promise.all(
          ["2024-12-15", "2025-01-15", "2025-02-15"].map((day) =>
            opened.store.monthUsage("acc_1", Date.parse(day)),
          ),
        )
      const byMonth = async () =>
        (await months()).map((rows) => [
          rows.reduce((sum, { calls }) => sum + calls, 0),
          rows.reduce((sum, { credits }) => sum + credits, 0),
        ])
      const divisions: (readonly UsageColumn[])[] = [
        ["account", "key", "api"],
        ["account", "api"],
        ["account"],
        ["api"],
        [],
      ]
      const sums = () => Promise.all(divisions.map((by) => usage({ by })))
      const [before, monthsBefore] = [await sums(), await byMonth()]
      await opened.retention.setMonthsUntil("2025-03-01")
      expect(await sums()).toEqual(before)
      const wholeDays = await usage()
      // Days that are over, of usage and of usage by key, without the first ones of a month.
      expect(await fold("2025-03-01", limit)).toBe(3 * (2 + 1 + 2 + 1))
      expect(await fold("2025-03-01", limit)).toBe(0)
      expect([await sums(), await byMonth(), await usage()]).toEqual([before, monthsBefore, wholeDays])
      expect(wholeDays.filter((line) => line.startsWith("acc_2"))).toEqual([
        "acc_2 key_2 2025-03-02 hmac 1 1",
        "acc_2 key_2 2025-03-01 hmac 1 1",
        "acc_2 key_2 2025-02 hmac 2 2",
        "acc_2 key_2 2025-01 hmac 3 3",
      ])
      expect(await usage({ by: ["day"], fromDay: "2025-01-01", toDay: "2025-01-31", api: "hmac" })).toEqual([
        "  2025-01  9 9",
      ])
      // A late charge of an old day.
      const second = { accountId: "acc_2", keyId: "key_2", periodStartMs: Date.parse("2025-02-15") }
      await charge({ day: "2025-01-20", ...second })
      await charge({ day: "2025-03-03", ...second })
      expect((await usage({ accountIds: ["acc_2"] })).at(-1)).toBe("acc_2 key_2 2025-01 hmac 4 4")
      expect(await fold("2025-03-01", limit)).toBe(2)
      expect((await usage({ accountIds: ["acc_2"] })).at(-1)).toBe("acc_2 key_2 2025-01 hmac 4 4")
    },
  )

  test("usage: the marks of retention only rise, and an hour is taken once", async () => {
    const { retention } = opened
    expect([
      await retention.monthsUntil(),
      await retention.foldedUntil(),
      await retention.auditFromMs(),
    ]).toEqual([null, null, null])
    for (const day of ["2025-03-01", "2025-02-01"]) {
      await retention.setMonthsUntil(day)
      await retention.setFoldedUntil(day)
      await retention.setAuditFromMs(Date.parse(day))
    }
    const until = [await other.retention.monthsUntil(), await other.retention.foldedUntil()]
    expect(until).toEqual(["2025-03-01", "2025-03-01"])
    expect(await other.retention.auditFromMs()).toBe(march)
    const took = await Promise.all([retention.takeHour(march), other.retention.takeHour(march)])
    expect(took.toSorted()).toEqual([false, true])
    expect(await retention.takeHour(march - 3_600_000)).toBe(true)
  })

  test("audit records are deleted before the time that the owner has set, and no others, by nobody", async () => {
    for (const atMs of [1_000, 2_000, march, march + 1])
      await opened.admin.apply(changeOf([], { audit: auditOf({ atMs }) }))
    const times = async () => (await opened.admin.audit({}, firstPage)).map(({ atMs }) => atMs)
    const before = await times()
    expect(await opened.retention.deleteAudit(10)).toBe(0)
    await expect(runSql(db, "DELETE FROM audit WHERE at_ms = 1000")).rejects.toThrow("cannot be")
    await opened.retention.setAuditFromMs(march)
    await expect(runSql(db, "DELETE FROM audit")).rejects.toThrow("cannot be")
    await expect(runSql(db, "UPDATE audit SET actor = 'x'")).rejects.toThrow("cannot be")
    expect(await times()).toEqual(before)
    expect([await opened.retention.deleteAudit(1), await opened.retention.deleteAudit(10)]).toEqual([
      1,
      before.filter((ms) => ms < march).length - 1,
    ])
    expect(await times()).toEqual(before.filter((ms) => ms >= march))
  })

  test("audit records that statements are made from stay, and nobody can delete them", async () => {
    const kept = ["accounts.close", "accounts.reopen", "accounts.update", "credits.renew"]
    for (const operation of ["keys.create", ...kept, "credits.grant"])
      await opened.admin.apply(changeOf([], { audit: auditOf({ atMs: 1_000, operation }) }))
    await opened.retention.setAuditFromMs(march)
    const before = (await opened.admin.audit({}, firstPage)).length
    expect(await opened.retention.deleteAudit(100)).toBe(before - kept.length)
    const left = await opened.admin.audit({}, firstPage)
    expect(left.map(({ operation }) => operation).toSorted()).toEqual(kept)
    await expect(runSql(db, "DELETE FROM audit")).rejects.toThrow("cannot be")
  })

  test("records to delete are found by an index, whatever stays", async () => {
    const where = `at_ms < 5 AND ${isDeletable} ORDER BY at_ms, id LIMIT 9`
    const explain = isPostgresUrl(db)
      ? // With few rows the database would choose any index.
        "BEGIN; DROP INDEX audit_by_time; SET LOCAL enable_seqscan = off; EXPLAIN"
      : "EXPLAIN QUERY PLAN"
    const plan = await runSql(db, `${explain} SELECT id FROM audit WHERE ${where}`)
    expect(JSON.stringify(plan)).toContain("audit_deletable")
  })
})
