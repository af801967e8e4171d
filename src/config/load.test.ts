import { expect, test } from "bun:test"
import { offeredPlans } from "../accounts/plan.ts"
import { describeConfig } from "./describe.ts"
import { readToml } from "./file.ts"
import { type ConfigSources, loadConfig } from "./load.ts"
import { toMailServer } from "./readers.ts"

const load = (sources: Partial<ConfigSources>) => loadConfig({ flags: {}, env: {}, file: null, ...sources })
const file = (values: Record<string, unknown>) => ({ name: "p.toml", values })
/** A file that changes the plan free. */
const free = (table: object) => ({ file: file({ plans: { free: table } }) })

test("flag beats environment beats file beats default", () => {
  const env = { PENKNIFE_PORT: "3" }
  expect([load({}).port, load({ file: file({ port: 2 }) }).port]).toEqual([8080, 2])
  expect(load({ file: file({ port: 2 }), env }).port).toBe(3)
  expect(load({ file: file({ port: 2 }), env, flags: { port: "4" } }).port).toBe(4)
})

test("by default the service listens on loopback only", () => expect(load({}).host).toBe("127.0.0.1"))

test("repeatable settings: flags, a comma list, a TOML array", () => {
  const servers = ["192.0.2.1", "192.0.2.2:5353"]
  expect(load({ flags: { dnsServers: servers } }).dnsServers).toHaveLength(2)
  expect(load({ env: { PENKNIFE_DNS_SERVER: "192.0.2.1, 192.0.2.2:5353" } }).dnsServers).toHaveLength(2)
  expect(load({ file: file({ dns_server: servers }) }).dnsServers).toHaveLength(2)
})

test("a switch: a flag without a value; true or false elsewhere", () => {
  expect([load({}).noGraphql, load({ flags: { noGraphql: true } }).noGraphql]).toEqual([false, true])
  expect(load({ env: { PENKNIFE_NO_GRAPHQL: "true" } }).noGraphql).toBe(true)
  const env = { PENKNIFE_NO_GRAPHQL: "false" }
  expect(load({ env, file: file({ no_graphql: true }) }).noGraphql).toBe(false)
  expect(load({ file: file({ no_graphql: true }) }).noGraphql).toBe(true)
})

const given = (smtp: string, more = {}) =>
  load({ flags: { smtp, mailFrom: "no-reply@example.com" }, ...more })

test.each([
  ["smtp://mail.example.com", { host: "mail.example.com", port: 587, security: "starttls", user: null }],
  ["smtp://me%40x@mail.example.com:25", { port: 25, security: "starttls", user: "me@x" }],
  ["smtps://[2001:db8::1]", { host: "2001:db8::1", port: 465, security: "tls" }],
  ["smtp://localhost:25?starttls=never", { host: "localhost", port: 25, security: "none" }],
])("the mail server: %s", (url, parts) => expect(toMailServer(given(url).smtp ?? "")).toMatchObject(parts))

test.each([
  ..."http://mail.example.com mail.example.com smtp:// smtp://mail.example.com/path".split(" "),
  ..."smtps://mail.example.com?starttls=never smtp://mail.example.com?starttls=maybe".split(" "),
  "smtp://mail.example.com?tls=off",
])("the mail server: %s is refused", (url) =>
  expect(() => given(url)).toThrow("--smtp must be a URL such as"),
)

test("the mail server: the password of a mail server is not in its URL, nor shown by 'config show'", () => {
  expect(() => given("smtp://me:hunter2@mail.example.com")).toThrow("--smtp must not hold the password")
  expect(() => given("smtp://me:hunter2@mail.example.com")).not.toThrow("hunter2")
  const config = given("smtp://me@mail.example.com", { env: { PENKNIFE_SMTP_PASSWORD: "hunter2" } })
  expect(config.smtpPassword).toBe("hunter2")
  expect(JSON.stringify(describeConfig(config))).not.toContain("hunter2")
})

test("the mail server: it needs the address that mails come from", () => {
  expect(() => load({ flags: { smtp: "smtp://mail.example.com" } })).toThrow("--smtp needs --mail-from.")
  expect(() => load({ flags: { mailFrom: "a@b\nc" } })).toThrow("--mail-from must be an e-mail address")
  // One mistake on one line, although the value has line breaks.
  const wrong = { smtp: "smtp://mail.example.com", mail_from: "a@b.example\r\nBcc: c@d.example" }
  expect(() => load({ file: file(wrong) })).toThrow(
    /^'mail_from' in \S+ must be an e-mail address such as no-reply@example\.com, not 'a@b\.example\\u000d\\u000aBcc: c@d\.example'\.$/,
  )
})

test("the result cannot be changed", () => expect(Object.isFrozen(load({}))).toBe(true))

test.each<[Partial<ConfigSources>, string]>([
  [{ flags: { port: "x" } }, "--port must be a whole number from 0 to 65535, not 'x'."],
  [{ flags: { port: "65536" } }, "--port must be"],
  [{ flags: { port: "" } }, "--port must be"],
  [{ env: { PENKNIFE_PORT: "-1" } }, "PENKNIFE_PORT must be"],
  [{ file: file({ port: 1.5 }) }, "'port' in p.toml must be"],
  [{ file: file({ port: [1] }) }, "'port' in p.toml must be a text or a number: NUMBER."],
  [{ file: file({ prot: 1 }) }, "'prot' in p.toml is not a setting."],
  [{ flags: { trustedProxies: ["10.0.0.0/33"] } }, "--trust-proxy must be an IP address or a network"],
  [{ flags: { dnsServers: ["dns.example"] } }, "--dns-server must be"],
  [{ env: { PENKNIFE_NO_GRAPHQL: "1" } }, "PENKNIFE_NO_GRAPHQL must be true or false, not '1'."],
  [{ file: file({ no_graphql: [true] }) }, "'no_graphql' in p.toml must be true or false."],
  [{ file: file({ port: true }) }, "'port' in p.toml must be a text or a number: NUMBER."],
  [{ flags: { tlsCert: "a.pem" } }, "--tls-cert needs --tls-key."],
  [free({ monthly_credits: -1 }), "'plans.free.monthly_credits' in p.toml cannot be used"],
  [
    free({ requests_per_minute: 1_000_001 }),
    "'plans.free.requests_per_minute' in p.toml cannot be used: it must be a whole number from 1 to 1000000, or 'unlimited'.",
  ],
  [free({ montly: 1 }), "'plans.free.montly' in p.toml is not a setting."],
  [
    free({ portal: ["own"] }),
    "'plans.free.portal.0' in p.toml cannot be used: it must be one of create, rotate, revoke, webhook.",
  ],
  [
    { file: file({ plans: { "Big One": {} } }) },
    "'plans.Big One' in p.toml cannot be used: a plan's name has small letters, digits, '-' and '_', and begins with a letter.",
  ],
  [{ file: file({ tls_key: "a.pem" }) }, "'tls_key' in p.toml needs 'tls_cert'."],
  [{ env: { PENKNIFE_BACKUP_EVERY: "24h" } }, "PENKNIFE_BACKUP_EVERY needs PENKNIFE_BACKUP_DIR."],
  [{ file: file({ try: { calls: 5, plan: "gold" } }) }, "'try.plan' in p.toml must be one of free, "],
  [{ file: file({ sign_up: { mode: "opne", plan: "gold" } }) }, "'sign_up.plan' in p.toml must be one of"],
  [{ file: file({ credits: { hmac: 1.5 } }) }, "'credits.hmac' in p.toml cannot be used"],
  // The sum of the calls of a commit must fit the columns of the store.
  [{ file: file({ credits: { hmac: 1_000_000_001 } }) }, "it must be a whole number from 0 to 1000000000"],
])("%o: %s", (sources, message) => expect(() => load(sources)).toThrow(message))

test("plans are the defaults with the changes and additions of the file", () => {
  const { plans, credits } = load({
    file: file({
      plans: { free: { requests_per_minute: 10 }, team: { monthly_credits: "unlimited", premium: false } },
      credits: { hmac: 3 },
    }),
  })
  expect([...plans.keys()]).toEqual(["free", "starter", "pro", "mega", "enterprise", "team"])
  expect(plans.get("free")).toMatchObject({ monthlyCredits: 1_000, signUpBonus: 500, requestsPerMinute: 10 })
  expect(plans.get("team")).toMatchObject({ monthlyCredits: null, premium: false, signUpBonus: 0 })
  expect(credits.get("hmac")).toBe(3)
})

const plansOf = (table: object) => load({ file: file({ plans: { free: table, team: {} } }) }).plans

test("how a plan is offered: the operator writes price and description; plans without both are not offered", () => {
  const plans = plansOf({ price: "€0", description: "To look around.", highlight: true })
  expect(offeredPlans(plans)).toMatchObject([
    { name: "free", price: "€0", description: "To look around.", highlight: true },
  ])
  expect(plans.get("team")).toMatchObject({ price: null, description: null, highlight: false })
  expect(offeredPlans(plansOf({ description: "To look around." })).map(({ name }) => name)).toEqual(["free"])
})

test.each([
  [
    { price: 29 },
    "'plans.free.price' in p.toml cannot be used: it must be one line of 1 to 60 characters, without control characters.",
  ],
  [{ price: "" }, "'plans.free.price' in p.toml cannot be used"],
  [{ price: "x".repeat(61) }, "'plans.free.price' in p.toml cannot be used"],
  [
    { description: "a\nb" },
    "'plans.free.description' in p.toml cannot be used: it must be one line of 1 to 300 characters, without control characters.",
  ],
  [{ highlight: "yes" }, "'plans.free.highlight' in p.toml cannot be used"],
])("how a plan is offered cannot be %j", (table, message) => expect(() => plansOf(table)).toThrow(message))

test("the default plans are those of the documentation", () => {
  const plans = [...load({}).plans.values()]
  expect(plans.map((plan) => Object.values(plan).slice(0, 6))).toEqual([
    ["free", 1_000, 500, 60, false, 1],
    ["starter", 200_000, 0, null, true, 10],
    ["pro", 1_000_000, 0, null, true, 25],
    ["mega", 4_000_000, 0, null, true, 100],
    ["enterprise", null, 0, null, true, null],
  ])
  for (const plan of plans)
    expect(plan).toMatchObject({ portalKeys: 10, portal: ["create", "rotate", "revoke", "webhook"] })
})

test("what a plan allows in the portal is what the file says", () => {
  const limited = plansOf({ portal_keys: 0, portal: ["revoke"] }).get("free")
  expect(limited).toMatchObject({ portalKeys: 0, portal: ["revoke"] })
  expect(plansOf({ portal: [] }).get("free")).toMatchObject({ portalKeys: 10, portal: [] })
})

test.each([
  [{ portal_keys: -1 }, "'plans.free.portal_keys' in p.toml cannot be used"],
  [{ portal_keys: 1.5 }, "'plans.free.portal_keys' in p.toml cannot be used"],
  [{ portal_keys: 10_001 }, "'plans.free.portal_keys' in p.toml cannot be used"],
  [{ portal: "create" }, "'plans.free.portal' in p.toml cannot be used"],
  [{ portal: ["delete"] }, "'plans.free.portal.0' in p.toml cannot be used"],
  [{ portal: ["create", "create"] }, "'plans.free.portal' in p.toml cannot be used"],
])("what a plan allows in the portal: cannot be %j", (table, message) =>
  expect(() => plansOf(table)).toThrow(message),
)

test("an unknown key gets the known ones, the nearest first", () => {
  expect(() => load({ file: file({ prot: 1 }) })).toThrow("The settings are port, host, ")
  expect(() => load({ file: file({ dbb: 1 }) })).toThrow("The settings are db, ")
  expect(() => load(free({ montly_credits: 1 }))).toThrow(
    "'plans.free.montly_credits' in p.toml is not a setting. The settings there are monthly_credits, ",
  )
})

test.each([
  ["port = 1\nhost = \n", "line 2, column 8: "],
  ["port = 1\nport = 2\n", "line 2, column 1: "],
  ['metrics_token = "open sesame\n', "line 1, column "],
  ["[plans\n", "line 1, column "],
  ["port = 80 80\n", "line 1, column "],
])("a mistake in the file %j is placed, and nothing is quoted", (text, place) => {
  const said = `The configuration file p.toml is not valid TOML at ${place}`
  expect(() => readToml("p.toml", text)).toThrow(said)
  expect(() => readToml("p.toml", text)).not.toThrow("sesame")
})

test("a configuration file is read as TOML", () => {
  const text = 'port = 1\n[plans.team]\nmonthly_credits = "unlimited"\n[credits]\nhmac = 3\n'
  const { port, plans, credits } = load({ file: file(readToml("p.toml", text)) })
  expect([port, plans.get("team")?.monthlyCredits, credits.get("hmac")]).toEqual([1, null, 3])
})
