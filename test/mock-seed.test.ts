/** The seed of the test double: what it holds, that it prints the same bytes again, and that every mistake has its place. */
import { expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { parse, stringify } from "yaml"
import { runCliForTest } from "./support/cli.ts"
import { startTestMock, ways } from "./support/mock.ts"
import { tempDir } from "./support/temp.ts"

const dir = tempDir()

let files = 0
function fileOf(text: string, ending = "yaml"): string {
  const file = join(dir, `${++files}.${ending}`)
  writeFileSync(file, text)
  return file
}

/** The mistakes of a seed, without the file's name. */
async function mistakesOf(text: string, ending?: string): Promise<readonly string[]> {
  const file = fileOf(text, ending)
  const { code, out, err } = await runCliForTest(["mock", "--port", "0", "--seed", file])
  expect([code, out]).toEqual([2, ""])
  return err
    .trim()
    .replace(/^penknife: /, "")
    .split("\n")
    .map((line) => {
      expect(line).toStartWith(`${file}:`)
      return line.slice(file.length + 1)
    })
}

async function print(seed: string): Promise<string> {
  const { code, out, err } = await runCliForTest(["mock", "--print-seed", "--seed", seed])
  expect([code, err]).toEqual([0, ""])
  return out
}

/** Not checked against OpenAPI, which has no header of a stub. */
const callOf = (url: string) =>
  fetch(`${url}/v1/bluetoothlookup?companyid=77`, { headers: { "x-api-key": "acme-test-key" } })

const seed = `
now: 2025-03-01T00:00:00Z
plans:
  small: {monthly_credits: 100, requests_per_minute: 600}
accounts:
  - name: Acme
    plan: small
    credits_used: 99
    email: Ann@Example.com
    webhook: http://127.0.0.1:9/hook
    keys:
      - {text: acme-test-key}
      - {text: mock-free, allow_apis: [hmac]}
      - {text: acme-revoked, revoked: 2025-02-01T00:00:00Z}
profiles:
  mine: [{status: 502, probability: 0.5}]
faults: [{api: hmac, status: 503, times: 2}]
stubs: [{api: bluetoothlookup, input: {companyid: "77"}, headers: {x-seeded: "yes"}}]
dns:
  own.example: [{TXT: v=spf1 -all}]
web:
  https://a.example/x: {body: hi}
`

test("a mock starts in the state of its seed, and a reset restores it", async () => {
  const mock = await startTestMock({ seedFile: fileOf(seed) })
  for (const _ of [1, 2]) {
    const first = await callOf(mock.url)
    expect(first.headers.get("x-api-current-plan")).toBe("small")
    expect(first.headers.get("x-seeded")).toBe("yes")
    expect((await ways.rest(mock, "acme-test-key")).status).toBe(429)
    expect((await ways.rest(mock, "acme-revoked")).status).toBe(401)
    expect((await ways.rest(mock, "mock-free")).status).toBe(403)
    expect((await ways.rest(mock, "mock-pro")).status).toBe(200)
    expect((await ways.rest(mock, "acme-unknown")).status).toBe(401)
    const spf = await mock.fetch("/v1/spfvalidator?domain=own.example", { key: "mock-pro" })
    expect(await spf.json()).toMatchObject({ data: { all_qualifier: "fail" } })
    expect((await mock.control("GET", "/clock")).data).toMatchObject({ now: "2025-03-01T00:00:00.000Z" })
    expect((await mock.control("GET", "/faults")).data).toMatchObject({ faults: [{ times: 2 }] })
    expect((await mock.control("PUT", "/profile", { name: "mine" })).code).toBe(200)
    await mock.control("DELETE", "/faults")
    await mock.reset()
  }
})

test("the present state is a seed: credits that were used since, and faults that are left", async () => {
  const mock = await startTestMock({ seedFile: fileOf(seed) })
  await callOf(mock.url)
  const answer = await fetch(`${mock.url}/_mock/seed`)
  expect(answer.headers.get("content-type")).toBe("application/yaml; charset=utf-8")
  const text = await answer.text()
  const acme = parse(text).accounts.find(({ name }: { name: string }) => name === "Acme")
  const webhook = "http://127.0.0.1:9/hook"
  expect(acme).toMatchObject({ credits_used: 100, email: "ann@example.com", webhook })
  const texts = acme.keys.map((key: { text: string }) => key.text)
  expect(texts).toEqual(["acme-test-key", "mock-free", "acme-revoked"])
  expect(await print(fileOf(text))).toBe(text)
})

test("the state at the start prints the same bytes again, also from TOML", async () => {
  const { out } = await runCliForTest(["mock", "--print-seed"])
  expect(parse(out).accounts).toHaveLength(10)
  expect(await print(fileOf(out))).toBe(out)
  const toml = `now = 2025-03-01T00:00:00Z\n[[accounts]]\nname = "A"\ncredits_used = 5\nkeys = [{ text = "abcdefgh" }]\n`
  const printed = await print(fileOf(toml, "toml"))
  expect(printed).toContain("now: 2025-03-01T00:00:00.000Z\n")
  expect(await print(fileOf(printed))).toBe(printed)
})

test("each text of a seed is printed so that it is read again as it was", async () => {
  const characters = " \n\t\r#:-|>'\"\\a{}[]&*!%@`~\u0085\u2028\u2029\u200e\u202e\ufeff\u0007é"
  const piece = fc.constantFrom(...characters, "\r\n", "---", "...", "1e3", "null")
  const texts = fc.sample(fc.string({ unit: piece, maxLength: 8 }), { numRuns: 300, seed: 20261129 })
  texts.push(" \n", "\n \n", "a\u2028b", "x\n \ny", "  \n x\n")
  const stubs = texts.map((body, index) => ({ api: "hmac", input: { message: String(index) }, body }))
  const printed = await print(fileOf(JSON.stringify({ stubs }), "json"))
  const bodies = new Map(
    parse(printed).stubs.map((stub: (typeof stubs)[number]) => [stub.input.message, stub.body]),
  )
  expect(texts.map((_, index) => bodies.get(String(index)))).toEqual(texts)
  expect(await print(fileOf(printed))).toBe(printed)
})

test("any valid seed prints bytes that print the same again", async () => {
  const instant = fc.constantFrom("2024-01-31T00:00:00Z", "2024-12-31T23:59:59Z", "2025-01-01")
  const key = fc.record(
    {
      text: fc.stringMatching(/^[!-~]{8,20}$/).filter((text) => !/^(?:mock-|pk[als]-)/.test(text)),
      name: fc.constantFrom("", "k: v", "1"),
      rate_limit: fc.constantFrom(1, 1_000_000, null),
      block_apis: fc.constantFrom([], ["hmac"]),
      revoked: instant,
      expires: fc.constant("30d"),
      metadata: fc.constantFrom({}, { a: [1, null] }),
    },
    { requiredKeys: ["text"] },
  )
  const account = fc.record(
    {
      name: fc.constantFrom("Acme", "- x", "yes", "é #1"),
      plan: fc.constantFrom("free", "pro", "enterprise"),
      credits_used: fc.integer({ min: 0, max: 1_000 }),
      bonus: fc.nat(9),
      created: instant,
      closed: instant,
      notify: fc.constantFrom("webhook", "mail", "none"),
      keys: fc.array(key, { maxLength: 3 }),
    },
    { requiredKeys: ["name"] },
  )
  const seeds = fc.record({
    now: fc.constantFrom("2025-01-01T00:00:00Z", "2025-03-31T12:00:00.5Z"),
    accounts: fc
      .array(account, { maxLength: 4 })
      .map((all) =>
        all.map((one, n) => (one.notify === "mail" ? { ...one, email: `a${n}@b.example` } : one)),
      ),
    profile: fc.constantFrom("ok", "slow"),
    faults: fc.subarray([
      { api: "hmac", status: 503, times: 1 },
      { reset: true, probability: 0.1, seed: 7 },
    ]),
    dns: fc.constantFrom({}, { "1.0": [{ TXT: "a" }, "TIMEOUT"] }),
  })
  const isOnce = ({ accounts }: { accounts: readonly { keys?: readonly { text: string }[] }[] }) => {
    const texts = accounts.flatMap(({ keys = [] }) => keys.map(({ text }) => text))
    return new Set(texts).size === texts.length
  }
  // An end before the beginning is refused, see below.
  const isInOrder = ({ accounts }: { accounts: readonly { created?: string; closed?: string }[] }) =>
    accounts.every(({ created = "", closed = "x" }) => created <= closed)
  await fc.assert(
    fc.asyncProperty(
      seeds.filter((seed) => isOnce(seed) && isInOrder(seed)),
      async (value) => {
        const printed = await print(fileOf(stringify(value, { aliasDuplicateObjects: false })))
        expect(await print(fileOf(printed))).toBe(printed)
      },
    ),
    { numRuns: 12 },
  )
}, 60_000)

/** Seeds with a mistake each, with its place and how it begins. */
const refusals: Record<string, string> = {
  "now: yesterday": "1:6: now must be an instant from 1970 to 9999, such as 2025-01-31T12:00:00Z.",
  "now: 1969-12-31": "1:6: now must be an instant from 1970 to 9999, ",
  "foo: 1": "1:1: foo is not known here; there are ",
  "accounts:\n  - name: A\n    nmae: B": "3:5: accounts[0].nmae is not known here; there are name, ",
  "profiles:\n  slow:\n    - delay_ms: 1": "2:3: profiles.slow must have another name: ",
  "dns:\n  a.example: [{A: x}]": "2:15: dns.a.example",
  "- a": "1:1: the seed must be an object.",
  "plans: {small: {monthly_credits: -1}}": "1:34: plans.small.monthly_credits must be a whole number from 0 ",
  "accounts:\n  - plan: free": "2:5: accounts[0].name is missing: it must be a non-empty string",
  "accounts:\n  - name: A\n    plan: gold": "3:11: accounts[0].plan: There is no plan 'gold'.",
  "accounts:\n  - name: A\n    credits_used: 1001": "3:19: accounts[0].credits_used must be at most 1000, ",
  "accounts:\n  - name: A\n    created: 2024-06-01T00:00:00Z\n    closed: 2024-05-31T23:59:59Z":
    "4:13: accounts[0].closed must not be before 'created'.",
  "accounts:\n  - name: A\n    email: x": "3:12: accounts[0].email must be an e-mail address ",
  "accounts: [{name: A, keys: [{text: short}]}]":
    "1:36: accounts[0].keys[0].text must be a text of 8 to 200 ",
  "accounts: [{name: A, keys: [{text: mock-admin-1}]}]":
    "1:36: accounts[0].keys[0].text must not be an admin key",
  "accounts: [{name: A, keys: [{text: abcdefgh}, {text: abcdefgh}]}]":
    "1:54: accounts[0].keys[1].text is the text of another one too: change one of them.",
  "dns: {a.example: [{TXT: a}], A.example.: [{TXT: b}]}":
    "1:42: dns.A.example. is the domain name of another one too: change one of them.",
  'web: {"https://a.example/b": {body: a}, "https://A.example/b": {body: b}}':
    "1:64: web.https://A.example/b is the address of another one too: change one of them.",
  "accounts:\n  - &a {name: A}\n  - *a": "3:5: must not be an alias of YAML: write the value out",
  "now: 2025-01-01\nnow: 2025-01-01": "2:1: Map keys must be unique",
  "now: 2025-01-01\n---\nnow: 2025-01-02": "2:1: must be one document of YAML",
  "profile: none": "1:10: profile must be one of ok, flaky, ",
  "faults: [{api: nope, status: 503}]": "1:16: faults[0].api must be one of hmac, ",
  "faults: [{api: hmac}]": "1:10: faults[0].status is missing: ",
  "profiles: {mine: [{status: 99}]}": "1:28: profiles.mine[0].status must be a whole number from 400 to 599.",
  "stubs: [{api: hmac, data: {hmac: 1}}]": "1:34: stubs[0].data.hmac must be a string.",
  "dns: {a: [{CNAME: b}, {CNAME: c}]}": "1:10: dns.a repeats the CNAME: a name has one.",
  "dns: {a..b: [TIMEOUT]}": "1:14: dns.a..b[0]: 'a..b' is not a domain name.",
  "dns:\n  a.example:\n    - A: x": '3:7: dns.a.example[0] must have an IPv4 address, not "x".',
  "web: {'http://x/': {}}": "1:20: web.http://x/: 'http://x/' must be a URL of https: ",
  "webhook: ftp://x": "1:10: webhook: The URL of a webhook must be complete, ",
  "a: [": "1:5: Flow sequence in block collection must be sufficiently indented and end with a ]",
  // A part of the wrong form is named alone.
  "profiles: abc": "profiles must be an object.",
  "web: 5": "web must be an object.",
  "accounts: {}": "accounts must be an array of at most 1,000 items.",
  "webhook: 5": "webhook must be a string of at most 2,000 characters.",
  "faults: [5]": "faults[0] must be an object.",
  "dns: {a.example: 5}": "dns.a.example must be an array of items.",
  "accounts: [{name: A, keys: 5}]": "accounts[0].keys must be an array of at most 100 items.",
  "profiles: {mine: [], ok: []}":
    "profiles.ok must have another name: every test double has a profile of this",
  "profiles: {outage: [{status: 500}]}": "profiles.outage must have another name: ",
  "__proto__: {a: 1}": "__proto__ is not known here; there are ",
  "accounts: [{name: A, email: a@b.example}, {name: B, email: A@B.example}]": "accounts[1].email is the ",
}

test("an unknown profile is named beside other mistakes", async () => {
  const mistakes = await mistakesOf("now: junk\nprofile: none\nprofiles: {mine: [{status: 99}]}")
  expect(mistakes.map((text) => text.split(" ")[1])).toEqual(["now", "profile", "profiles.mine[0].status"])
})

test.each([
  ...Object.entries(refusals),
  ...["revoked", "disabled"].map((end): [string, string] => [
    `accounts:\n  - name: A\n    keys:\n      - text: a-long-text\n        name: k\n        created: 2024-06-01\n        ${end}: 2024-05-31`,
    `7:${11 + end.length}: accounts[0].keys[0].${end} must not be before 'created'.`,
  ]),
  ...["mail", "both"].map((notify): [string, string] => [
    `accounts:\n  - name: A\n    notify: ${notify}`,
    "3:13: accounts[0].notify: Notices by mail need the e-mail address of the account: give 'email' too.",
  ]),
  ...[
    "faults: [{api: hmac, status: 503}, {api: hmac, delay_ms: 5}]",
    "faults: [{api: hmac, key: a, status: 503, times: 1}, {api: hmac, key: a, status: 500}]",
    "faults: [{webhook: true, drop: true}, {webhook: true, twice: true}]",
    'faults: [{api: bluetoothlookup, input: {companyid: 76}, status: 503}, {api: bluetoothlookup, input: {companyid: "76"}, status: 500}]',
    "stubs: [{api: hmac, data: {hmac: a}}, {api: hmac, input: {}, data: {hmac: b}}]",
    "stubs: [{api: hmac, input: {message: a}, data: {hmac: a}}, {api: hmac, input: {message: a}, body: b}]",
  ].map((text): [string, string] => {
    const place = `1:${text.indexOf("}, {") + 4}`
    const list = text.slice(0, text.indexOf(":"))
    return [text, `${place}: ${list}[1] is for the same calls as an earlier one: leave one of them out.`]
  }),
])("%j is refused with its place", async (text, mistake) => {
  const mistakes = await mistakesOf(text)
  expect(mistakes).toHaveLength(1)
  expect(mistakes[0]).toMatch(/^\d+:\d+: /)
  expect(/^\d/.test(mistake) ? mistakes[0] : mistakes[0]?.replace(/^\S+ /, "")).toStartWith(mistake)
})

test("a seed in another encoding than UTF-8 is refused, and a byte order mark is not", async () => {
  const latin = fileOf("")
  writeFileSync(latin, Buffer.from("accounts: [{name: Caf\xe9}]\n", "latin1"))
  const refused = await runCliForTest(["mock", "--port", "0", "--seed", latin])
  expect([refused.code, refused.out]).toEqual([2, ""])
  expect(refused.err).toBe(`penknife: The seed ${latin} must be text in UTF-8.\n`)
  for (const [text, ending] of [
    ["\ufeffaccounts: [{name: Café}]\n", "yaml"],
    ['\ufeff[[accounts]]\nname = "Café"\n', "toml"],
  ] as const)
    expect(await print(fileOf(text, ending))).toContain("name: Café")
})

test("all mistakes are named at once, in the order of the file, also in TOML", async () => {
  const toml = `foo = 1
[plans.small]
monthly_credits = -1
[[accounts]]
name = "A"
credits_used = 1001
[[accounts]]
name = "B"
[[accounts.keys]]
text = "short"
`
  const mistakes = await mistakesOf(toml, "toml")
  expect(mistakes.map((mistake) => mistake.split(" ", 2).join(" "))).toEqual([
    "1:1: foo",
    "3:1: plans.small.monthly_credits",
    "6:1: accounts[0].credits_used",
    "10:1: accounts[1].keys[0].text",
  ])
  expect(await mistakesOf("a = = 1", "toml")).toEqual(["1:5: invalid value"])
})

/** Fields of an account, each with one mistake, the place that is named, and how the sentence goes on. */
const wrongFields: Record<string, readonly [value: unknown, ...starts: string[]][]> = {
  plan: [
    ["gold", "plan: There is no plan 'gold'."],
    [5, "plan must be a"],
  ],
  email: [["x", "email must be an e-mail address"]],
  notify: [["pigeon", "notify must be one of"]],
  credits_used: [[-1, "credits_used must be a whole number"]],
  external_id: [["a\u202eb", "external_id: The external id"]],
  created: [["yesterday", "created must be an instant"]],
  foo: [[1, "foo is not known here"]],
  webhook: [["ftp://x", "webhook: The URL of a webhook"]],
  keys: [
    [[{ text: "short" }], "keys[0].text must be a text of 8"],
    [[{ text: "mock-admin-1", rate_limit: -1 }], "keys[0].text must not be", "keys[0].rate_limit must"],
    [[{ name: "a" }, { text: "mock-admin-1" }], "keys[0].text is missing", "keys[1].text must not be"],
  ],
}

test("all mistakes of an account are named at once, whichever they are, and no others", async () => {
  const some = Object.entries(wrongFields).map(([name, ways]) =>
    fc.option(
      fc.constantFrom(...ways).map(([value, ...texts]) => ({ name, value, texts })),
      { nil: null },
    ),
  )
  await fc.assert(
    fc.asyncProperty(fc.tuple(...some), fc.boolean(), async (chosen, hasName) => {
      const wrong = chosen.filter((one) => one !== null)
      fc.pre(wrong.length > 0)
      const fields = Object.fromEntries(wrong.map(({ name, value }) => [name, value]))
      const account = { notify: "webhook", ...(hasName && { name: "A" }), ...fields }
      const mistakes = await mistakesOf(`accounts:\n  - ${JSON.stringify(account)}`)
      const expected = [...(hasName ? [] : ["name is missing"]), ...wrong.flatMap(({ texts }) => texts)]
      const starts = expected.map((text) => expect.stringMatching(mistakeOf(`accounts[0].${text}`)))
      expect(mistakes).toHaveLength(starts.length)
      expect(mistakes).toEqual(expect.arrayContaining(starts))
    }),
    { numRuns: 60 },
  )
}, 120_000)

const mistakeOf = (start: string) => new RegExp(`^2:\\d+: ${RegExp.escape(start)}`)

test.each([
  [
    "accounts:\n  - name: A\n    plan: gold\n    credits_used: -1",
    ["3:11: accounts[0].plan: There is no plan", "4:19: accounts[0].credits_used must be a whole number"],
  ],
  // The plan is not known, so nothing is said of its credits.
  ["accounts:\n  - name: A\n    plan: 5\n    credits_used: 1001", ["3:11: accounts[0].plan must"]],
  // The effect is the field that is wrong, so none is missing.
  [
    "faults:\n  - api: nope\n    delay_ms: soon",
    ["2:10: faults[0].api must be one of hmac", "3:15: faults[0].delay_ms must be whole milliseconds"],
  ],
  ["faults:\n  - delay_ms: soon", ["2:15: faults[0].delay_ms must be whole milliseconds"]],
  [
    "stubs:\n  - api: nope\n    probability: 2\n    data: {}",
    ["2:10: stubs[0].api must be one of hmac", "3:18: stubs[0].probability must be a number over 0"],
  ],
  [
    "profiles:\n  mine:\n    - api: nope\n      status: 99",
    ["3:12: profiles.mine[0].api must be one of", "4:15: profiles.mine[0].status must be a whole number"],
  ],
])("%j has its mistakes named at once", async (text, starts) => {
  const mistakes = await mistakesOf(text)
  expect(mistakes.map((mistake, index) => mistake.slice(0, starts[index]?.length))).toEqual(starts)
})

test("a seed that is too large or missing is refused", async () => {
  const large = await runCliForTest(["mock", "--seed", fileOf("a".repeat(600_000))])
  expect(large).toMatchObject({ code: 2, out: "", err: expect.stringContaining("is too large") })
  const missing = await runCliForTest(["mock", "--seed", join(dir, "none.yaml")])
  expect(missing).toMatchObject({ code: 2, out: "", err: expect.stringContaining("cannot be read: ") })
})

test("a flag wins over the file; --plan and an account of mock-key exclude each other", async () => {
  const file = fileOf("now: 2025-03-01\naccounts: [{name: A, keys: [{text: mock-key}]}]")
  const { out } = await runCliForTest(["mock", "--print-seed", "--seed", file, "--seed-time", "2026-01-01"])
  expect(parse(out)).toMatchObject({ now: "2026-01-01T00:00:00.000Z" })
  const both = await runCliForTest(["mock", "--print-seed", "--seed", file, "--plan", "free"])
  expect(both).toMatchObject({ code: 2, err: expect.stringContaining("gets its plan here and from --plan") })
})

test("the clock may start in the last second of the last year", async () => {
  const now = "9999-12-31T23:59:59.000Z"
  const { out, err } = await runCliForTest(["mock", "--print-seed", "--seed-time", now])
  expect([parse(out)?.now, err]).toEqual([now, ""])
  expect(parse(await print(fileOf(`now: ${now}`)))).toMatchObject({ now })
  const early = await runCliForTest(["mock", "--print-seed", "--seed-time", "1969-12-31"])
  expect(early.err).toContain("--seed-time must be an instant from 1970 to 9999, ")
})

test("the JSON Schema is printed without rules of our own", async () => {
  const { code, out } = await runCliForTest(["mock", "--seed-schema"])
  expect(code).toBe(0)
  expect(Object.keys(JSON.parse(out).properties)).toContain("accounts")
  expect(out).not.toContain('"x-')
  expect(out).not.toContain("penknife-")
})

test("a session begins in the state of the seed too", async () => {
  const mock = await startTestMock({ seedFile: fileOf(seed) })
  const { data } = await mock.control("POST", "/sessions")
  expect((await callOf(String(data?.url))).headers.get("x-seeded")).toBe("yes")
  expect((await callOf(String(data?.url))).status).toBe(429)
  expect((await callOf(mock.url)).status).toBe(200)
})
