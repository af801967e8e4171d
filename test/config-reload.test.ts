/** Configuration that changes while a service runs: who is served how, before, during and after. */
import { expect, test } from "bun:test"
import { readdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { hmac } from "../src/apis/hmac/index.ts"
import { runLine, runLineJson } from "./support/admin-cli.ts"
import { startTestService } from "./support/service.ts"
import { tempDir } from "./support/temp.ts"
import { until } from "./support/until.ts"

const input = { message: "m", secret: "s" }

async function startReloadable(first: Record<string, unknown> = {}) {
  let values = first
  const service = await startTestService({ readFile: () => values })
  return {
    service,
    async reload(next: Record<string, unknown>) {
      values = next
      return service.configuration.reload()
    },
    async usedCredits(account: string): Promise<number> {
      return (await service.accounts.usage(account, 1)).reduce((sum, { credits }) => sum + credits, 0)
    },
  }
}

test("a price and a plan that change are those of the next call", async () => {
  const { service, reload, usedCredits } = await startReloadable()
  const { account, key } = await service.createKey("mega")
  expect((await service.call(hmac, input, { key })).status).toBe(200)
  expect(await usedCredits(account)).toBe(1)
  const changes = await reload({ credits: { hmac: 7 }, plans: { mega: { monthly_credits: 100 } } })
  expect(changes.map(({ setting }) => setting)).toEqual(["plans.mega.monthly_credits", "credits.hmac"])
  expect((await fetch(`${service.url}/v1/hmac`, postHmac(key))).status).toBe(200)
  expect(await usedCredits(account)).toBe(8)
  const usage = await fetch(`${service.url}/v1/usage`, { headers: { "x-api-key": key } })
  expect(await usage.json()).toMatchObject({ data: { credits: { allowance: 100, used: 8, remaining: 92 } } })
})

test("limits, the token of the metrics, GraphQL and the log change too", async () => {
  const { service, reload } = await startReloadable({ log_level: "error" })
  const { key } = await service.createKey("mega")
  const long = { ...postHmac(key), body: JSON.stringify({ ...input, message: "m".repeat(2_000) }) }
  expect((await fetch(`${service.url}/v1/hmac`, long)).status).toBe(200)
  expect((await fetch(`${service.url}/metrics`)).status).toBe(200)
  expect(service.logged()).toBe("")
  const next = { max_body: 1_024, metrics_token: "quiet", no_graphql: true, log_level: "info" }
  const changes = await reload(next)
  const change = { setting: "metrics_token", before: null, after: "(set)", needsRestart: false }
  expect(changes).toContainEqual(change)
  expect((await fetch(`${service.url}/v1/hmac`, long)).status).toBe(413)
  expect((await fetch(`${service.url}/metrics`)).status).toBe(401)
  const bearer = { authorization: "Bearer quiet" }
  expect((await fetch(`${service.url}/metrics`, { headers: bearer })).status).toBe(200)
  expect((await fetch(`${service.url}/v1/graphql`, { method: "POST" })).status).toBe(501)
  await until(() => service.logged().includes('"fault":"bodyTooLarge"'))
  expect(service.logged()).toContain(
    '"settings":["max_body","no_graphql","log_level","metrics_token"],"message":"configuration changed"',
  )
})

test("a setting that needs a restart is named and stays unchanged", async () => {
  const { service, reload } = await startReloadable()
  const changes = await reload({ host: "0.0.0.0", max_calls: 10 })
  expect(changes.map(({ setting, needsRestart }) => [setting, needsRestart])).toEqual([
    ["host", true],
    ["max_calls", false],
  ])
  expect(service.logged()).toContain('"settings":["host"],"message":"settings changed that need a restart"')
  expect(await service.configuration.diff()).toEqual(changes.slice(0, 1))
})

test("one wrong line changes nothing and is said, in the answer and in the log", async () => {
  const { service, reload, usedCredits } = await startReloadable()
  const { account, key } = await service.createKey("mega")
  const wrong = { credits: { hmac: 9 }, max_calls: 10, body_timeout: 26, prot: 1 }
  await expect(reload(wrong)).rejects.toThrow(
    /^The configuration was not changed\. 'prot' in test\.toml is not a setting\..*\n'body_timeout' in test\.toml must be/,
  )
  await expect(reload({ credits: { hmca: 9 } })).rejects.toThrow("there is no API 'hmca'")
  await service.configuration.reloadLogged()
  expect(service.logged()).toContain('"level":"error"')
  expect(service.logged()).toContain("configuration not changed; the old one stays")
  expect((await service.call(hmac, input, { key })).status).toBe(200)
  expect(await usedCredits(account)).toBe(1)
})

test("a plan that open accounts have cannot be removed, and they are named", async () => {
  const plans = { team: { monthly_credits: 10 } }
  const { service, reload } = await startReloadable({ plans })
  const { account, key } = await service.createKey("team")
  await expect(reload({ credits: { hmac: 3 } })).rejects.toThrow(account)
  expect((await service.call(hmac, input, { key })).status).toBe(200)
  await service.accounts.setPlan(account, "free")
  const removed = await reload({})
  expect(removed.filter(({ setting }) => !setting.startsWith("plans.team."))).toEqual([])
  expect(removed.length).toBeGreaterThan(0)
})

test("the same configuration again changes nothing; of several at once the last counts", async () => {
  const { service, reload } = await startReloadable({ max_calls: 10 })
  const logged = service.logged()
  expect(await reload({ max_calls: 10 })).toEqual([])
  expect(service.logged()).toBe(logged)
  await Promise.all([reload({ max_calls: 20 }), reload({ max_calls: 30 }), reload({ max_calls: 40 })])
  expect(await reload({ max_calls: 40 })).toEqual([])
  expect(service.logged().match(/configuration changed/g)).toHaveLength(1)
})

test("a call in progress ends with the plan and the price with which it began", async () => {
  const { service, reload, usedCredits } = await startReloadable()
  const { account, key } = await service.createKey("mega")
  const body = new TransformStream<Uint8Array, Uint8Array>()
  const writer = body.writable.getWriter()
  const answered = fetch(`${service.url}/v1/hmac`, { ...postHmac(key), body: body.readable })
  await writer.write(new TextEncoder().encode('{"message": "m", '))
  // Both are over when the service has looked at the key and waits for the rest.
  await fetch(`${service.url}/health`)
  await until(() => service.server.openRequests() > 0)
  await reload({ credits: { hmac: 50 }, max_body: 1_024 })
  await writer.write(new TextEncoder().encode('"secret": "s"}'))
  await writer.close()
  expect((await answered).status).toBe(200)
  expect(await usedCredits(account)).toBe(1)
  expect((await service.call(hmac, input, { key })).status).toBe(200)
  expect(await usedCredits(account)).toBe(51)
})

const postHmac = (key: string): RequestInit => ({
  method: "POST",
  headers: { "x-api-key": key, "content-type": "application/json" },
  body: JSON.stringify(input),
})

test("over the admin API and with 'penknife reload': answer, permission and audit record", async () => {
  let values: Record<string, unknown> = {}
  const service = await startTestService({ readFile: () => values })
  const { key } = await runLineJson(`admin-key create --name ops --db ${service.db}`)
  const env = { PENKNIFE_SERVER: service.url, PENKNIFE_ADMIN_KEY: key }
  values = { credits: { hmac: 4 }, port: 1 }
  const changes = [{ setting: "credits.hmac", before: null, after: 4, needs_restart: false }]
  expect(await runLineJson("config diff", { env })).toEqual(changes)
  expect((await runLine("config reload", { env })).out).toContain("credits.hmac")
  expect((await runLineJson("plan list", { env })).prices).toMatchObject({ hmac: 4 })
  const shown = { credits: { hmac: 4 }, sources: { credits: "file", port: "flag", max_body: "default" } }
  expect(await runLineJson("config show", { env })).toMatchObject(shown)
  const records: Record<string, unknown>[] = await runLineJson("audit", { env })
  expect(records.find(({ operation }) => operation === "config.reload")).toMatchObject({
    operation: "config.reload",
    before: { "credits.hmac": null },
    after: { "credits.hmac": 4 },
  })
  values = { credits: { hmac: -1 } }
  const refused = await runLine("reload", { env })
  expect(refused.code).toBe(1)
  expect(refused.err).toContain("'credits.hmac' in test.toml cannot be used")
  const reader = await runLineJson(`admin-key create --name reader --may config.read --db ${service.db}`)
  const weak = { PENKNIFE_SERVER: service.url, PENKNIFE_ADMIN_KEY: reader.key }
  expect((await runLine("reload", { env: weak })).err).toContain("config.write")
  expect((await runLine(`reload --db ${service.db}`)).err).toContain("--server")
})

test("'config check' says every mistake and opens nothing", async () => {
  const file = join(tempDir(), "p.toml")
  const lines = Array.from({ length: 30 }, (_, i) => (i === 17 ? "max_calls = 0" : `# ${i}`))
  writeFileSync(file, `${lines.join("\n")}\nbody_timeout = 99\n[plans.free]\npremium = 1\nmontly = 2\n`)
  const { code, err } = await runLine(`config check --config ${file} --port x`)
  expect(code).toBe(2)
  const names = ["max_calls", "body_timeout", "plans.free.premium", "plans.free.montly"]
  for (const name of ["--port", ...names.map((name) => `'${name}'`)]) expect(err).toContain(name)
  expect(err.trim().split("\n")).toHaveLength(5)
  const missing = join(dirname(file), "none.pem")
  const more = "[credits]\nhmca = 2\nhmac = -1\n[catalog]\ninclude = ['mial']\n[plans.free]\npremium = 1\n"
  writeFileSync(
    file,
    `tls_cert = "${missing}"\ntls_key = "${missing}"\ndata = "${missing}"\nport = "x"\n${more}`,
  )
  const all = (await runLine(`config check --config ${file}`)).err
  const places = ["'port'", "'plans.free.premium'", "'credits.hmac'", "'credits.hmca'", "'catalog.include'"]
  for (const place of [...places, "'tls_cert'", "'tls_key'", "'data'"]) expect(all).toContain(place)
  expect(all.trim().split("\n")).toHaveLength(8)
  const tables =
    "[sign_up]\nmode = 'opne'\nplan = 'gold'\n[try]\napis = ['hmacc']\ncalls = 5\nplan = 'silver'\n"
  writeFileSync(
    file,
    `smtp_password_file = "${missing}"\nsmtp = "smtp://m.example"\n${more}portal = 3\n${tables}`,
  )
  const rest = (await runLine(`config check --config ${file}`)).err
  const named = ["'sign_up.mode'", "'sign_up.plan'", "'try.apis'", "'try.plan'", "'plans.free.portal'"]
  for (const place of [...named, "'smtp'", "'smtp_password_file'", "'catalog.include'", "'credits.hmca'"])
    expect(rest).toContain(place)
  expect(rest.trim().split("\n")).toHaveLength(11)
  writeFileSync(file, "[credits]\nhmca = 2\n")
  expect((await runLine(`config check --config ${file}`)).err).toContain("there is no API 'hmca'")
  writeFileSync(file, "[credits]\nhmac = 2\n")
  const usable = { code: 0, out: `The settings of ${file} can be used.\n`, err: "" }
  expect(await runLine(`config check --config ${file}`)).toEqual(usable)
})

test.each([
  ["open", "nobody can sign up by themselves. Set 'smtp' and 'mail_from'."],
  [
    "invite",
    "invitations are not sent. Set 'smtp' and 'mail_from', or hand over the links of 'penknife invite'.",
  ],
])("'config check' warns of sign-up by mode %s without a mail server", async (mode, problem) => {
  const file = join(tempDir(), "p.toml")
  writeFileSync(file, `[sign_up]\nmode = "${mode}"\n`)
  const warning = `'sign_up.mode' in ${file} is ${mode}, but without a mail server ${problem}`
  expect(await runLine(`config check --config ${file}`)).toEqual({
    code: 0,
    out: `The settings of ${file} can be used.\n`,
    err: `penknife: warning: ${warning}\n`,
  })
  const json = await runLine(`config check --config ${file} --json`)
  expect(JSON.parse(json.out)).toEqual({ ok: true, file, warnings: [warning] })
  writeFileSync(file, `smtp = "smtp://m.example"\nmail_from = "a@m.example"\n[sign_up]\nmode = "${mode}"\n`)
  expect((await runLine(`config check --config ${file}`)).err).toBe("")
})

test.each([
  ["missing", "'backup_dir' in FILE: DIR does not exist. Create this directory, or name another one."],
  ["p.toml", "'backup_dir' in FILE: DIR is not a directory. Name another one."],
])("'config check' and the start refuse %s as the directory of backups", async (name, problem) => {
  const folder = tempDir()
  const file = join(folder, "p.toml")
  const directory = join(folder, name)
  const err = `penknife: ${problem.replace("FILE", file).replace("DIR", directory)}\n`
  for (const more of ["", 'backup_every = "24h"\n']) {
    writeFileSync(file, `backup_dir = "${directory}"\n${more}`)
    expect(await runLine(`config check --config ${file}`)).toEqual({ code: 2, out: "", err })
    const start = `serve --config ${file} --db ${join(folder, "store.db")} --port 0`
    expect(await runLine(start, { stopRequested: () => Promise.resolve() })).toEqual({
      code: 2,
      out: "",
      err,
    })
    // Nothing was made.
    expect(readdirSync(folder)).toEqual(["p.toml"])
  }
  writeFileSync(file, `backup_dir = "${folder}"\n`)
  expect((await runLine(`config check --config ${file}`)).code).toBe(0)
})

test("'config list' shows settings as a file has them, and what counts without them", async () => {
  const db = join(tempDir(), "a.db")
  await runLineJson(`account create --name Ann --db ${db}`)
  const env = {
    ...{ PENKNIFE_PORT: "18080", PENKNIFE_BACKUP_EVERY: "24h", PENKNIFE_BACKUP_DIR: "/tmp" },
    ...{ PENKNIFE_SMTP: "smtp://m.example?starttls=never", PENKNIFE_MAIL_FROM: "a@m.example" },
  }
  const { out } = await runLine(`config list --db ${db}`, { env })
  expect(out).toMatch(/^port +18080 +8080 +environment +restart$/m)
  expect(out).toMatch(/^backup_every +24h +/m)
  expect(out).toMatch(/^smtp +smtp:\/\/m\.example\?starttls=never +/m)
  expect(out).toMatch(/^try\.apis +- +those that ask no other host, and mailaudit +default/m)
  const listed: { setting: string; choices: string[] | null }[] = await runLineJson(`config list --db ${db}`)
  const choicesOf = new Map(listed.map(({ setting, choices }) => [setting, choices]))
  expect([choicesOf.get("sign_up.mode"), choicesOf.get("port")]).toEqual([["off", "invite", "open"], null])
  const file = join(tempDir(), "p.toml")
  writeFileSync(file, "[plans.free]\n[plans.gold]\nmonthly_credits = 9000\n")
  const withPlans: typeof listed = await runLineJson(`config list --db ${db} --config ${file}`)
  const ofPlans = withPlans.filter(({ setting }) => /^(?:sign_up|try)\.plan$/.test(setting))
  const plans = ["free", "starter", "pro", "mega", "enterprise", "gold"]
  expect(ofPlans.map(({ choices }) => choices)).toEqual([plans, plans])
})
