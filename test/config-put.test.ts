/** Changes of the configuration file of a running service, over the admin API and from the command line. */
import { Database } from "bun:sqlite"
import { describe, expect, test } from "bun:test"
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { hmac } from "../src/apis/hmac/index.ts"
import { adminOf } from "./support/admin.ts"
import { runLine, runLineJson } from "./support/admin-cli.ts"
import { startTestMock } from "./support/mock.ts"
import { startTestService } from "./support/service.ts"
import { until } from "./support/until.ts"

const text = `# The service of Ann

max_calls = 500   # measured

[plans.free]   # for trials
monthly_credits = 1000   # or "unlimited"

[plans.team]
# Agreed with Bob.
monthly_credits = 50_000

[credits]   # credits of a call, by API
# the dearest
spfvalidator = 5
`
const input = { message: "m", secret: "s" }

async function start(configText = text, flags: Record<string, unknown> = {}) {
  const service = await startTestService({ configText, flags })
  const admin = await adminOf(service)
  return {
    service,
    admin,
    /** Changes settings and returns the answer. */
    put: (changes: unknown, more: { dry_run?: boolean; headers?: Record<string, string> } = {}) => {
      const { headers = {}, ...body } = more
      return admin("PATCH", "/config", { headers, body: { changes, ...body } })
    },
    fileText: () => readFileSync(service.configFile, "utf8"),
    async records() {
      const { body } = await admin("GET", "/audit")
      return (body.data as Record<string, unknown>[]).filter(({ operation }) => operation === "config.put")
    },
    async used(account: string) {
      return (await service.accounts.usage(account, 1)).reduce((sum, { credits }) => sum + credits, 0)
    },
  }
}

describe("what is changed", () => {
  test("of plans is recorded for statements, at the start and when it is taken over, and nothing else is", async () => {
    const { service, put } = await start()
    const database = new Database(service.db, { readonly: true })
    const rows = database.query(
      "SELECT plan, price, monthly_credits AS credits FROM plan_terms ORDER BY from_ms, plan",
    )
    // The last one of the default plans.
    await until(() => rows.all().length === 6)
    const first = rows.all()
    service.clock.advance(1_000)
    expect(first).toContainEqual({ plan: "free", price: null, credits: 1_000 })
    expect(first).toContainEqual({ plan: "team", price: null, credits: 50_000 })
    expect((await put({ "plans.free.price": "€1", "plans.team.premium": true })).status).toBe(200)
    await until(() => rows.all().length > first.length)
    expect(rows.all()).toEqual([...first, { plan: "free", price: "€1", credits: 1_000 }])
    database.close()
  })

  test("is in the file, beside all else and its comments, and counts from the next call on", async () => {
    const { service, put, fileText, used, records } = await start()
    const { account, key } = await service.createKey("free")
    const answer = await put({
      "credits.hmac": 7,
      "plans.free.monthly_credits": 100,
      "plans.free.requests_per_minute": "unlimited",
      "plans.new.monthly_credits": 9,
      "plans.new.premium": true,
      "plans.team": null,
      max_calls: null,
      trust_proxy: ["10.0.0.0/8"],
    })
    expect(answer.status).toBe(200)
    const settings = (answer.body.data as { setting: string }[]).map(({ setting }) => setting)
    // Every entry of a plan that is new or gone, and the settings that were named.
    expect(settings.filter((setting) => !/^plans\.(?:team|new)\./.test(setting))).toEqual([
      "trust_proxy",
      "max_calls",
      "plans.free.monthly_credits",
      "plans.free.requests_per_minute",
      "credits.hmac",
    ])
    for (const plan of ["team", "new"]) expect(settings).toContain(`plans.${plan}.monthly_credits`)
    for (const part of [
      "# The service of Ann\n",
      /\[plans\.free\] +# for trials\nmonthly_credits = 100 +# or "unlimited"\nrequests_per_minute = "unlimited"\n/,
      "# the dearest\nspfvalidator = 5\nhmac = 7\n",
      "\n[plans.new]\nmonthly_credits = 9\npremium = true\n",
    ])
      expect(fileText()).toMatch(part)
    expect(fileText()).not.toContain("team")
    expect((await service.call(hmac, input, { key })).status).toBe(200)
    expect(await used(account)).toBe(7)
    expect(await service.configuration.diff()).toEqual([])
    expect(await records()).toMatchObject([
      {
        before: { "credits.hmac": null, "plans.free.monthly_credits": 1_000, max_calls: 500 },
        after: { "credits.hmac": 7, "plans.free.monthly_credits": 100, max_calls: 2_048 },
      },
    ])
  })

  test("keeps the file's mode and leaves nothing beside it", async () => {
    const { service, put } = await start()
    chmodSync(service.configFile, 0o640)
    const beside = () => readdirSync(dirname(service.configFile)).toSorted()
    const before = beside()
    expect((await put({ max_calls: 10 })).status).toBe(200)
    expect(statSync(service.configFile).mode & 0o777).toBe(0o640)
    expect(beside()).toEqual(before)
  })

  test("can be a price of 0", async () => {
    const { service, put, used } = await start("[plans.none]\nmonthly_credits = 0\n")
    const { account, key } = await service.createKey("none")
    expect((await service.call(hmac, input, { key })).status).toBe(429)
    expect((await put({ "credits.hmac": 0 })).status).toBe(200)
    expect((await service.call(hmac, input, { key })).status).toBe(200)
    expect(await used(account)).toBe(0)
  })

  test("can be a secret, which no answer, record or log line shows", async () => {
    const { service, admin, put, fileText, records } = await start()
    const answer = await put({ metrics_token: "very-quiet" })
    const change = { setting: "metrics_token", before: null, after: "(set)", needs_restart: false }
    expect(answer.body.data).toEqual([change])
    expect((await fetch(`${service.url}/metrics`)).status).toBe(401)
    expect(fileText()).toContain('metrics_token = "very-quiet"')
    const shown = [answer.text, (await admin("GET", "/config")).text, service.logged()]
    expect([...shown, JSON.stringify(await records())].join()).not.toContain("very-quiet")
  })

  test("is nothing with dry_run, nor when nothing differs", async () => {
    const { put, fileText, records } = await start()
    const dry = await put({ "credits.hmac": 3 }, { dry_run: true })
    expect([dry.status, dry.body.data]).toEqual([
      200,
      [{ setting: "credits.hmac", before: null, after: 3, needs_restart: false }],
    ])
    const none = await put({ max_calls: 500, "plans.gold": null })
    expect(none).toMatchObject({ status: 200, body: { data: [] } })
    expect(fileText()).toBe(text)
    expect(await records()).toEqual([])
  })
})

describe("nothing at all is changed", async () => {
  const refusing = await start()
  const wrong: Record<string, unknown> = Object.fromEntries(
    Array.from({ length: 30 }, (_, index) => [`plans.p${index}.monthly_credits`, index]),
  )
  test.each<[string, Record<string, unknown>, number, string]>([
    ["one wrong value of thirty", { ...wrong, "plans.p7.premium": 1 }, 400, "'plans.p7.premium' in"],
    ["an unknown setting", { max_cals: 1 }, 400, "'max_cals' is not a setting. The settings are max_calls,"],
    ["an unknown entry of a plan", { "plans.free.montly": 1 }, 400, "'plans.free.montly' in"],
    ["an unknown API", { "credits.hmca": 1 }, 400, "there is no API 'hmca'"],
    ["a table as a value", { plans: { free: {} } }, 400, "'changes' parameter must be an object"],
    ["a plan as a value", { "plans.free": 5 }, 400, "'plans.free' is a plan."],
    ["a name of the language", { "plans.__proto__.premium": true }, 400, "is not a setting"],
    ["a setting for the next start", { port: 1 }, 400, "'port' is taken over only at a start"],
    ["a file", { data: "/etc/shadow" }, 400, "names a file of the service's machine"],
    ["a folder of code", { apis: "/tmp" }, 400, "'apis' is taken over only at a start"],
    ["no setting", {}, 400, "must be an object of 1 to 100 settings"],
    ["a lone surrogate", { public_url: "https://\ud800" }, 400, "well-formed Unicode"],
  ])("by %s", async (_, changes, status, detail) => {
    const { service, put, fileText, records } = refusing
    const logged = service.logged()
    const answer = await put(Object.keys(changes).length > 0 ? { max_body: 4_096, ...changes } : {})
    expect([answer.status, answer.body.detail]).toEqual([status, expect.stringContaining(detail)])
    expect(fileText()).toBe(text)
    expect(await service.configuration.diff()).toEqual([])
    expect(await records()).toEqual([])
    expect(service.logged().replace(logged, "")).not.toContain("configuration changed")
  })

  test("when a name is too long to be compared with those of settings: it is not repeated", async () => {
    const { put } = refusing
    expect((await put({ ["x".repeat(200)]: 1 })).body.detail).toContain("is not a setting")
    const { status, body } = await put({ ["é".repeat(100_000)]: 1 })
    expect([status, body.parameter]).toEqual([400, "changes"])
    expect(body.detail).toBe("The name of a setting in 'changes' must have at most 200 bytes.")
  })

  test("when open accounts have the removed plan: they are named", async () => {
    const { service, put, fileText } = await start()
    const { account } = await service.createKey("team")
    const refused = await put({ "plans.team": null, "credits.hmac": 2 })
    expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining(account)])
    expect(fileText()).toBe(text)
    await service.accounts.setPlan(account, "free")
    expect((await put({ "plans.team": null, "credits.hmac": 2 })).status).toBe(200)
  })

  test("in a setting that a flag sets", async () => {
    const { put } = await start(text, { maxCalls: "7" })
    const { status, body } = await put({ max_calls: 9 })
    expect([status, body.detail]).toEqual([409, expect.stringContaining("set by the flag --max-calls")])
  })

  test("when the file is read-only, also for root", async () => {
    const { service, put, fileText } = await start()
    chmodSync(service.configFile, 0o444)
    const { status, body } = await put({ max_calls: 9 })
    expect([status, body.detail]).toEqual([409, expect.stringContaining("is read-only for the service")])
    expect(fileText()).toBe(text)
  })

  test("when someone has edited the file and not reloaded it", async () => {
    const { service, put, fileText } = await start()
    const edited = `${text}hmac = 2\n`
    writeFileSync(service.configFile, edited)
    const { status, body } = await put({ max_calls: 9 })
    expect(status).toBe(409)
    expect(body.detail).toContain("was changed since this process read it")
    expect(fileText()).toBe(edited)
    await service.configuration.reload()
    expect((await put({ max_calls: 9 })).status).toBe(200)
    expect(fileText()).toContain("hmac = 2\n")
  })

  test("without a configuration file, and the answer says how to get one", async () => {
    const admin = await adminOf(await startTestService())
    const { headers, body } = await admin("GET", "/config")
    expect([headers.get("etag"), body.version]).toEqual([null, null])
    const refused = await admin("PATCH", "/config", { body: { changes: { "credits.hmac": 3 } } })
    expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining("--config FILE")])
  })
})

test("changes at the same time: If-Match lets one of two through", async () => {
  const { admin, put, fileText } = await start()
  const read = await admin("GET", "/config")
  const etag = read.headers.get("etag") ?? ""
  expect(etag).toBe(`"${read.body.version}"`)
  const headers = { "if-match": etag }
  const answers = await Promise.all([
    put({ "credits.hmac": 3 }, { headers }),
    put({ "credits.linesorter": 4 }, { headers }),
  ])
  const [won, lost] = answers.sort((a, b) => a.status - b.status)
  expect([won?.status, lost?.status]).toEqual([200, 412])
  expect(won?.headers.get("etag")).toBe((await admin("GET", "/config")).headers.get("etag"))
  expect(won?.headers.get("etag")).not.toBe(etag)
  expect(fileText().match(/^(hmac|linesorter)/gm)).toHaveLength(1)
  expect((await put({ max_calls: 5 }, { headers })).status).toBe(412)
})

test("changes at the same time: twenty at once change the file one after the other, and it is what runs", async () => {
  const { service, put, fileText } = await start()
  const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => put({ "credits.hmac": i + 1 })))
  const statuses = new Set(answers.map(({ status }) => status))
  expect([...statuses].every((status) => status === 200 || status === 412)).toBe(true)
  expect(statuses).toContain(200)
  expect(await service.configuration.diff()).toEqual([])
  expect(fileText().match(/^hmac = \d+$/gm)).toHaveLength(1)
})

test("changes at the same time: a file that someone writes while it is changed stays theirs", async () => {
  const { service, put, fileText } = await start()
  const { key } = await service.createKey("free")
  for (let round = 0; round < 20; round++) {
    const answered = put({ "credits.hmac": round + 10 })
    const theirs = `${text}# by hand ${round}\n`
    writeFileSync(service.configFile, theirs)
    const { status } = await answered
    // Either the whole change came before, or it was refused; the file is never half of both.
    expect([200, 409, 412]).toContain(status)
    expect(status === 200 || fileText() === theirs).toBe(true)
    await service.configuration.reload()
  }
  expect((await service.call(hmac, input, { key })).status).toBe(200)
})

test("a request that is sent again with its Idempotency-Key is done once", async () => {
  const { put, records } = await start()
  const headers = { "idempotency-key": "price-1" }
  const first = await put({ "credits.hmac": 3 }, { headers })
  const again = await put({ "credits.hmac": 3 }, { headers })
  expect([again.status, again.body]).toEqual([200, first.body])
  expect(again.headers.get("idempotent-replayed")).toBe("true")
  expect(await records()).toHaveLength(1)
})

test("'penknife config set' shows the difference, changes, and says what is wrong", async () => {
  const { service, fileText } = await start()
  const { key } = await runLineJson(`admin-key create --name ops --db ${service.db}`)
  const env = { PENKNIFE_SERVER: service.url, PENKNIFE_ADMIN_KEY: key }
  const line = `config set credits.hmac=3 plans.free.monthly_credits=unlimited 'trust_proxy=["10.0.0.0/8"]' no_graphql=true max_calls=`
  const dry = await runLine(`${line} --dry-run`, { env })
  expect(dry).toMatchObject({ code: 0, err: "", out: expect.stringMatching(/^credits\.hmac .* 3 /m) })
  expect(fileText()).toBe(text)
  expect(await runLineJson(line, { env })).toMatchObject({
    data: expect.arrayContaining([
      { setting: "no_graphql", before: false, after: true, needs_restart: false },
      { setting: "plans.free.monthly_credits", before: 1_000, after: "unlimited", needs_restart: false },
    ]),
  })
  expect(fileText()).toContain("hmac = 3")
  const { out: set } = await runLine("config set max_calls=7", { env })
  expect(set).toMatch(/^version +\d{6,}$/m)
  expect(set).toMatch(/^max_calls .* 7 /m)
  for (const [change, name] of [
    ["plans.free.monthly_credits=-1", "'plans.free.monthly_credits' in"],
    ["plans.free.monthly_credits=abc --dry-run", "'plans.free.monthly_credits' in"],
    ["foo=1", "'foo' is not a setting"],
  ]) {
    const refused = await runLine(`config set ${change}`, { env })
    expect({ change, ...refused }).toMatchObject({ code: 2, out: "" })
    expect(refused.err).toStartWith(`penknife: The configuration was not changed. ${name}`)
  }
  const wrong = await runLine("config set credits.hmac", { env })
  expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining("Write NAME=VALUE")])
  expect((await runLine("config set", { env })).err).toContain("missing required argument 'SETTING=VALUE'")
  // A signal cannot set anything.
  const onStore = await runLine(`config set max_calls=1 --db ${service.db}`)
  expect([onStore.code, onStore.err]).toEqual([
    1,
    "penknife: A running service is needed: name it with --server. Or edit its configuration file, and send SIGHUP to its process on its machine.\n",
  ])
})

test("the mock keeps its configuration and says so", async () => {
  const mock = await startTestMock()
  const answer = await fetch(`${mock.url}/admin/v1/config`, {
    method: "PATCH",
    headers: { "x-admin-key": "mock-admin", "content-type": "application/json" },
    body: JSON.stringify({ changes: { "credits.hmac": 3 } }),
  })
  expect(answer.status).toBe(409)
  expect(await answer.text()).toContain("The test double keeps")
})
