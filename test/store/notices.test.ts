/** Promises of every kind of store about notices: when they are raised, who sends them, and how their attempts are kept. */
import { beforeEach, describe, expect, test } from "bun:test"
import { systemTimer } from "../../src/ports/timer.ts"
import type { Mutation } from "../../src/store/admin-store.ts"
import type { DueNotice } from "../../src/store/outbox.ts"
import { accountDetailsOf, changeOf, firstPage, grantOf } from "../support/admin-store.ts"
import { type AnyTestStore, runSql, useOpenStores, useStoreKinds } from "../support/any-store.ts"
import { accountOf, chargeOf } from "../support/store.ts"
import { until } from "../support/until.ts"

const webhook = { url: "https://example.com/hook", secret: "whsec_AAAA", allowPrivate: false }
const anyDue = { leaseMs: 60_000, maxWaitMs: 3_600_000, busyHosts: [], untriedOnly: false }
const late = { durationMs: 40, status: null, error: "timeout" }
const success = { durationMs: 7, status: 204, error: null }
const gone = { durationMs: 40, status: 410, error: null }

describe.each(useStoreKinds())("$name", ({ create }) => {
  const openStore = useOpenStores()
  let db: string
  let opened: AnyTestStore
  let woken = 0

  beforeEach(async () => {
    woken = 0
    db = await create()
    opened = await openStore(db, () => void woken++)
    await apply({ kind: "account.insert", account: accountDetailsOf() })
    await setWebhook(webhook)
  })
  const apply = (...mutations: Mutation[]) => opened.admin.apply(changeOf(mutations))
  const setWebhook = (one: typeof webhook | null, accountId = "acc_1") =>
    opened.outbox.setWebhook(accountId, one)
  /** Charges credits of 100 in a month. */
  const use = (credits: number, periodStartMs = 1_000, allowance: number | null = 100) =>
    opened.store.charge([chargeOf({ credits, allowance, periodStartMs })])
  const list = () => opened.outbox.list()
  const raised = async () => (await list()).map(({ threshold, periodStartMs }) => [periodStartMs, threshold])
  const nowMs = Date.now()
  /** Raised by hand, at a time of the test's choosing. */
  const notice = (id: string, atMs = nowMs, accountId = "acc_1"): Mutation => {
    return { kind: "notice.insert", id, accountId, type: "key.created", data: '{"key":"key_1"}', nowMs: atMs }
  }
  const claim = (atMs: number, more = {}) => opened.outbox.claim({ ...anyDue, nowMs: atMs, ...more })
  async function claimOne(atMs: number, more = {}): Promise<DueNotice> {
    const due = await claim(atMs, more)
    if (!due) throw new Error("nothing to claim")
    return due
  }
  const record: AnyTestStore["outbox"]["record"] = (...given) => opened.outbox.record(...given)
  /** Later than every notice of the test, by less than the longest wait. */
  const later = () => Date.now() + 60_000

  test("are raised at the credit that reaches a threshold, once a month", async () => {
    await use(79)
    expect(await raised()).toEqual([])
    await use(1)
    expect(await raised()).toEqual([[1_000, 80]])
    await use(14)
    expect(await raised()).toEqual([[1_000, 80]])
    // Also if the ledger's own mark is lost.
    await runSql(db, "UPDATE ledger SET notified = 0")
    await use(6)
    const both = [80, 95].map((threshold) => [1_000, threshold])
    expect(await raised()).toEqual(both)
    await use(1, 2_000)
    await use(99, 2_000)
    expect(await raised()).toHaveLength(4)
    expect(await opened.outbox.list("acc_2")).toHaveLength(0)
  })

  test("are raised not without a limit, and both when one charge reaches both", async () => {
    await use(1_000, 1_000, null)
    expect(await raised()).toEqual([])
    await use(95, 2_000)
    expect(await raised()).toEqual([80, 95].map((threshold) => [2_000, threshold]))
  })

  test("are raised of an allowance that does not divide evenly, not before the exact share", async () => {
    const found: unknown[] = []
    for (const credits of [5, 1, 1]) {
      await use(credits, 1_000, 7)
      found.push((await raised()).map(([, threshold]) => threshold))
    }
    expect(found).toEqual([[], [80], [80, 95]])
  })

  test("are raised: whole, with the same id in every kind of store", async () => {
    await use(80)
    const [one] = await list()
    expect(one).toMatchObject({
      ...{ id: "msg_acad0bc2d069c33e74089ec2cec261af", accountId: "acc_1", accountCreatedMs: 1_000 },
      ...{ plan: "free", threshold: 80, used: 80, allowance: 100, periodStartMs: 1_000, data: null },
      state: "pending",
      attempts: 0,
      waitedMs: 0,
      lastStatus: null,
      lastError: null,
      deliveredMs: null,
    })
    expect(one?.raisedMs).toBe(one?.nextAttemptMs ?? Number.NaN)
    expect(await opened.gauges.pendingNotices()).toBe(1)
  })

  test("are raised by hand once, with their data, and several of one month beside a threshold's", async () => {
    expect(await apply(notice("msg_1"), notice("msg_1"))).toBe("applied")
    expect(await apply(notice("msg_1"), notice("msg_2"))).toBe("applied")
    expect(await apply(notice("msg_3", nowMs, "acc_9"))).toBe("missing")
    expect(await claimOne(nowMs + 1)).toMatchObject({
      ...{ id: "msg_1", type: "key.created", data: '{"key":"key_1"}', webhook },
      ...{ threshold: null, allowance: null, plan: "free" },
    })
    await opened.store.charge([chargeOf({ credits: 8 })])
    const types = (await opened.admin.notices({}, firstPage)).map(({ type }) => type).toSorted()
    expect(types).toEqual(["credits.threshold_reached", "key.created", "key.created"])
  })

  test("are raised with the trace of their charge, also of charges that are decided together", async () => {
    const trace = (digit: string) => `00-${digit.repeat(32)}-${digit.repeat(16)}-01`
    const accounts = ["acc_1", "acc_2", "acc_3", "acc_4"]
    for (const id of accounts.slice(1)) {
      await opened.store.createAccount(accountOf({ id }))
      await setWebhook({ ...webhook, url: `https://${id.slice(4)}.example.com/` }, id)
    }
    const traces = [trace("1"), undefined, trace("3"), undefined]
    const chargeAll = (credits: number, traceparents: readonly (string | undefined)[]) =>
      opened.store.charge(
        accounts.map((accountId, index) =>
          chargeOf({ accountId, credits, allowance: 100, traceparent: traceparents[index] }),
        ),
      )
    // Warms the statement up with a trace that must not stay.
    await chargeAll(1, [trace("a"), trace("b"), trace("c"), trace("d")])
    await chargeAll(80, traces)
    await chargeAll(15, [])
    const found: unknown[] = []
    for (let at = later(), count = 0; count < 8; count++) {
      const { accountId, threshold, traceparent, ...due } = await claimOne(at++)
      found.push(`${accountId} ${threshold} ${traceparent}`)
      const raised = { ...due, accountId, threshold, traceparent }
      await record(raised, { atMs: at, ...success }, { kind: "delivered" })
    }
    const expected = accounts.flatMap((id, index) => [`${id} 80 ${traces[index] ?? null}`, `${id} 95 null`])
    expect(found.sort()).toEqual(expected)
  })

  test("are raised for the delivery, which is woken by a notice and by no other change", async () => {
    await apply(grantOf("acc_1", 1, 9))
    await systemTimer.turn()
    expect(woken).toBe(0)
    await apply(notice("msg_1"))
    await until(() => woken > 0)
    expect(woken).toBe(1)
  })

  test("are claimed by one process at a time", async () => {
    await use(100)
    const other = await openStore(db)
    const atMs = later()
    const claims = await Promise.all(
      [opened, other, opened, other].map(({ outbox }) => outbox.claim({ ...anyDue, nowMs: atMs })),
    )
    expect(claims.flatMap((one) => one?.threshold ?? []).sort()).toEqual([80, 95])
    expect(await other.outbox.claim({ ...anyDue, nowMs: atMs + 59_999 })).toBeNull()
    expect(await other.outbox.claim({ ...anyDue, nowMs: atMs + 60_000 })).not.toBeNull()
  })

  test("are claimed when they are due, first the one that has been due longest, repetitions in their turn", async () => {
    await apply(notice("msg_1", nowMs))
    await apply(notice("msg_2", nowMs + 1_000))
    expect([await claim(nowMs - 1), await opened.outbox.nextAttemptMs(nowMs - 1)]).toEqual([null, nowMs])
    const first = await claimOne(nowMs + 1_500)
    expect(first).toMatchObject({ id: "msg_1", nextAttemptMs: nowMs + 61_500 })
    expect(await opened.outbox.nextAttemptMs(nowMs + 1_000)).toBe(nowMs + 61_500)
    await record(first, { atMs: nowMs, ...late }, { kind: "retry", delayMs: 2_000 })
    const ids = [await claim(nowMs + 9_000), await claim(nowMs + 9_000), await claim(nowMs + 9_000)]
    expect(ids.map((one) => one?.id ?? null)).toEqual(["msg_2", "msg_1", null])
  })

  test("are claimed at once when they are due later than any wait: a wrong clock wrote them", async () => {
    await apply(notice("msg_1", nowMs + 50_000_000))
    const earliestMs = nowMs + 50_000_000 - anyDue.maxWaitMs
    expect(await claim(earliestMs)).toBeNull()
    // PostgreSQL finds it with the next claim.
    const found = [await claim(earliestMs - 1), await claim(earliestMs - 1)]
    expect(found.flatMap((one) => one?.id ?? [])).toEqual(["msg_1"])
  })

  test.each([
    ["https://example.com/hook", "example.com"],
    ["https://example.com/", "example.com"],
    ["https://example.com:8443/a//b:9/?c=//d/", "example.com:8443"],
    ["http://[::1]:99/hook", "[::1]:99"],
    ["https://xn--bcher-kva.example/hook", "xn--bcher-kva.example"],
  ])(
    "are claimed with %s not while its host %s is busy, and as repetitions not when untried ones are asked for",
    async (url, host) => {
      expect([new URL(url).host, new URL(url).href]).toEqual([host, url])
      await setWebhook({ ...webhook, url })
      await apply(notice("msg_1"))
      expect(await claim(nowMs, { busyHosts: ["other.example", host] })).toBeNull()
      const due = await claimOne(nowMs, { busyHosts: ["other.example", "hook", ""] })
      expect(due).toMatchObject({ host, webhook: { url } })
      await record(due, { atMs: nowMs, ...late }, { kind: "retry", delayMs: 1 })
      const nextMs = nowMs + late.durationMs + 1
      expect(await opened.outbox.nextAttemptMs(0)).toBe(nextMs)
      expect(await claim(nextMs, { untriedOnly: true })).toBeNull()
      expect(await claim(nextMs)).not.toBeNull()
    },
  )

  test("have attempts of which the log has every one; a slower worker whose lease has ended changes nothing", async () => {
    await use(80)
    const atMs = later()
    const slow = await claimOne(atMs)
    await record(slow, { atMs, ...late }, { kind: "retry", delayMs: 100 })
    expect(await list()).toMatchObject([
      { state: "pending", attempts: 1, waitedMs: 100, nextAttemptMs: atMs + 140, lastError: "timeout" },
    ])
    const last = { atMs: atMs + 140, ...success }
    await record(await claimOne(atMs + 140), last, { kind: "delivered" })
    const delivered = { state: "delivered", lastStatus: 204, lastError: null, deliveredMs: atMs + 147 }
    expect(await list()).toMatchObject([{ ...delivered, attempts: 2, nextAttemptMs: null }])
    expect(await opened.outbox.attempts("acc_1")).toStrictEqual([
      { noticeId: slow.id, attempt: 1, atMs, ...late },
      { noticeId: slow.id, attempt: 2, ...last },
    ])
    for (const kind of ["failed", "gone"] as const) await record(slow, { atMs, ...late }, { kind })
    await record(slow, { atMs, ...late }, { kind: "retry", delayMs: 9 })
    expect(await list()).toMatchObject([{ ...delivered, attempts: 5 }])
  })

  test("have attempts of which a slower one may deliver it after all", async () => {
    await apply(notice("msg_1"))
    const slow = await claimOne(nowMs)
    await record(await claimOne(nowMs + 60_000), { atMs: nowMs, ...late }, { kind: "failed" })
    await record(slow, { atMs: nowMs, ...success }, { kind: "delivered" })
    expect(await list()).toMatchObject([{ state: "delivered" }])
  })

  test("have attempts whose errors may have any character, since receivers choose some of its text", async () => {
    await use(80)
    const failed = { ...late, atMs: 1, error: "altnames: a\0b \ud800 \u202e" }
    await record(await claimOne(later()), failed, { kind: "failed" })
    const [attempt] = await opened.outbox.attempts()
    expect(attempt?.error).toMatch(/^altnames: a.b /s)
  })

  test.each(["delivered", "failed"] as const)(
    "have attempts and one more when a %s one is sent again",
    async (kind) => {
      await apply(notice("msg_1"))
      await record(await claimOne(nowMs), { atMs: nowMs, ...late, status: 500 }, { kind })
      expect(await apply({ kind: "notice.resend", id: "msg_1", nowMs })).toBe("applied")
      const second = await claimOne(nowMs)
      expect(second).toMatchObject({ id: "msg_1", attempts: 1, waitedMs: 0, deliveredMs: null })
      await record(second, { atMs: nowMs, ...success }, { kind: "delivered" })
      const attempts = (await opened.outbox.attempts()).map(({ attempt, status }) => `${attempt} ${status}`)
      expect(attempts).toEqual(["1 500", "2 204"])
      expect(await apply({ kind: "notice.resend", id: "msg_9", nowMs })).toBe("missing")
    },
  )

  test("a pending notice that is sent again keeps its lease", async () => {
    await apply(notice("msg_1"))
    await claimOne(nowMs + 1)
    expect(await apply({ kind: "notice.resend", id: "msg_1", nowMs: nowMs + 2 })).toBe("applied")
    expect(await claim(nowMs + 3)).toBeNull()
  })

  test("an account's record does not have the secret of its webhook", async () =>
    expect(JSON.stringify(await opened.store.findAccount("acc_1"))).not.toContain("whsec_"))

  test("410 Gone disables the webhook and fails all that waits for it, until it is set again", async () => {
    await use(100)
    const atMs = later()
    await record(await claimOne(atMs), { atMs, ...gone }, { kind: "gone" })
    expect(await list()).toMatchObject([
      { threshold: 80, state: "failed", lastStatus: 410, lastError: null },
      { threshold: 95, state: "failed", lastStatus: null, lastError: "the receiver is gone" },
    ])
    expect(await opened.outbox.findWebhook("acc_1")).toEqual({ ...webhook, goneMs: atMs + 40 })
    await use(80, 2_000)
    const ofNextMonth = (await list()).filter(({ periodStartMs }) => periodStartMs === 2_000)
    expect(ofNextMonth).toMatchObject([{ state: "unsent" }])
    await setWebhook({ ...webhook, secret: "whsec_BBBB" })
    expect(await opened.outbox.findWebhook("acc_1")).toMatchObject({ goneMs: null })
  })

  test("410 Gone of a replaced webhook does not disable the new one", async () => {
    await use(80)
    const atMs = later()
    const due = await claimOne(atMs)
    await setWebhook({ ...webhook, secret: "whsec_BBBB" })
    await record(due, { atMs, ...gone }, { kind: "gone" })
    expect(await opened.outbox.findWebhook("acc_1")).toMatchObject({ goneMs: null })
    expect(await claimOne(atMs + 40)).toMatchObject({ id: due.id, webhook: { secret: "whsec_BBBB" } })
  })

  test("without a webhook none is sent, also not later unless someone sends it again", async () => {
    await use(80)
    expect(await opened.outbox.findWebhook("acc_1")).toStrictEqual({ ...webhook, goneMs: null })
    expect([await setWebhook(null), await setWebhook(webhook, "acc_9")]).toEqual([true, false])
    expect(await opened.outbox.findWebhook("acc_1")).toBeNull()
    await apply(notice("msg_1"))
    const unsent = { state: "unsent", nextAttemptMs: null }
    expect(await list()).toMatchObject([unsent, unsent])
    expect(await apply({ kind: "notice.resend", id: "msg_1", nowMs })).toBe("missing")
    await setWebhook(webhook)
    expect([await claim(later()), await list()]).toMatchObject([null, [unsent, unsent]])
    expect(await apply({ kind: "notice.resend", id: "msg_1", nowMs })).toBe("applied")
    expect(await claimOne(nowMs)).toMatchObject({ id: "msg_1" })
  })
})
