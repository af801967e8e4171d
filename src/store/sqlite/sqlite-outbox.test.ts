import type { Database } from "bun:sqlite"
import { beforeEach, describe, expect, test } from "bun:test"
import { withChanges } from "../../../test/support/changes.ts"
import { accountOf, openTestStore, useDatabases } from "../../../test/support/store.ts"
import { noWaitTimer } from "../../../test/support/timer.ts"
import type { AttemptRecord, DueNotice, Outbox, Webhook } from "../outbox.ts"
import { type ChargedEntry, prepareRaise } from "./charge.ts"
import { createSqliteStores } from "./open-sqlite.ts"
import { prepareOutbox } from "./sqlite-outbox.ts"

const open = useDatabases()
let database: Database
let outbox: Outbox
let attempts: (accountId?: string) => Promise<readonly AttemptRecord[]>
let setWebhook: (accountId: string, webhook: Webhook | null) => Promise<boolean>
let raise: ReturnType<typeof prepareRaise>
let nowMs = 0

const webhook = { url: "https://example.com/hook", secret: "whsec_AAAA", allowPrivate: false }
const anyDue = { leaseMs: 60_000, maxWaitMs: 3_600_000, busyHosts: [], untriedOnly: false }
const failed = { atMs: 5_000, durationMs: 0, status: 500, error: null }

beforeEach(async () => {
  database = open()
  outbox = prepareOutbox(database, noWaitTimer)
  nowMs = 5_000
  raise = prepareRaise(database, { thresholds: [80, 95], now: () => nowMs })
  const { store, outbox: changing } = withChanges({
    ...createSqliteStores(database, { timer: noWaitTimer }),
    outbox,
  })
  setWebhook = changing.setWebhook
  attempts = changing.attempts
  for (const id of ["acc_1", "acc_2"]) await store.createAccount(accountOf({ id }))
  await setWebhook("acc_1", webhook)
})

type Use = Partial<ChargedEntry & { allowance: number | null }>

/** The ledger entry of a month, and the notices that its use raises. */
function use(used: number, { allowance = 1_000, ...change }: Use = {}) {
  const entry = { accountId: "acc_1", used, bonus: 1, notified: 0, periodStartMs: 1_000, ...change }
  return { entry, notices: raise(entry, { allowance }) }
}
function thresholds(used: number, change?: Use) {
  return use(used, change).notices.map(({ threshold }) => threshold)
}
async function claimOne(nowMs = 5_000, more = {}, box = outbox): Promise<DueNotice> {
  const notice = await box.claim({ ...anyDue, nowMs, ...more })
  if (!notice) throw new Error("nothing to claim")
  return notice
}
/** Claims everything that is due. */
async function claimAll(nowMs: number, box = outbox) {
  const claimed: DueNotice[] = []
  for (;;) {
    const notice = await box.claim({ ...anyDue, nowMs })
    if (!notice) return claimed
    claimed.push(notice)
  }
}

describe("raising", () => {
  test("of an allowance that does not divide evenly, not before the exact share", () => {
    expect(thresholds(5, { allowance: 7 })).toEqual([])
    expect(thresholds(6, { allowance: 7 })).toEqual([80])
    expect(thresholds(7, { allowance: 7, notified: 80 })).toEqual([95])
    expect(thresholds(1, { allowance: 1, accountId: "acc_2" })).toEqual([80, 95])
  })

  test("not again for the thresholds that the ledger is marked with", async () => {
    expect(thresholds(1_000, { notified: 95 })).toEqual([])
    expect(thresholds(1_000, { notified: 80 })).toEqual([95])
    expect(await outbox.list()).toHaveLength(1)
  })

  test("once a month, even if the mark in the ledger is lost, and again the next month", async () => {
    expect(thresholds(1_000)).toEqual([80, 95])
    expect(use(1_000)).toMatchObject({ entry: { notified: 95 }, notices: [] })
    expect(thresholds(1_000, { periodStartMs: 2_000 })).toEqual([80, 95])
    const ids = (await outbox.list()).map(({ id }) => id)
    expect(new Set(ids).size).toBe(4)
  })

  test("without a webhook as unsent, which setting a webhook does not change", async () => {
    expect(use(900, { accountId: "acc_2" }).notices).toMatchObject([{ state: "unsent", nextAttemptMs: null }])
    await setWebhook("acc_2", webhook)
    expect(await claimAll(9_000)).toEqual([])
    expect(await outbox.list("acc_2")).toMatchObject([{ state: "unsent" }])
    expect(await outbox.list("acc_1")).toEqual([])
  })
})

describe("claiming", () => {
  test("gives one notice at a time, first the one that has been due longest, none before it is due", async () => {
    thresholds(800)
    nowMs = 6_000
    thresholds(950, { notified: 80 })
    expect(await outbox.nextAttemptMs(4_999)).toBe(5_000)
    expect(await claimAll(4_999)).toEqual([])
    expect(await claimOne(7_000)).toMatchObject({ threshold: 80, nextAttemptMs: 67_000 })
    expect(await outbox.nextAttemptMs(5_000)).toBe(6_000)
    expect(await outbox.nextAttemptMs(6_000)).toBe(67_000)
    expect(await claimOne(7_000)).toMatchObject({ threshold: 95 })
    expect(await outbox.claim({ nowMs: 7_000, ...anyDue })).toBeNull()
  })

  test("a repetition waits behind the notices that were due before it", async () => {
    await setWebhook("acc_2", webhook)
    thresholds(800)
    await outbox.record(await claimOne(), failed, { kind: "retry", delayMs: 2_000 })
    nowMs = 6_000
    thresholds(800, { accountId: "acc_2" })
    expect((await claimAll(8_000)).map(({ accountId }) => accountId)).toEqual(["acc_2", "acc_1"])
  })

  test.each([
    ["https://example.com/hook", "example.com"],
    ["https://example.com/", "example.com"],
    ["https://example.com:8443/a//b:9/?c=//d/", "example.com:8443"],
    ["http://[::1]:99/hook", "[::1]:99"],
    ["https://xn--bcher-kva.example/hook", "xn--bcher-kva.example"],
  ])("%s: the host is %s, and is skipped while it is busy", async (url, host) => {
    expect(new URL(url).host).toBe(host)
    expect(new URL(url).href).toBe(url)
    await setWebhook("acc_1", { ...webhook, url })
    thresholds(800)
    expect(await outbox.claim({ nowMs: 5_000, ...anyDue, busyHosts: ["other.example", host] })).toBeNull()
    expect(await claimOne(5_000, { busyHosts: ["other.example", "hook", ""] })).toMatchObject({
      host,
      webhook: { url },
    })
  })

  test("a notice due later than any wait was written under a wrong clock, and is due now", async () => {
    nowMs = 50_000_000
    thresholds(800)
    expect(await claimAll(50_000_000 - 3_600_000)).toEqual([])
    expect(await claimAll(50_000_000 - 3_600_001)).toHaveLength(1)
  })
})

describe("recording", () => {
  const attempt = { atMs: 5_000, durationMs: 40, status: null, error: "timeout" }
  test("a delivered notice stays delivered when a slower worker reports a failure", async () => {
    thresholds(800)
    const slow = await claimOne()
    const quick = await claimOne(65_000)
    await outbox.record(quick, { ...attempt, status: 200, error: null }, { kind: "delivered" })
    for (const kind of ["failed", "gone"] as const) await outbox.record(slow, attempt, { kind })
    await outbox.record(slow, attempt, { kind: "retry", delayMs: 9 })
    expect(await outbox.list()).toMatchObject([
      { state: "delivered", lastStatus: 200, waitedMs: 0, attempts: 4 },
    ])
    expect(await attempts()).toHaveLength(4)
  })

  test("a failed notice is delivered after all when a slower worker says so", async () => {
    thresholds(800)
    const slow = await claimOne()
    await outbox.record(await claimOne(65_000), attempt, { kind: "failed" })
    await outbox.record(slow, { ...attempt, status: 200, error: null }, { kind: "delivered" })
    expect(await outbox.list()).toMatchObject([{ state: "delivered" }])
  })
})

describe("webhooks", () => {
  test("an account's record does not have the secret", async () => {
    const account = await openTestStore(database, { timer: noWaitTimer }).findAccount("acc_1")
    expect(JSON.stringify(account)).not.toContain("whsec_")
  })
})
