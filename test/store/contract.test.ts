/** Promises of every kind of store. */
import { beforeEach, describe, expect, test } from "bun:test"
import type { DueNotice } from "../../src/store/outbox.ts"
import type { ChargeOutcome } from "../../src/store/store.ts"
import { type AnyTestStore, useOpenStores, useStoreKinds } from "../support/any-store.ts"
import { accountOf, chargeOf, keyOf } from "../support/store.ts"

const secret = (hash: string, createdMs = 1_000) => ({ hash, prefix: `p-${hash}`, createdMs })
const charged = (used: number, bonus: number, periodStartMs = 1_000): ChargeOutcome => {
  return { charged: true, used, bonus, periodStartMs }
}
const refused: ChargeOutcome = { charged: false }
const webhook = { url: "https://example.com/hook", secret: "whsec_AAAA", allowPrivate: false }
const anyDue = { leaseMs: 60_000, maxWaitMs: 3_600_000, busyHosts: [], untriedOnly: false }

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

  describe("accounts and keys", () => {
    const account = accountOf({ bonus: 5 })
    const limits = { expiresMs: 9_000, allowApis: ["hmac"], allowIps: ["192.0.2.0/24"], rateLimit: 10 }
    const key = keyOf(limits)

    test("come back as they were stored", async () => {
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
      expect(await store.findKey("h2")).toBeNull()
      expect(await store.findAccount("acc_2")).toBeNull()
    })

    test("any text and large numbers come back as they were stored", async () => {
      const name = `"'\\{}$1, ${"ä".repeat(1_000)}`
      const large = accountOf({ id: "constructor", name, used: 2 ** 53 - 10, bonus: 2 ** 40 })
      await store.createAccount(large)
      expect(await store.findAccount("constructor")).toStrictEqual(large)
      await store.charge([chargeOf({ accountId: "constructor", allowance: null, credits: 9 })])
      expect(await store.findAccount("constructor")).toMatchObject({ used: 2 ** 53 - 1, bonus: 2 ** 40 })
    })
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

  describe("usage", () => {
    const row = (day: string, calls: number) => ({ day, api: "hmac", calls, credits: calls })

    test("counts in the month that paid, and is read by month or by day", async () => {
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

    test("of a month that is started again counts in no month, but still by day", async () => {
      await store.createAccount(accountOf({ bonus: 5 }))
      for (const calls of [1, 2]) {
        await store.charge(Array.from({ length: calls }, () => chargeOf()))
        expect(await store.renewMonth("acc_1", { createdMs: 1_000, periodStartMs: 1_000 })).toBe(true)
        expect(await store.monthUsage("acc_1", 1_000)).toEqual([])
        expect(await store.findAccount("acc_1")).toMatchObject({ used: 0, bonus: 5 })
      }
      expect(await store.usage("acc_1")).toEqual([row("2025-01-01", 3)])
      expect(await store.renewMonth("acc_9", { createdMs: 1_000, periodStartMs: 1_000 })).toBe(false)
    })
  })

  describe("notices", () => {
    /** Charges credits of 100 in a month. */
    const use = (credits: number, periodStartMs = 1_000, accountId = "acc_1") =>
      store.charge([chargeOf({ accountId, credits, allowance: 100, periodStartMs })])
    const raised = async () =>
      (await opened.outbox.list()).map(({ threshold, periodStartMs }) => [periodStartMs, threshold])
    async function claimOne(nowMs: number, more = {}): Promise<DueNotice> {
      const notice = await opened.outbox.claim({ ...anyDue, nowMs, ...more })
      if (!notice) throw new Error("nothing to claim")
      return notice
    }
    /** Later than every notice of the test, by less than the longest wait. */
    const later = () => Date.now() + 60_000

    beforeEach(async () => {
      await store.createAccount(accountOf())
      await opened.outbox.setWebhook("acc_1", webhook)
    })

    test("the error of an attempt may have any character, since receivers choose some of its text", async () => {
      await use(80)
      const notice = await claimOne(later())
      const failed = { atMs: 1, durationMs: 2, status: null, error: "altnames: a\0b \ud800 \u202e" }
      await opened.outbox.record(notice, failed, { kind: "failed" })
      expect(await opened.outbox.attempts()).toMatchObject([
        { error: expect.stringMatching(/^altnames: a.b /s) },
      ])
    })

    test("keep the trace of the charge that raised them, also of charges that are decided together", async () => {
      const trace = (digit: string) => `00-${digit.repeat(32)}-${digit.repeat(16)}-01`
      const accounts = ["acc_1", "acc_2", "acc_3", "acc_4"]
      for (const id of accounts.slice(1)) {
        await store.createAccount(accountOf({ id }))
        await opened.outbox.setWebhook(id, { ...webhook, url: `https://${id.slice(4)}.example.com/` })
      }
      const traces = [trace("1"), undefined, trace("3"), undefined]
      const chargeAll = (credits: number, traceparents: readonly (string | undefined)[]) =>
        store.charge(
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
        const notice = await claimOne(at++)
        found.push([notice.accountId, notice.threshold, notice.traceparent])
        await opened.outbox.record(
          notice,
          { atMs: at, durationMs: 1, status: 204, error: null },
          { kind: "delivered" },
        )
      }
      expect(found.sort()).toEqual(
        accounts.flatMap((account, index) => [
          [account, 80, traces[index] ?? null],
          [account, 95, null],
        ]),
      )
    })

    test("are raised at the credit that reaches a threshold, once a month", async () => {
      await use(79)
      expect(await raised()).toEqual([])
      await use(1)
      expect(await raised()).toEqual([[1_000, 80]])
      await use(14)
      expect(await raised()).toEqual([[1_000, 80]])
      await use(6)
      expect(await raised()).toEqual([
        [1_000, 80],
        [1_000, 95],
      ])
      await use(1, 2_000)
      await use(99, 2_000)
      expect((await raised()).length).toBe(4)
      expect(await opened.outbox.list("acc_2")).toHaveLength(0)
    })

    test("are not raised without a limit, and both when one charge reaches both", async () => {
      await store.charge([chargeOf({ credits: 1_000, allowance: null })])
      expect(await raised()).toEqual([])
      await use(95, 2_000)
      expect(await raised()).toEqual([
        [2_000, 80],
        [2_000, 95],
      ])
    })

    test("are whole, and have the same id in every kind of store", async () => {
      await use(80)
      const [notice] = await opened.outbox.list()
      expect(notice).toMatchObject({
        id: "msg_acad0bc2d069c33e74089ec2cec261af",
        accountId: "acc_1",
        accountCreatedMs: 1_000,
        plan: "free",
        threshold: 80,
        used: 80,
        allowance: 100,
        periodStartMs: 1_000,
        state: "pending",
        attempts: 0,
        waitedMs: 0,
        lastStatus: null,
        lastError: null,
        deliveredMs: null,
      })
      expect(notice?.raisedMs).toBe(notice?.nextAttemptMs ?? Number.NaN)
      expect(await opened.gauges.pendingNotices()).toBe(1)
    })

    test("are leased to one process at a time", async () => {
      await use(100)
      const other = await openAgain()
      const nowMs = later()
      const claims = await Promise.all(
        [opened, other, opened, other].map(({ outbox }) => outbox.claim({ ...anyDue, nowMs })),
      )
      expect(
        claims
          .flatMap((claim) => claim ?? [])
          .map(({ threshold }) => threshold)
          .sort(),
      ).toEqual([80, 95])
      expect(await other.outbox.claim({ ...anyDue, nowMs: nowMs + 59_999 })).toBeNull()
      expect(await other.outbox.claim({ ...anyDue, nowMs: nowMs + 60_000 })).not.toBeNull()
    })

    test("are skipped while their host is busy, and as repetitions when asked to", async () => {
      await opened.outbox.setWebhook("acc_1", { ...webhook, url: "https://example.com:8443/a//b:9/?c=//d/" })
      await use(80)
      const nowMs = later()
      expect(await opened.outbox.claim({ ...anyDue, nowMs, busyHosts: ["example.com:8443"] })).toBeNull()
      const notice = await claimOne(nowMs, { busyHosts: ["example.com"] })
      expect(notice).toMatchObject({ host: "example.com:8443" })
      await opened.outbox.record(
        notice,
        { atMs: nowMs, durationMs: 0, status: 500, error: null },
        { kind: "retry", delayMs: 1 },
      )
      expect(await opened.outbox.nextAttemptMs(0)).toBe(nowMs + 1)
      expect(await opened.outbox.claim({ ...anyDue, nowMs: nowMs + 1, untriedOnly: true })).toBeNull()
      expect(await opened.outbox.claim({ ...anyDue, nowMs: nowMs + 1 })).not.toBeNull()
    })

    test("a retry waits, and the log has every attempt", async () => {
      await use(80)
      const nowMs = later()
      const notice = await claimOne(nowMs)
      const late = { atMs: nowMs, durationMs: 40, status: null, error: "timeout" }
      await opened.outbox.record(notice, late, { kind: "retry", delayMs: 100 })
      expect(await opened.outbox.list()).toMatchObject([
        { state: "pending", attempts: 1, waitedMs: 100, nextAttemptMs: nowMs + 140, lastError: "timeout" },
      ])
      const success = { atMs: nowMs + 140, durationMs: 7, status: 204, error: null }
      await opened.outbox.record(await claimOne(nowMs + 140), success, { kind: "delivered" })
      expect(await opened.outbox.list()).toMatchObject([
        {
          state: "delivered",
          attempts: 2,
          nextAttemptMs: null,
          deliveredMs: nowMs + 147,
          lastStatus: 204,
          lastError: null,
        },
      ])
      expect(await opened.outbox.attempts("acc_1")).toStrictEqual([
        { noticeId: notice.id, attempt: 1, ...late },
        { noticeId: notice.id, attempt: 2, ...success },
      ])
      // A slower worker whose lease has ended changes nothing.
      await opened.outbox.record(notice, late, { kind: "failed" })
      expect(await opened.outbox.list()).toMatchObject([{ state: "delivered" }])
    })

    test("410 Gone disables the webhook and fails all that waits for it, until it is set again", async () => {
      await use(100)
      const nowMs = later()
      const gone = { atMs: nowMs, durationMs: 40, status: 410, error: null }
      await opened.outbox.record(await claimOne(nowMs), gone, { kind: "gone" })
      expect(await opened.outbox.list()).toMatchObject([
        { threshold: 80, state: "failed", lastStatus: 410, lastError: null },
        { threshold: 95, state: "failed", lastStatus: null, lastError: "the receiver is gone" },
      ])
      expect(await opened.outbox.findWebhook("acc_1")).toEqual({ ...webhook, goneMs: nowMs + 40 })
      await use(80, 2_000)
      const ofNextMonth = (await opened.outbox.list()).filter(({ periodStartMs }) => periodStartMs === 2_000)
      expect(ofNextMonth).toMatchObject([{ state: "unsent" }])
      await opened.outbox.setWebhook("acc_1", { ...webhook, secret: "whsec_BBBB" })
      expect(await opened.outbox.findWebhook("acc_1")).toMatchObject({ goneMs: null })
    })

    test("410 Gone of a replaced webhook does not disable the new one", async () => {
      await use(80)
      const nowMs = later()
      const notice = await claimOne(nowMs)
      await opened.outbox.setWebhook("acc_1", { ...webhook, secret: "whsec_BBBB" })
      await opened.outbox.record(
        notice,
        { atMs: nowMs, durationMs: 40, status: 410, error: null },
        { kind: "gone" },
      )
      expect(await opened.outbox.findWebhook("acc_1")).toMatchObject({ goneMs: null })
      expect(await claimOne(nowMs + 40)).toMatchObject({ id: notice.id, webhook: { secret: "whsec_BBBB" } })
    })

    test("removing a webhook makes its pending notices unsent", async () => {
      await use(80)
      expect(await opened.outbox.findWebhook("acc_1")).toStrictEqual({ ...webhook, goneMs: null })
      expect(await opened.outbox.setWebhook("acc_1", null)).toBe(true)
      expect(await opened.outbox.setWebhook("acc_9", webhook)).toBe(false)
      expect(await opened.outbox.findWebhook("acc_1")).toBeNull()
      expect(await opened.outbox.list()).toMatchObject([{ state: "unsent", nextAttemptMs: null }])
      expect(await opened.outbox.claim({ ...anyDue, nowMs: later() })).toBeNull()
    })
  })

  test("answers a probe", async () => {
    await store.ping()
    expect((await opened.gauges.bytes()).main).toBeGreaterThan(0)
  })
})
