/** Events of accounts on every kind of store: each is raised exactly once, however many processes charge and look. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import fc from "fast-check"
import { periodAt } from "../../src/accounts/credits.ts"
import { defaultPlans } from "../../src/accounts/plan.ts"
import { createEventCheck } from "../../src/webhooks/event-check.ts"
import { accountDetailsOf, changeOf, firstPage, keyDetailsOf, secretOf } from "../support/admin-store.ts"
import { type AnyTestStore, openAnyStore, useStoreKinds } from "../support/any-store.ts"
import { createManualClock, type ManualClock } from "../support/clock.ts"
import { chargeOf } from "../support/store.ts"
import { noWaitTimer } from "../support/timer.ts"

const day = 86_400_000
const start = Date.parse("2025-01-31T12:00:00Z")
const iso = (ms: number) => new Date(ms).toISOString()
const every = ["credits.exhausted", "key.expiring", "month.renewed"]
const log = {
  debug() {},
  info() {},
  warn() {},
  error(_: string, fields: object) {
    throw new Error(JSON.stringify(fields))
  },
}

describe.each(useStoreKinds())("$name", ({ create, name }) => {
  /** Two processes on one store. */
  let processes: AnyTestStore[] = []
  let clock: ManualClock

  async function open() {
    const db = await create()
    processes = [await openAnyStore(db), await openAnyStore(db)]
    clock = createManualClock(iso(start))
  }
  beforeEach(open)
  afterEach(close)
  async function close() {
    for (const { store } of processes.splice(0)) await store.close()
  }
  const one = () => processes[0] as AnyTestStore
  const apply = async (...mutations: Parameters<typeof changeOf>[0]) => {
    expect(await one().admin.apply(changeOf(mutations))).toBe("applied")
  }
  const insertAccount = (change: Parameters<typeof accountDetailsOf>[0] = {}) =>
    apply({
      kind: "account.insert",
      account: accountDetailsOf({ createdMs: start, periodStartMs: start, events: every, ...change }),
    })
  const insertKey = (change: Parameters<typeof keyDetailsOf>[0]) =>
    apply({
      kind: "key.insert",
      key: keyDetailsOf({ createdMs: start, ...change }),
      secret: secretOf(change?.id ?? "key_1"),
    })
  const lookIn = ({ timedEvents: events }: AnyTestStore) =>
    createEventCheck({
      events,
      plans: new Map(defaultPlans.map((plan) => [plan.name, plan])),
      clock,
      timer: noWaitTimer,
      log,
    }).run()
  const look = async () => {
    for (const opened of processes) await lookIn(opened)
  }
  /** Types and times of all notices, oldest first. */
  const raised = async () =>
    (await one().outbox.list()).map(({ type, raisedMs, data }) => [
      type,
      iso(raisedMs),
      JSON.parse(data ?? "{}").within_days,
    ])
  const types = async () => (await one().outbox.list()).map(({ type }) => type).toSorted()
  const charge = (credits: number, more: object = {}, by = one()) =>
    by.store.charge([chargeOf({ credits, allowance: 10, periodStartMs: start, ...more })])

  test("credits.exhausted is raised by the charge that uses up month and bonus, once a month", async () => {
    await insertAccount({ bonus: 2 })
    await charge(10)
    expect(await types()).toEqual(["credits.threshold_reached", "credits.threshold_reached"])
    await charge(2)
    const notices = await one().admin.notices({}, firstPage)
    const [notice] = notices.filter(({ type }) => type === "credits.exhausted")
    expect(notice).toMatchObject({ used: 10, allowance: 10, threshold: null })
    expect(notice).toMatchObject({ plan: "free", periodStartMs: start })
    await one().store.grant("acc_1", 1, 100)
    await charge(1)
    await charge(1)
    expect(await types()).toHaveLength(3)
    const next = periodAt(start, start + 40 * day).startMs
    await charge(10, { periodStartMs: next, day: "2025-03-01" })
    expect((await types()).filter((type) => type === "credits.exhausted")).toHaveLength(2)
  })

  test("credits.exhausted is raised by a charge of nothing where a smaller plan uses up what is left, and not while anything is", async () => {
    await insertAccount()
    await charge(7)
    for (const [allowance, count] of [
      [8, 0],
      [7, 1],
      [7, 1],
      [5, 1],
    ] as const) {
      for (const { store } of processes)
        expect(await store.charge([chargeOf({ items: [], allowance, periodStartMs: start })])).toMatchObject([
          { charged: true, used: 7, bonus: 0 },
        ])
      expect((await types()).filter((type) => type === "credits.exhausted")).toHaveLength(count)
    }
    expect(await one().store.monthUsage("acc_1", start)).toEqual([
      { day: "2025-01-01", api: "hmac", calls: 1, credits: 7 },
    ])
  })

  test("credits.exhausted is not raised for a plan without a limit, an account that did not choose it, or a grant and a new month", async () => {
    await insertAccount({ events: ["key.expiring"] })
    await insertAccount({ id: "acc_2" })
    await charge(10)
    await charge(10, { accountId: "acc_2", allowance: null })
    await one().store.grant("acc_2", 1, 100)
    await one().store.renewMonth("acc_2", { createdMs: start, periodStartMs: start })
    expect((await types()).filter((type) => type === "credits.exhausted")).toEqual([])
  })

  test("key.expiring is raised 7 days and 1 day before, at its time, also when the service was stopped then", async () => {
    await insertAccount()
    await insertKey({ id: "key_1", expiresMs: start + 30 * day })
    await look()
    clock.advance(22 * day)
    await look()
    expect(await raised()).toEqual([])
    clock.advance(day)
    await look()
    clock.advance(7 * day)
    await look()
    await look()
    const expiring = (await raised()).filter(([type]) => type === "key.expiring")
    const wanted = [23, 29].map((days, index) => ["key.expiring", iso(start + days * day), [7, 1][index]])
    expect(expiring).toEqual(wanted)
    const { data } = (await one().outbox.list()).find(({ type }) => type === "key.expiring") ?? {}
    expect(JSON.parse(data ?? "")).toEqual({
      account: "acc_1",
      key: "key_1",
      name: "ci",
      prefix: "pk-abcdef",
      expires: iso(start + 30 * day),
      within_days: 7,
    })
  })

  test("key.expiring is raised again for another expiry, and not for a revoked key, a closed account, or a life shorter than the warning", async () => {
    await insertAccount()
    await insertAccount({ id: "acc_closed", closedMs: start })
    await insertAccount({ id: "acc_quiet", events: [] })
    await insertKey({ id: "key_1", expiresMs: start + 8 * day })
    await insertKey({ id: "key_revoked", expiresMs: start + 8 * day, revokedMs: start })
    await insertKey({ id: "key_closed", accountId: "acc_closed", expiresMs: start + 8 * day })
    await insertKey({ id: "key_quiet", accountId: "acc_quiet", expiresMs: start + 8 * day })
    await insertKey({ id: "key_short", expiresMs: start + day / 2 })
    await look()
    clock.advance(2 * day)
    await look()
    expect(await raised()).toEqual([["key.expiring", iso(start + day), 7]])
    await apply({ kind: "key.update", id: "key_1", version: 1, set: { expiresMs: start + 10 * day } })
    clock.advance(2 * day)
    await look()
    const wanted = [1, 3].map((days) => ["key.expiring", iso(start + days * day), 7])
    expect(await raised()).toEqual(wanted)
  })

  test("key.expiring of more keys than fit a page, of one instant and of several", async () => {
    await insertAccount()
    await look()
    const keys = Array.from({ length: 450 }, (_, i) => i)
    for (const i of keys) await insertKey({ id: `key_${i}`, expiresMs: start + 8 * day + (i % 3) })
    clock.advance(day + 5)
    await look()
    expect(await types()).toEqual(keys.map(() => "key.expiring"))
  })

  test("month.renewed is raised when a month begins, without a call, at the end of a short month too", async () => {
    await insertAccount({ bonus: 3 })
    await look()
    clock.set("2025-02-28T11:59:59Z")
    await look()
    expect(await raised()).toEqual([])
    clock.set("2025-02-28T12:00:00Z")
    await look()
    expect(await raised()).toEqual([["month.renewed", "2025-02-28T12:00:00.000Z", undefined]])
    const [notice] = await one().outbox.list()
    expect(notice).toMatchObject({ periodStartMs: Date.parse("2025-02-28T12:00:00Z"), used: 0 })
    expect(JSON.parse(notice?.data ?? "")).toEqual({
      account: "acc_1",
      plan: "free",
      allowance: 1_000,
      bonus: 3,
      period_start: "2025-02-28T12:00:00.000Z",
      period_end: "2025-03-31T12:00:00.000Z",
    })
    // If months have passed without a look, only the current month is told.
    clock.set("2025-05-31T13:00:00Z")
    await look()
    expect(await raised()).toHaveLength(2)
  })

  test("month.renewed is not raised while a stored month lies in the future, nor again when the clock was set back", async () => {
    await insertAccount()
    await insertAccount({ id: "acc_ahead", periodStartMs: start + 90 * day })
    await look()
    for (const at of ["2025-03-01T00:00:00Z", "2025-02-20T00:00:00Z", "2025-03-01T00:00:00Z"]) {
      clock.set(at)
      await look()
    }
    expect((await one().outbox.list()).map(({ accountId, type }) => [accountId, type])).toEqual([
      ["acc_1", "month.renewed"],
    ])
  })

  test("whatever two processes charge and look, also at once, each event is raised exactly once", async () => {
    const step = fc.oneof(
      fc.record({
        kind: fc.constant("charge" as const),
        credits: fc.integer({ min: 0, max: 6 }),
        by: fc.nat(1),
      }),
      fc.record({ kind: fc.constant("wait" as const), hours: fc.integer({ min: 1, max: 400 }) }),
      fc.record({ kind: fc.constant("look" as const), both: fc.boolean(), by: fc.nat(1) }),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 5, maxLength: 25 }),
        fc.integer({ min: 8, max: 60 }),
        async (steps, life) => {
          await close()
          await open()
          await insertAccount()
          await insertKey({ id: "key_1", expiresMs: start + life * day })
          await look()
          const exhausted = new Set<number>()
          for (const one of steps) {
            if (one.kind === "wait") clock.advance(one.hours * 3_600_000)
            if (one.kind === "look")
              await Promise.all(
                one.both ? processes.map(lookIn) : [lookIn(processes[one.by] as AnyTestStore)],
              )
            if (one.kind !== "charge") continue
            const periodStartMs = periodAt(start, clock.now()).startMs
            const charges = processes.map(({ store }, i) =>
              i === one.by || one.credits > 3
                ? store.charge([
                    chargeOf({ credits: one.credits, periodStartMs, day: iso(clock.now()).slice(0, 10) }),
                  ])
                : [],
            )
            for (const outcome of (await Promise.all(charges)).flat())
              if (outcome.charged && outcome.used === 10) exhausted.add(periodStartMs)
          }
          await look()
          const counts = Object.groupBy(await one().outbox.list(), ({ type }) => type)
          expect(
            counts["credits.exhausted"]?.map(({ periodStartMs }) => periodStartMs).toSorted() ?? [],
          ).toEqual([...exhausted].toSorted())
          const warnings = [7, 1].filter((days) => start + (life - days) * day <= clock.now())
          const days = counts["key.expiring"]?.map(({ data }) => JSON.parse(data ?? "").within_days)
          expect(days ?? []).toEqual(warnings)
          const renewed = counts["month.renewed"]?.map(({ periodStartMs }) => periodStartMs) ?? []
          expect(new Set(renewed).size).toBe(renewed.length)
          const current = periodAt(start, clock.now()).startMs
          if (current > start) expect(renewed.at(-1)).toBe(current)
        },
      ),
      { numRuns: name === "PostgreSQL" ? 4 : 12 },
    )
  })
})
