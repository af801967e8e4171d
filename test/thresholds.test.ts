/** Notices at the thresholds of a month, from calls over HTTP to the webhook and the command line. */
import { afterEach, expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { runCliForTest } from "./support/cli.ts"
import { startReceiver } from "./support/receiver.ts"
import { startTestService, type TestService } from "./support/service.ts"
import { tempDir } from "./support/temp.ts"

const dir = tempDir()
const services: TestService[] = []
afterEach(async () => {
  for (const service of services.splice(0)) await service.stop()
})

const file = { plans: { small: { monthly_credits: 100, sign_up_bonus: 20 } } }

async function start(db?: string): Promise<TestService> {
  const service = await startTestService({ file, flags: db === undefined ? {} : { db } })
  services.push(service)
  return service
}

const call = (service: TestService, key: string) =>
  service.fetch("/v1/bluetoothlookup?companyid=76", { key }).then(async (response) => {
    await response.arrayBuffer()
    return response.status
  })

test("calls: a change of plan within the month neither repeats nor loses a notice", async () => {
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

test("calls: a plan that becomes smaller than the use raises its notices with the next charge", async () => {
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

test("the command line: set-webhook shows the secret once; notices and its log show the delivery", async () => {
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

test("the command line: wrong use is named", async () => {
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
  for (const [argv, code, message] of cases)
    expect(await failure(...argv)).toEqual({ code, err: expect.stringContaining(message) })
  expect(await json("account", "set-webhook", id, "https://10.0.0.1/", "--allow-private")).toMatchObject({
    url: "https://10.0.0.1/",
  })
  const missing = await runCliForTest(["notices", "--db", join(dir, "missing.db")])
  expect(missing).toMatchObject({ code: 1, err: expect.stringContaining("There is no data file") })
})
