/** Accounts that an operator must repair: each message says how, and its advice works. */
import { describe, expect, test } from "bun:test"
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { maxCredits } from "../src/accounts/plan.ts"
import { runLineJson as json, runLine } from "./support/admin-cli.ts"
import { readAnswer } from "./support/answer.ts"
import { createManualClock } from "./support/clock.ts"
import { createHeldDns } from "./support/held-dns.ts"
import { linesWith } from "./support/log.ts"
import { startTestService, type TestService } from "./support/service.ts"
import { tempDir } from "./support/temp.ts"
import { until } from "./support/until.ts"

const dir = tempDir()
let files = 0
const newFile = (extension: string) => join(dir, `${files++}.${extension}`)
function writeConfig(text: string): string {
  const file = newFile("toml")
  writeFileSync(file, text)
  return file
}

async function start(db = newFile("db"), iso = "2025-01-31T12:00:00Z"): Promise<TestService> {
  const file = { plans: { tiny: { monthly_credits: 3, sign_up_bonus: 2, premium: false } } }
  return startTestService({ clock: createManualClock(iso), file, flags: { db } })
}

const call = (service: TestService, key: string) => service.fetch("/v1/bluetoothlookup?companyid=76", { key })

describe("a credit month that begins in the future", () => {
  test("is used until 'account renew' starts a new one, also while a service runs", async () => {
    const service = await start()
    const { account, key } = await service.createKey("tiny")
    service.clock.set("2031-06-15T00:00:00Z")
    for (let i = 0; i < 3; i++) expect((await call(service, key)).status).toBe(200)
    service.clock.set("2025-03-30T00:00:00Z")
    for (let i = 0; i < 2; i++) expect((await call(service, key)).status).toBe(200)
    const refused = await readAnswer(await call(service, key))
    expect(refused.error).toContain("Credits renew at 2031-06-30T12:00:00.000Z")
    expect((await service.accounts.show(account)).account.problem).toBe(
      `The credit month of account ${account} begins at 2031-05-31T12:00:00.000Z, after the present time ` +
        "2025-03-30T00:00:00.000Z. A clock was ahead; credits do not renew before the end of that month. " +
        `If the clock is right now, start the month again with 'account renew ${account}'.`,
    )

    await service.accounts.renew(account)
    const renewed = await call(service, key)
    expect(renewed.status).toBe(200)
    expect(renewed.headers.get("x-api-credits-used")).toBe("1")
    expect(renewed.headers.get("x-api-renewal")).toBe(String(Date.parse("2025-03-31T12:00:00Z") / 1_000))
    const status = await service.accounts.show(account)
    expect(status.account).toMatchObject({ problem: null, bonus: 0 })
    expect(new Date(status.balance.period.startMs).toISOString()).toBe("2025-02-28T12:00:00.000Z")
    service.clock.set("2025-04-01T00:00:00Z")
    expect((await call(service, key)).headers.get("x-api-credits-used")).toBe("1")
  })

  test("after 'account renew', an account that was made while the clock was ahead counts as made now", async () => {
    const service = await start(undefined, "2031-06-15T00:00:00Z")
    const { account, key } = await service.createKey("tiny")
    service.clock.set("2025-03-30T00:00:00Z")
    expect((await service.accounts.show(account)).account.problem).toContain(`'account renew ${account}'`)
    await service.accounts.renew(account)
    const fresh = { createdMs: Date.parse("2025-03-30T00:00:00Z"), problem: null, bonus: 2 }
    expect((await service.accounts.show(account)).account).toMatchObject(fresh)
    const renewal = (await call(service, key)).headers.get("x-api-renewal")
    expect(renewal).toBe(String(Date.parse("2025-04-30T00:00:00Z") / 1_000))
  })

  test("thresholds of the new month are announced", async () => {
    const service = await start()
    const { account, key } = await service.createKey("tiny")
    service.clock.set("2031-06-15T00:00:00Z")
    for (let i = 0; i < 3; i++) await call(service, key)
    service.clock.set("2025-03-30T00:00:00Z")
    await service.accounts.renew(account)
    for (let i = 0; i < 3; i++) await call(service, key)
    const months = (await service.notices.list(account)).map(({ periodStartMs, threshold }) => [
      new Date(periodStartMs).toISOString().slice(0, 7),
      threshold,
    ])
    expect(months).toHaveLength(4)
    expect(months).toContainEqual(["2025-02", 80])
    expect(months).toContainEqual(["2025-02", 95])
  })

  test("is shown, listed and renewed by the command line", async () => {
    const db = newFile("db")
    const { id } = await json(`account create --name Ann --db ${db}`)
    const service = await start(db, "2099-01-01T00:00:00Z")
    const { key } = await service.accounts.createKey({ accountId: id })
    await call(service, key)
    expect(await json(`account show ${id} --db ${db}`)).toMatchObject({
      used: 1,
      problem: expect.stringContaining(`start the month again with 'account renew ${id}'`),
    })
    const [listed] = await json(`account list --db ${db}`)
    expect(listed.problem).toContain(`'account renew ${id}'`)
    const renewed = await json(`account renew ${id} --db ${db}`)
    expect(renewed).toMatchObject({ id, used: 0, bonus: 500, remaining: 1_500 })
    expect(renewed.problem).toBeNull()
    expect(Date.parse(renewed.renews) - Date.now()).toBeLessThan(32 * 86_400_000)
    expect((await json(`account list --db ${db}`))[0].problem).toBeNull()
    const missing = await runLine(`account renew acc_9 --db ${db}`)
    expect(missing).toMatchObject({ code: 1, err: expect.stringContaining("There is no account 'acc_9'.") })
  })
})

describe("an account that is closed during a call", () => {
  test.each([
    ["a call", "/v1/spfvalidator?domain=example.com", undefined],
    ["a batch", "/v1/spfvalidator/batch", { inputs: [{ domain: "example.com" }] }],
    ["a query", "/v1/graphql", { query: '{ spfvalidator(input: {domain: "example.com"}) { host } }' }],
  ])("%s names a revoked key instead of used-up credits, and costs nothing", async (_, path, body) => {
    const { dns, release, asked } = createHeldDns()
    const service = await startTestService({ ports: { dns } })
    const { account, key } = await service.createKey("pro")
    const response = body ? service.post(path, body, { key }) : service.fetch(path, { key })
    await asked()
    await service.accounts.closeAccount(account)
    release()
    const { status } = await response
    const text = await (await response).text()
    expect(status).toBe(401)
    expect(text).toContain("has been revoked")
    expect(text).not.toContain("used up")
    expect((await service.accounts.show(account)).balance.used).toBe(0)
    expect(await service.accounts.usage(account, 1)).toEqual([])
  })
})

describe("a plan that is no longer configured", () => {
  async function setUp() {
    const db = newFile("db")
    const config = writeConfig("[plans.old]\nmonthly_credits = 10\n")
    const { id } = await json(`account create --name Ann --plan old --db ${db} --config ${config}`)
    const problem =
      `Account ${id} has the plan 'old', which is not configured: choose another with ` +
      `'account set-plan ${id} PLAN', or add [plans.old] to the configuration file.`
    return { db, id, problem }
  }

  test("show and list say how to repair it, and set-plan repairs it", async () => {
    const { db, id, problem } = await setUp()
    const store = `--db ${db} --config ${writeConfig("[plans.new]\n")}`
    const shown = { plan: "old", allowance: null, used: 0, bonus: 0, remaining: null, problem }
    expect(await json(`account show ${id} ${store}`)).toMatchObject(shown)
    expect(await json(`account grant ${id} 5 ${store}`)).toMatchObject({ ...shown, bonus: 5 })
    expect(await json(`account list ${store}`)).toMatchObject([{ id, plan: "old", problem }])
    const { out } = await runLine(`account list ${store}`)
    expect(out).toContain(problem)

    const free = { plan: "free", remaining: 1_005 }
    expect(await json(`account set-plan ${id} free --db ${db}`)).toMatchObject(free)
    const mended = await json(`account list --db ${db}`)
    expect(mended).toMatchObject([{ id, plan: "free" }])
    expect(mended[0].problem).toBeNull()
  })

  test("is not known to a command without a configuration file, which still does all that needs no plan", async () => {
    const { db, id } = await setUp()
    const problem =
      `Account ${id} has the plan 'old', which is not one of the built-in plans. If it is in the service's configuration ` +
      `file, name the file with --config; else choose another with 'account set-plan ${id} PLAN'.`
    const unknown = await runLine(`account set-plan ${id} older --db ${db}`)
    expect([unknown.code, unknown.err.includes("or with --config FILE")]).toEqual([2, true])
    for (const line of [`show ${id}`, `grant ${id} 5`, `rename ${id} Bob`])
      expect((await json(`account ${line} --db ${db}`)).problem).toBe(problem)
    expect((await json(`account close ${id} --db ${db}`)).problem).toBeNull()
  })

  test("is no problem of a closed account", async () => {
    const { db, id } = await setUp()
    const closed = await json(`account close ${id} --db ${db}`)
    expect(closed).toMatchObject({ id, plan: "old", closed: expect.any(String) })
    expect(closed.problem).toBeNull()
  })

  test("does not stop a start: the log names the accounts, and their calls are a 500 without a charge", async () => {
    const { db, id, problem } = await setUp()
    const { key } = await json(`key create --account ${id} --db ${db}`)
    let credits = {}
    const service = await startTestService({
      flags: { db },
      readFile: () => ({ plans: { other: { monthly_credits: 5 } }, credits }),
    })
    expect(linesWith("plans are missing", service.logged())).toEqual([
      expect.objectContaining({ level: "warn", problem: `${problem} The accounts are in ${db}.` }),
    ])
    expect((await call(service, key)).status).toBe(500)
    expect((await service.accounts.show(id)).balance.used).toBe(0)
    expect((await call(service, (await service.createKey("other")).key)).status).toBe(200)
    // Nor does it keep the configuration from being changed.
    credits = { hmac: 7 }
    await service.configuration.reloadLogged()
    expect(service.logged()).toContain("configuration changed")
  })

  test("in a running service makes calls fail with a message, over REST and GraphQL, and costs nothing", async () => {
    const service = await start()
    const { account, key } = await service.createKey("tiny")
    const config = writeConfig("[plans.other]\n")
    await json(`account set-plan ${account} other --db ${service.db} --config ${config}`)
    const message = "The plan of this account, 'other', is not configured here"
    const answer = await call(service, key)
    expect(answer.status).toBe(500)
    expect((await readAnswer(answer)).error).toContain(message)
    expect((await readAnswer(service.fetch("/v1/usage", { key }))).error).toContain("'account set-plan'")
    const query = '{ bluetoothlookup(input: {companyid: "76"}) { company } }'
    const graphql = await service.post("/v1/graphql", { query }, { key })
    expect(graphql.status).toBe(500)
    expect(await graphql.text()).toContain(message)
    expect((await service.accounts.show(account)).balance.used).toBe(0)
    await service.accounts.setPlan(account, "tiny")
    expect((await call(service, key)).status).toBe(200)
  })
})

describe("wrong settings stop a command before it creates or starts anything", () => {
  test.each([
    [
      "a price for no API",
      "[credits]\nhmca = 1\n",
      "'credits.hmca': there is no API 'hmca'. The APIs are hmac, ",
    ],
    ["a plan out of range", "[plans.big]\nmonthly_credits = 4000000000000001\n", "plans.big.monthly_credits"],
    ["a bonus out of range", "[plans.big]\nsign_up_bonus = 4000000000000001\n", "plans.big.sign_up_bonus"],
    ["no certificate", 'tls_cert = "/none"\ntls_key = "/none"\n', ".toml: /none cannot be read."],
    ["no PEM", `tls_cert = "${import.meta.path}"\ntls_key = "/x"\n`, "holds no PEM certificate"],
    ["lists not there", 'data = "/nonexistent"\n', ".toml: /nonexistent cannot be read: name a folder."],
    ["APIs not there", 'apis = "/nowhere"\n', "The folder /nowhere cannot be read: it does not exist. Check"],
    ["a file as APIs", `apis = "${import.meta.path}"\n`, "it is a file. Name the folder"],
    ["a line that is not TOML", "# one\nmax_calls = none\n", "line 2"],
    ["a kind of log that is none", 'log_format = "xml"\n', "auto, json, pretty"],
    ["a share over 1", "log_sample = 2\n", "from 0 to 1"],
  ])("%s ends with exit code 2, with and without workers", async (_, text, message) => {
    const db = newFile("db")
    for (const workers of ["1", "2"]) {
      const config = writeConfig(text)
      const line = `serve --port 0 --db ${db} --workers ${workers} --config ${config}`
      const { code, err } = await runLine(line)
      expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(message) })
    }
    expect(existsSync(db)).toBe(false)
  })

  test("a variable of traces ends the start and 'config check', and not other commands", async () => {
    const missing = { OTEL_EXPORTER_OTLP_ENDPOINT: "https://127.0.0.1:1" }
    const env = { ...missing, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc", OTEL_TRACES_SAMPLER_ARG: "2" }
    const db = newFile("db")
    const starts = [1, 2].map((workers) => `serve --port 0 --db ${db} --workers ${workers}`)
    for (const line of [...starts, "config check"]) {
      const { code, err } = await runLine(line, { env: { ...env, OTEL_TRACES_SAMPLER: "traceidratio" } })
      expect([code, err]).toEqual([2, expect.stringContaining("gRPC is not supported.")])
      expect(err).toContain("OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1")
    }
    const certificate = { ...missing, OTEL_EXPORTER_OTLP_CERTIFICATE: "nowhere.pem" }
    const { code, err } = await runLine(starts[0] ?? "", { env: certificate })
    expect([code, err]).toEqual([2, expect.stringContaining("nowhere.pem")])
    expect((await runLine(`account list --db ${db}`, { env })).err).not.toContain("OTEL_")
  })

  test.each([
    ["--name Ann --plan bad", "There is no plan 'bad'. The plans are free"],
    ["--name ' '", "The name of an account needs at least one visible character"],
  ])("account create %s leaves no data file behind", async (flags, message) => {
    const db = newFile("db")
    const { code, err } = await runLine(`account create ${flags} --db ${db}`)
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(message) })
    expect(existsSync(db)).toBe(false)
  })
})

test("commands that cannot be carried out: a closed account does not change", async () => {
  const db = newFile("db")
  const { id } = await json(`account create --name Ann --db ${db}`)
  await json(`account close ${id} --db ${db}`)
  const before = await json(`account show ${id} --db ${db}`)
  const err = `penknife: Account '${id}' is closed. Reopen it first.\n`
  for (const line of [`set-plan ${id} pro`, `grant ${id} 5`, `renew ${id}`, `close ${id}`])
    expect(await runLine(`account ${line} --db ${db}`)).toEqual({ code: 1, err, out: "" })
  expect(await json(`account show ${id} --db ${db}`)).toEqual(before)
})

test("commands that cannot be carried out: a grant is refused when the bonus would be too large for exact numbers", async () => {
  const service = await start()
  const { account, key } = await service.createKey("tiny")
  await service.accounts.grant(account, maxCredits - 3)
  for (const credits of [2, maxCredits])
    await expect(service.accounts.grant(account, credits)).rejects.toThrow(
      `The bonus of an account can be 4000000000000000 credits at most; '${account}' has 3999999999999999: add 1 or less.`,
    )
  await service.accounts.grant(account, 1)
  expect((await call(service, key)).headers.get("x-api-remaining-credits")).toBe("4000000000000002")
  const most = { bonus: maxCredits, remaining: maxCredits + 2 }
  expect((await service.accounts.show(account)).balance).toMatchObject(most)
  expect(maxCredits + maxCredits).toBeLessThan(Number.MAX_SAFE_INTEGER)
})

test("a command without a configuration file knows the plans with which a service last worked on the store", async () => {
  const team = { team: { monthly_credits: 777 } }
  const service = await startTestService({ file: { plans: team } })
  const create = `account create --name Ada --plan team --db ${service.db}`
  await until(async () => (await runLine(create)).code === 0)
  const shown = { plan: "team", remaining: 777, problem: null }
  expect(await json(`account list --db ${service.db}`)).toMatchObject([shown])
  // A file that is named says all.
  const refused = await runLine(`${create} --config ${writeConfig("max_calls = 5\n")}`)
  expect([refused.code, refused.err.includes("There is no plan 'team'")]).toEqual([2, true])
})
