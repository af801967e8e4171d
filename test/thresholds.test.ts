/** Notices at the thresholds of a month, from calls over HTTP to the webhook and the command line. */
import { afterEach, describe, expect, setSystemTime, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { Webhook } from "standardwebhooks"
import { noticeThresholds } from "../src/accounts/credits.ts"
import type { NoticeRecord } from "../src/store/outbox.ts"
import { openDatabase } from "../src/store/sqlite/open.ts"
import { prepareOutbox } from "../src/store/sqlite/sqlite-outbox.ts"
import { runCliForTest } from "./support/cli.ts"
import { startReceiver } from "./support/receiver.ts"
import { startTestService, type TestService } from "./support/service.ts"
import { accountOf, chargeOf, openTestStore } from "./support/store.ts"
import { tempDir } from "./support/temp.ts"
import { noWaitTimer } from "./support/timer.ts"
import { until } from "./support/until.ts"

const dir = tempDir()
const services: TestService[] = []
afterEach(async () => {
  for (const service of services.splice(0)) await service.stop()
  setSystemTime()
})

const file = { plans: { small: { monthly_credits: 100, sign_up_bonus: 20 } } }

async function start(db?: string, clock?: TestService["clock"]): Promise<TestService> {
  const flags = db === undefined ? {} : { db }
  const service = await startTestService({ file, flags, ...(clock && { clock }) })
  services.push(service)
  return service
}

const call = (service: TestService, key: string) =>
  service.fetch("/v1/bluetoothlookup?companyid=76", { key }).then(async (response) => {
    await response.arrayBuffer()
    return response.status
  })

describe("calls", () => {
  test("many at once, in two services on one file, raise one notice per threshold and month", async () => {
    const one = await start()
    const two = await start(one.db, one.clock)
    const receiver = startReceiver()
    const { account, key } = await one.createKey("small")
    const { secret } = await one.notices.setWebhook(account, receiver.url, { allowPrivate: false })
    const both = [one, two]

    const month = async () => {
      const calls = Array.from({ length: 140 }, (_, i) => call(both[i % 2] as TestService, key))
      return (await Promise.all(calls)).filter((status) => status === 200).length
    }
    // Attempts must be recorded before the clock jumps past their lease, or they are made again.
    const delivered = (count: number) =>
      until(async () => {
        const states = (await one.notices.list(account)).map(({ state }) => state)
        return states.length === count && states.every((state) => state === "delivered")
      })
    expect(await month()).toBe(120)
    await delivered(2)
    one.clock.set("2025-02-01T00:00:00Z")
    expect(await month()).toBe(100)
    await delivered(4)
    // The clock was set back: the stored month stays in force.
    one.clock.set("2025-01-20T00:00:00Z")
    expect(await month()).toBe(0)

    const notices = await one.notices.list(account)
    expect(notices.map((one) => [new Date(one.periodStartMs).getUTCMonth(), one.threshold])).toEqual([
      [0, 80],
      [0, 95],
      [1, 80],
      [1, 95],
    ])
    for (const { threshold, used } of notices) {
      expect(used).toBeGreaterThanOrEqual(threshold ?? Number.NaN)
      expect(used).toBeLessThanOrEqual(100)
    }
    setSystemTime(Date.parse("2025-01-01T00:00:00Z"))
    const [request] = receiver.received
    expect(new Webhook(secret).verify(String(request?.body), { ...request?.headers })).toMatchObject({
      type: "credits.threshold_reached",
      data: { account, plan: "small", allowance: 100 },
    })
    expect(receiver.received).toHaveLength(4)
  }, 300_000)

  test("a change of plan within the month neither repeats nor loses a notice", async () => {
    const service = await start()
    const { account, key } = await service.createKey("free")
    const use = async (count: number) => {
      for (let i = 0; i < count; i++) expect(await call(service, key)).toBe(200)
      return (await service.notices.list(account)).map(({ plan, threshold }) => `${plan} ${threshold}`)
    }
    expect(await use(30)).toEqual([])
    await service.accounts.setPlan(account, "small")
    expect(await use(49)).toEqual([])
    expect(await use(1)).toEqual(["small 80"])
    await service.accounts.setPlan(account, "pro")
    expect(await use(5)).toEqual(["small 80"])
    // 85 of 100 again: 80 % has its notice, 95 % has none yet.
    await service.accounts.setPlan(account, "small")
    expect(await use(9)).toEqual(["small 80"])
    expect(await use(2)).toEqual(["small 80", "small 95"])
    await service.accounts.setPlan(account, "enterprise")
    expect(await use(20)).toEqual(["small 80", "small 95"])
  }, 300_000)

  test("a plan that becomes smaller than the use raises its notices with the next charge", async () => {
    const service = await start()
    const { account, key } = await service.createKey("starter")
    for (let i = 0; i < 97; i++) await call(service, key)
    await service.accounts.setPlan(account, "small")
    expect(await service.notices.list(account)).toEqual([])
    await call(service, key)
    expect(await service.notices.list(account)).toMatchObject([
      { threshold: 80, used: 98 },
      { threshold: 95, used: 98 },
    ])
  })
})

describe("charges", () => {
  test("raise each notice once per month and threshold, as soon as it is reached, in any order of months and plans", async () => {
    const step = fc.record({
      credits: fc.integer({ min: 1, max: 60 }),
      month: fc.integer({ min: 1, max: 3 }),
      allowance: fc.constantFrom(50, 100, 333, null),
    })
    const batches = fc.array(fc.array(step, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(batches, async (drawn) => {
        const database = openDatabase(":memory:")
        const raised: NoticeRecord[] = []
        const rules = {
          thresholds: noticeThresholds,
          now: () => 7,
          onRaised: (all: readonly NoticeRecord[]) => void raised.push(...all),
        }
        const store = openTestStore(database, { timer: noWaitTimer, notices: rules })
        await store.createAccount(accountOf({ periodStartMs: 0, bonus: 30 }))
        const expected = new Set<string>()
        for (const batch of drawn) {
          const charges = batch.map(({ month, ...one }) => chargeOf({ ...one, periodStartMs: month }))
          const outcomes = await store.charge(charges)
          outcomes.forEach((outcome, index) => {
            const allowance = charges[index]?.allowance
            if (!outcome.charged || !allowance) return
            for (const threshold of noticeThresholds) {
              if (outcome.used >= (allowance * threshold) / 100)
                expected.add(`${outcome.periodStartMs} ${threshold}`)
            }
          })
          const seen = raised.map(({ periodStartMs, threshold }) => `${periodStartMs} ${threshold}`)
          expect(new Set(seen)).toEqual(expected)
          expect(seen).toHaveLength(expected.size)
        }
        expect(await prepareOutbox(database, noWaitTimer).list()).toHaveLength(raised.length)
        await store.close()
      }),
      { numRuns: 200 },
    )
  }, 300_000)
})

describe("the command line", () => {
  const db = join(dir, "cli.db")
  const json = async (...argv: string[]) => {
    const { code, out, err } = await runCliForTest([...argv, "--json", "--db", db])
    expect({ code, err }).toEqual({ code: 0, err: "" })
    return JSON.parse(out)
  }
  const failure = async (...argv: string[]) => {
    const { code, out, err } = await runCliForTest([...argv, "--db", db])
    expect(out).toBe("")
    return { code, err }
  }

  test("set-webhook shows the secret once; notices and its log show the delivery", async () => {
    const service = await start(db)
    const { account, key } = await service.createKey("small")
    const receiver = startReceiver()
    const webhook = await json("account", "set-webhook", account, receiver.url)
    expect(webhook).toMatchObject({ account, url: receiver.url })
    expect(webhook.secret).toStartWith("whsec_")
    expect(await json("notices")).toEqual([])
    for (let i = 0; i < 80; i++) await call(service, key)
    await receiver.count(1)
    await service.stop()

    const [notice] = await json("notices", "--account", account)
    expect(notice).toEqual({
      id: expect.stringMatching(/^msg_/),
      account,
      type: "credits.threshold_reached",
      data: null,
      plan: "small",
      threshold: 80,
      used: 80,
      allowance: 100,
      period_start: "2025-01-01T00:00:00.000Z",
      period_end: "2025-02-01T00:00:00.000Z",
      raised: "2025-01-01T00:00:00.000Z",
      state: "delivered",
      attempts: 1,
      next_attempt: null,
      last_status: 204,
      mail_state: null,
      last_error: null,
      delivered: "2025-01-01T00:00:00.000Z",
    })
    expect(await json("notices", "--log")).toEqual([
      { notice: notice.id, attempt: 1, at: notice.raised, duration_ms: 0, status: 204, error: null },
    ])
    const table = await runCliForTest(["notices", "--db", db])
    expect(table.out.split("\n")[0]).toMatch(/^id +account +type +threshold/)
    const config = join(dir, "plans.toml")
    writeFileSync(config, "[plans.small]\nmonthly_credits = 100\n")
    for (const command of ["notices", "notices --log", `account show ${account}`, "account list"]) {
      const { code, out } = await runCliForTest([...command.split(" "), "--db", db, "--config", config])
      expect(code).toBe(0)
      expect(out).not.toContain(webhook.secret.slice(6, 16))
    }
    expect(await json("account", "set-webhook", account, "--off")).toMatchObject({ account, url: null })
  })

  test("wrong use is named", async () => {
    const { id } = await json("account", "create", "--name", "Ann")
    for (const argv of [
      ["account", "set-webhook", id],
      ["account", "set-webhook", id, "https://example.com/", "--off"],
    ]) {
      const err = expect.stringContaining("give either URL or --off")
      expect(await failure(...argv)).toEqual({ code: 2, err })
    }
    const cases: [string[], number, string][] = [
      [["account", "set-webhook", "acc_9", "https://example.com/"], 1, "There is no account 'acc_9'."],
      [["account", "set-webhook", id, "http://example.com/"], 2, "must start with https://"],
      [["account", "set-webhook", id, "https://10.0.0.1/"], 2, "--allow-private permits it"],
      [["notices", "--account", "acc_9"], 1, "There is no account 'acc_9'."],
    ]
    for (const [argv, code, message] of cases) {
      expect(await failure(...argv)).toEqual({ code, err: expect.stringContaining(message) })
    }
    expect(await json("account", "set-webhook", id, "https://10.0.0.1/", "--allow-private")).toMatchObject({
      url: "https://10.0.0.1/",
    })
    const missing = await runCliForTest(["notices", "--db", join(dir, "missing.db")])
    expect(missing).toMatchObject({ code: 1, err: expect.stringContaining("There is no data file") })
  })
})
