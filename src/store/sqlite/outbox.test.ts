import type { Database } from "bun:sqlite"
import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { join } from "node:path"
import { tempDir } from "../../../test/support/temp.ts"
import { noWaitTimer } from "../../../test/support/timer.ts"
import type { DueNotice, Outbox } from "../outbox.ts"
import { openDatabase } from "./open.ts"
import { prepareOutbox } from "./outbox.ts"
import { type MonthUse, prepareRaise } from "./raise.ts"
import { createSqliteStore } from "./sqlite-store.ts"

const dir = tempDir()
let count = 0
let database: Database
let outbox: Outbox
let raise: ReturnType<typeof prepareRaise>
let nowMs = 0

const webhook = { url: "https://example.com/hook", secret: "whsec_AAAA", allowPrivate: false }
const spent: MonthUse = { accountId: "acc_1", used: 0, notified: 0, periodStartMs: 1_000 }
const anyDue = { leaseMs: 60_000, maxWaitMs: 3_600_000, busyHosts: [], untriedOnly: false }

beforeEach(async () => {
  database = openDatabase(join(dir, `outbox-${count++}.db`))
  outbox = prepareOutbox(database, noWaitTimer)
  nowMs = 5_000
  raise = prepareRaise(database, { thresholds: [80, 95], now: () => nowMs })
  for (const id of ["acc_1", "acc_2"]) await createAccount(id)
  await outbox.setWebhook("acc_1", webhook)
})
afterEach(() => database.close())

async function createAccount(id: string) {
  const account = { id, name: id, plan: "free", createdMs: 1_000, closedMs: null, periodStartMs: 1_000 }
  await createSqliteStore(database, { timer: noWaitTimer }).createAccount({ ...account, used: 0, bonus: 0 })
}

type Month = Partial<MonthUse & { allowance: number | null }>

/** What is raised as a month is used up to `used`. */
function raiseAt(used: number, { allowance = 1_000, ...more }: Month = {}) {
  return raise({ ...spent, used, ...more }, allowance)
}
function noticesAt(used: number, month?: Month) {
  return raiseAt(used, month)?.notices ?? []
}
function thresholds(used: number, month?: Month) {
  return noticesAt(used, month).map(({ threshold }) => threshold)
}
/** Everything that is due at an instant, claimed one by one. */
async function claimAll(nowMs: number, box = outbox) {
  const claimed: DueNotice[] = []
  for (;;) {
    const notice = await box.claim({ ...anyDue, nowMs })
    if (!notice) return claimed
    claimed.push(notice)
  }
}

describe("raising", () => {
  test("at the credit that reaches the threshold, not before", async () => {
    expect(raiseAt(799)).toBeNull()
    expect(await outbox.list()).toEqual([])
    expect(raiseAt(800)).toMatchObject({ notified: 80, notices: [{ threshold: 80 }] })
    expect(raiseAt(949, { notified: 80 })).toBeNull()
    expect(thresholds(950, { notified: 80 })).toEqual([95])
    expect(thresholds(1_000, { notified: 95 })).toEqual([])
  })

  test("gives the whole notice, pending for the account's webhook", () => {
    expect(noticesAt(801)).toStrictEqual([
      {
        id: expect.stringMatching(/^msg_[0-9a-f]{32}$/),
        accountId: "acc_1",
        accountCreatedMs: 1_000,
        plan: "free",
        threshold: 80,
        used: 801,
        allowance: 1_000,
        periodStartMs: 1_000,
        raisedMs: 5_000,
        state: "pending",
        attempts: 0,
        waitedMs: 0,
        nextAttemptMs: 5_000,
        lastStatus: null,
        lastError: null,
        deliveredMs: null,
      },
    ])
  })

  test("both at once where one charge reaches both", () => {
    expect(raiseAt(1_000)).toMatchObject({
      notified: 95,
      notices: [{ threshold: 80 }, { threshold: 95 }],
    })
  })

  test("where an allowance does not divide evenly, no sooner than the share", () => {
    expect(thresholds(5, { allowance: 7 })).toEqual([])
    expect(thresholds(6, { allowance: 7 })).toEqual([80])
    expect(thresholds(7, { allowance: 7, notified: 80 })).toEqual([95])
    expect(thresholds(1, { allowance: 1, accountId: "acc_2" })).toEqual([80, 95])
  })

  test("not for what the account is marked with: nothing is even looked up", async () => {
    expect(thresholds(1_000, { notified: 95 })).toEqual([])
    expect(thresholds(1_000, { notified: 80 })).toEqual([95])
    expect(await outbox.list()).toHaveLength(1)
  })

  test("never for unlimited, nor for no allowance at all", () => {
    expect(thresholds(1e9, { allowance: null })).toEqual([])
    expect(thresholds(0, { allowance: 0 })).toEqual([])
  })

  test("once a month, even where the mark on the account is lost, and again the month after", async () => {
    expect(thresholds(1_000)).toEqual([80, 95])
    expect(raiseAt(1_000)).toEqual({ notified: 95, notices: [] })
    expect(thresholds(1_000, { periodStartMs: 2_000 })).toEqual([80, 95])
    const ids = (await outbox.list()).map(({ id }) => id)
    expect(new Set(ids).size).toBe(4)
  })

  test("a transaction that is rolled back raises nothing, and the next one raises it", async () => {
    const failing = database.transaction(() => {
      expect(thresholds(800)).toEqual([80])
      throw new Error("the charge failed")
    })
    expect(failing).toThrow("the charge failed")
    expect(await outbox.list()).toEqual([])
    expect(thresholds(801)).toEqual([80])
  })

  test("without a webhook it is unsent, and stays so when one is set", async () => {
    expect(noticesAt(900, { accountId: "acc_2" })).toMatchObject([{ state: "unsent", nextAttemptMs: null }])
    await outbox.setWebhook("acc_2", webhook)
    expect(await claimAll(9_000)).toEqual([])
    expect(await outbox.list("acc_2")).toMatchObject([{ state: "unsent" }])
    expect(await outbox.list("acc_1")).toEqual([])
  })
})

describe("claiming", () => {
  test("leases: what one was given nobody is given until the lease has run out", async () => {
    thresholds(1_000)
    const other = prepareOutbox(database, noWaitTimer)
    const claimed = await claimAll(5_000)
    expect(claimed.map(({ threshold, webhook: { url } }) => [threshold, url])).toEqual([
      [80, webhook.url],
      [95, webhook.url],
    ])
    expect(await claimAll(64_999, other)).toEqual([])
    expect(await claimAll(65_000, other)).toHaveLength(2)
  })

  test("one at a time, what is due longest first, nothing before it is due", async () => {
    thresholds(800)
    nowMs = 6_000
    thresholds(950, { notified: 80 })
    expect(await outbox.nextAttemptMs(4_999)).toBe(5_000)
    expect(await claimAll(4_999)).toEqual([])
    expect(await outbox.claim({ nowMs: 7_000, ...anyDue })).toMatchObject({
      threshold: 80,
      nextAttemptMs: 67_000,
    })
    expect(await outbox.nextAttemptMs(5_000)).toBe(6_000)
    expect(await outbox.nextAttemptMs(6_000)).toBe(67_000)
    expect(await outbox.claim({ nowMs: 7_000, ...anyDue })).toMatchObject({ threshold: 95 })
    expect(await outbox.claim({ nowMs: 7_000, ...anyDue })).toBeNull()
  })

  test("a repetition waits its turn behind what became due before it", async () => {
    await outbox.setWebhook("acc_2", webhook)
    thresholds(800)
    const [first] = await claimAll(5_000)
    if (!first) throw new Error("nothing to claim")
    const failed = { atMs: 5_000, durationMs: 0, status: 500, error: null }
    await outbox.record(first, failed, { kind: "retry", delayMs: 2_000 })
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
  ])("%s: the host is %s, and is left out while it is busy", async (url, host) => {
    expect(new URL(url).host).toBe(host)
    expect(new URL(url).href).toBe(url)
    await outbox.setWebhook("acc_1", { ...webhook, url })
    thresholds(800)
    expect(await outbox.claim({ nowMs: 5_000, ...anyDue, busyHosts: ["other.example", host] })).toBeNull()
    expect(
      await outbox.claim({ nowMs: 5_000, ...anyDue, busyHosts: ["other.example", "hook", ""] }),
    ).toMatchObject({ host, webhook: { url } })
  })

  test("with only what is untried, repetitions are left out", async () => {
    thresholds(1_000)
    const first = await outbox.claim({ nowMs: 5_000, ...anyDue })
    if (!first) throw new Error("nothing to claim")
    const failed = { atMs: 5_000, durationMs: 0, status: 500, error: null }
    await outbox.record(first, failed, { kind: "retry", delayMs: 1 })
    const untried = { nowMs: 6_000, ...anyDue, untriedOnly: true }
    expect(await outbox.claim(untried)).toMatchObject({ threshold: 95 })
    expect(await outbox.claim(untried)).toBeNull()
    expect(await outbox.claim({ ...untried, untriedOnly: false })).toMatchObject({ threshold: 80 })
  })

  test("what is due beyond the horizon was written under a wrong clock: it is due", async () => {
    nowMs = 50_000_000
    thresholds(800)
    expect(await claimAll(50_000_000 - 3_600_000)).toEqual([])
    expect(await claimAll(50_000_000 - 3_600_001)).toHaveLength(1)
  })
})

describe("recording", () => {
  const attempt = { atMs: 5_000, durationMs: 40, status: null, error: "timeout" }
  const claimOne = async (nowMs = 5_000) => {
    const notice = await outbox.claim({ nowMs, ...anyDue })
    if (!notice) throw new Error("nothing to claim")
    return notice
  }

  test("a retry waits, and the log keeps every attempt", async () => {
    thresholds(800)
    const notice = await claimOne()
    await outbox.record(notice, attempt, { kind: "retry", delayMs: 100 })
    expect(await outbox.list()).toMatchObject([
      { state: "pending", attempts: 1, waitedMs: 100, nextAttemptMs: 5_140, lastError: "timeout" },
    ])
    const again = await claimOne(5_140)
    await outbox.record(
      again,
      { atMs: 5_140, durationMs: 7, status: 204, error: null },
      { kind: "delivered" },
    )
    expect(await outbox.list()).toMatchObject([
      {
        state: "delivered",
        attempts: 2,
        nextAttemptMs: null,
        lastStatus: 204,
        lastError: null,
        deliveredMs: 5_147,
      },
    ])
    expect(await outbox.attempts("acc_1")).toStrictEqual([
      { noticeId: notice.id, attempt: 1, atMs: 5_000, durationMs: 40, status: null, error: "timeout" },
      { noticeId: notice.id, attempt: 2, atMs: 5_140, durationMs: 7, status: 204, error: null },
    ])
    expect(await outbox.attempts("acc_2")).toEqual([])
    expect(await outbox.nextAttemptMs(0)).toBeNull()
  })

  test("what was delivered stays so when a slower worker reports a failure", async () => {
    thresholds(800)
    const slow = await claimOne()
    const quick = await claimOne(65_000)
    await outbox.record(quick, { ...attempt, status: 200, error: null }, { kind: "delivered" })
    for (const kind of ["failed", "gone"] as const) await outbox.record(slow, attempt, { kind })
    await outbox.record(slow, attempt, { kind: "retry", delayMs: 9 })
    expect(await outbox.list()).toMatchObject([
      { state: "delivered", lastStatus: 200, waitedMs: 0, attempts: 4 },
    ])
    expect(await outbox.attempts()).toHaveLength(4)
  })

  test("what was given up is delivered after all when a slower worker says so", async () => {
    thresholds(800)
    const slow = await claimOne()
    await outbox.record(await claimOne(65_000), attempt, { kind: "failed" })
    await outbox.record(slow, { ...attempt, status: 200, error: null }, { kind: "delivered" })
    expect(await outbox.list()).toMatchObject([{ state: "delivered" }])
  })

  test("gone ends the webhook and all that waited for it, until it is set anew", async () => {
    thresholds(1_000)
    const first = await outbox.claim({ nowMs: 5_000, ...anyDue })
    if (!first) throw new Error("nothing to claim")
    await outbox.record(first, { ...attempt, status: 410, error: null }, { kind: "gone" })
    expect(await outbox.list()).toMatchObject([
      { threshold: 80, state: "failed", lastStatus: 410, lastError: null },
      { threshold: 95, state: "failed", lastStatus: null, lastError: "the receiver is gone" },
    ])
    expect(await outbox.findWebhook("acc_1")).toEqual({ ...webhook, goneMs: 5_040 })
    expect(noticesAt(900, { periodStartMs: 2_000 })).toMatchObject([{ state: "unsent" }])

    await outbox.setWebhook("acc_1", { ...webhook, secret: "whsec_BBBB" })
    expect(await outbox.findWebhook("acc_1")).toMatchObject({ goneMs: null })
    expect(noticesAt(900, { periodStartMs: 3_000 })).toMatchObject([{ state: "pending" }])
  })

  test("gone said by an earlier webhook leaves the new one alone", async () => {
    thresholds(800)
    const notice = await claimOne()
    await outbox.setWebhook("acc_1", { ...webhook, secret: "whsec_BBBB" })
    await outbox.record(notice, { ...attempt, status: 410, error: null }, { kind: "gone" })
    expect(await outbox.findWebhook("acc_1")).toMatchObject({ goneMs: null })
    expect(await claimOne(5_040)).toMatchObject({ id: notice.id, webhook: { secret: "whsec_BBBB" } })
  })
})

describe("webhooks", () => {
  test("come back as they were set; of what was waiting nothing is sent once they are taken away", async () => {
    expect(await outbox.findWebhook("acc_1")).toStrictEqual({ ...webhook, goneMs: null })
    expect(await outbox.findWebhook("acc_2")).toBeNull()
    expect(await outbox.setWebhook("acc_9", webhook)).toBe(false)
    thresholds(800)
    expect(await outbox.setWebhook("acc_1", null)).toBe(true)
    expect(await outbox.findWebhook("acc_1")).toBeNull()
    expect(await outbox.list()).toMatchObject([{ state: "unsent", nextAttemptMs: null }])
    expect(await claimAll(9_000)).toEqual([])
  })

  test("an account record does not carry the secret", async () => {
    const account = await createSqliteStore(database, { timer: noWaitTimer }).findAccount("acc_1")
    expect(JSON.stringify(account)).not.toContain("whsec_")
  })
})
