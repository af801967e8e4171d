/** The control paths of the mock: what they do. */
import { beforeEach, describe, expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { createMockClock } from "../src/ports/mock-ports.ts"
import { readAnswer } from "./support/answer.ts"
import { postWith } from "./support/keyed-request.ts"
import { askForLink, exhaust, listOf, post, startTestMock, type TestMock, ways } from "./support/mock.ts"
import { tempDir } from "./support/temp.ts"
import { until } from "./support/until.ts"

const dir = tempDir()
const mock = await startTestMock()
beforeEach(() => mock.reset())

const call = async (path: string, key = "mock-pro") => readAnswer(mock.fetch(path, { key }))
const advance = (time: string) => mock.control("PUT", "/clock", { advance: time })
const spf = (domain: string) => call(`/v1/spfvalidator?domain=${domain}`)
const credits = async (key: string) =>
  (await call("/v1/usage", key)).data as { renewal: string; credits: { used: number; remaining: number } }

test("keeps browsers from guessing the type of any answer", async () => {
  await mock.control("PUT", "/faults", { api: "hmac", status: 503 })
  const paths = ["/_mock", "/_mock/clock", "/_mock/nothing", "/_mock/clock?x=1", "/v1/hmac", "/v1/nothing"]
  for (const path of paths) {
    const { headers } = await mock.fetch(path, { key: "mock-pro" })
    expect([path, headers.get("x-content-type-options")]).toEqual([path, "nosniff"])
  }
})

test("has usage by month after the days to keep it by day, as a service", async () => {
  await call("/v1/bluetoothlookup?companyid=76")
  const usage = async (query: string) => {
    const headers = { authorization: "Bearer mock-admin" }
    const answer = await mock.fetch(`/admin/v1/usage?by=day&by=api&${query}`, { headers })
    return [answer.status, ((await answer.json()) as { data?: unknown }).data]
  }
  const january = "from=2025-01-01&to=2025-01-31"
  const row = { api: "bluetoothlookup", calls: 1, credits: 1 }
  expect(await usage(january)).toEqual([200, [{ day: "2025-01-01", ...row }]])
  for (let hour = 0; hour < 2; hour++) {
    await mock.control("PUT", "/clock", { advance: hour === 0 ? "500d" : "1h" })
    expect(await usage(january)).toEqual([200, [{ day: "2025-01", ...row }]])
    expect(await usage("from=2025-01-01&to=2025-01-30")).toEqual([400, undefined])
  }
})

const stub = (body: object) => mock.control("PUT", "/stubs", body)
const lookUp = async (id: string) => (await call(`/v1/bluetoothlookup?companyid=${id}`, "mock-pro")).data

test("stubs: give a fixed answer, for all inputs or for those that match, the latest first; it is charged", async () => {
  await stub({ api: "bluetoothlookup", data: { company: "Any" } })
  await stub({ api: "bluetoothlookup", input: { companyid: "77" }, data: { company: "Seventy-seven" } })
  expect(await lookUp("76")).toEqual({ company: "Any" })
  expect(await lookUp("77")).toEqual({ company: "Seventy-seven" })
  expect((await credits("mock-pro")).credits.used).toBe(2)
  await stub({ api: "bluetoothlookup", input: { companyid: "77" }, data: { company: "Changed" } })
  expect(await lookUp("77")).toEqual({ company: "Changed" })
  await mock.control("DELETE", "/stubs")
  expect(await lookUp("76")).toMatchObject({ company: "Apple, Inc." })
})

test("stubs work in a batch and over GraphQL, and hide premium fields from a plan without them", async () => {
  await stub({ api: "bluetoothlookup", data: { company: "Any" } })
  const results = [{ data: { company: "Any" } }, { data: { company: "Any" } }]
  expect(await (await ways.batch(mock, "mock-pro")).json()).toMatchObject({ data: { results } })
  const data = { bluetoothlookup: { company: "Any" } }
  expect(await (await ways.graphql(mock, "mock-pro")).json()).toEqual({ data })
  const full = { spf_valid: true, risk_score: 5, spf_records_list: [{ origin: "x.example" }] }
  await stub({ api: "spfvalidator", data: full })
  expect((await call("/v1/spfvalidator?domain=x.example", "mock-free")).data).toEqual({ spf_valid: true })
  expect((await spf("x.example")).data).toEqual(full)
})

test("the clock does not move by itself", async () => {
  const from = (now: string) => ({ now, mode: "stopped" })
  expect((await mock.control("GET", "/clock")).data).toEqual(from("2025-01-01T00:00:00.000Z"))
  expect((await advance("90s")).data).toEqual(from("2025-01-01T00:01:30.000Z"))
  expect((await advance("2678400s")).data).toEqual(from("2025-02-01T00:01:30.000Z"))
  const set = await mock.control("PUT", "/clock", { now: "2024-06-21T12:00:00+02:00" })
  expect(set.data).toEqual(from("2024-06-21T10:00:00.000Z"))
})

test("the clock: after 31 days the month's credits are renewed and the expiring key has expired", async () => {
  await ways.batch(mock, "mock-expiring")
  await ways.batch(mock, "mock-free")
  const before = { renewal: "2025-02-01T00:00:00.000Z", credits: { used: 2, remaining: 1_498 } }
  expect(await credits("mock-free")).toMatchObject(before)
  expect(await exhaust(mock)).toBe(429)
  await advance("31d")
  const after = { renewal: "2025-03-01T00:00:00.000Z", credits: { used: 0, remaining: 1_500 } }
  expect(await credits("mock-free")).toMatchObject(after)
  expect(await exhaust(mock)).toBe(200)
  const expired = await ways.rest(mock, "mock-expiring")
  expect(expired.status).toBe(401)
  expect((await readAnswer(expired)).error).toContain("has expired")
  // Before its expiry a key works.
  await mock.control("PUT", "/clock", { now: "2024-11-15" })
  expect((await ways.rest(mock, "mock-expired")).status).toBe(200)
})

test("the clock: sunrise without a date is for the day of the clock", async () => {
  const day = async () => (await call("/v1/sunrisesunset?lat=51.5&lon=0")).data?.sunrise
  expect(await day()).toStartWith("2025-01-01")
  await advance("31d")
  expect(await day()).toStartWith("2025-02-01")
})

test("80 % and 95 % of a month's credits raise one notice each, once a month", async () => {
  const inputs = Array.from({ length: 200 }, () => ({ companyid: "76" }))
  const spend = (count: number) =>
    post(mock, "/v1/bluetoothlookup/batch", "mock-free", { inputs: inputs.slice(0, count) })
  const notices = () => listOf(mock, "notices")
  for (let i = 0; i < 4; i++) await spend(i === 3 ? 199 : 200)
  expect(await notices()).toEqual([])
  await spend(1)
  const unsent = { state: "unsent", arrival: null, next_attempt: null, attempts: [] } as const
  const reason = "its account has no webhook, or gets its notices by mail"
  const first = {
    ...{ ...unsent, reason },
    id: expect.stringMatching(/^msg_/),
    type: "credits.threshold_reached",
    timestamp: "2025-01-01T00:00:00.000Z",
    data: {
      account: expect.stringMatching(/^acc_/),
      plan: "free",
      threshold: 80,
      used: 800,
      allowance: 1_000,
      period_start: "2025-01-01T00:00:00.000Z",
      period_end: "2025-02-01T00:00:00.000Z",
    },
  }
  expect(await notices()).toEqual([first])
  await spend(150)
  await spend(5)
  const second = expect.objectContaining({ data: expect.objectContaining({ threshold: 95, used: 950 }) })
  expect(await notices()).toEqual([first, second])
  await advance("31d")
  for (let i = 0; i < 4; i++) await spend(200)
  expect((await notices()).filter(({ type }) => type === "credits.threshold_reached")).toHaveLength(3)
})

describe("events", () => {
  const events = async () =>
    (await listOf(mock, "notices")).map(({ type, timestamp, data }) => [
      ...[type, timestamp],
      data.within_days ?? data.used ?? data.bonus,
    ])
  const expiring = [
    ["key.expiring", "2025-01-24T00:00:00.000Z", 7],
    ["key.expiring", "2025-01-30T00:00:00.000Z", 1],
  ]
  const renewed = ["month.renewed", "2025-02-01T00:00:00.000Z", 0]

  test("that come with time are raised when the clock moves past them, once, and again after a reset", async () => {
    for (let round = 0; round < 2; round++) {
      await mock.control("POST", "/reset")
      await advance("22d")
      expect(await events()).toEqual([])
      await advance("1d")
      expect(await events()).toEqual(expiring.slice(0, 1))
      await advance("20d")
      expect(await events()).toEqual([...expiring, renewed])
      await mock.control("PUT", "/clock", { now: "2025-01-01T00:00:00Z" })
      await mock.control("PUT", "/clock", { now: "2025-02-13T00:00:00Z" })
      expect(await events()).toEqual([...expiring, renewed])
    }
  })

  test("credits.exhausted is raised by the first call that finds all credits used up", async () => {
    for (let i = 0; i < 3; i++) expect(await exhaust(mock)).toBe(429)
    await until(async () => (await events()).length > 0)
    // The account was made with all credits used, so the thresholds are found reached with the same look.
    const types = ["credits.exhausted", "credits.threshold_reached", "credits.threshold_reached"]
    expect((await events()).map(([type]) => type).toSorted()).toEqual(types)
  })
})

test("DNS has domains for every kind of result", async () => {
  const valid: readonly [domain: string, qualifier: string | null, lookups: number][] = [
    ["good.example", "fail", 7],
    ["softfail.example", "softfail", 5],
    ["neutral.example", "neutral", 0],
    ["open.example", "pass", 0],
    // The qualifier is that of the record; the redirect decides.
    ["redirect.example", null, 1],
    ["parked.example", "fail", 0],
  ]
  for (const [domain, all_qualifier, dns_lookups_num] of valid) {
    const { data } = await spf(domain)
    expect(data).toMatchObject({ spf_valid: true, all_qualifier, dns_lookups_num })
  }
  expect((await spf("good.example")).data?.has_issues).toBe(false)
  expect((await spf("none.example")).data).toMatchObject({ has_spf_record: false })
  for (const broken of ["loop.example", "toomany.example", "double.example", "typo.example"]) {
    const { data } = await spf(broken)
    expect([broken, data?.spf_valid, data?.has_issues]).toEqual([broken, false, true])
  }
  for (const silent of ["timeout.example", "servfail.example"])
    expect(await spf(silent)).toMatchObject({ status: "error", error: expect.stringContaining(silent) })
  const check = async (domain: string, ip: string) => (await spf(`${domain}&ip=${ip}`)).data
  expect(await check("flaky.example", "192.0.2.1")).toMatchObject({ ip_result: "temperror" })
  expect(await check("macro.example", "192.0.2.1")).toMatchObject({ ip_pass: true })
  const ip_explanation = "192.0.2.2 may not send for macro.example."
  expect(await check("macro.example", "192.0.2.2")).toMatchObject({ ip_result: "fail", ip_explanation })
})

test("DNS is replaced while it runs, by JSON or YAML, and read back", async () => {
  const zone = { "a.example": [{ TXT: "v=spf1 -all" }] }
  expect(await mock.control("PUT", "/dns", zone)).toMatchObject({ code: 200, data: { names: 1 } })
  expect((await spf("a.example")).data).toMatchObject({ spf_valid: true })
  expect((await spf("good.example")).data).toMatchObject({ has_spf_record: false })
  await mock.control("PUT", "/dns", "b.example:\n  - TIMEOUT\n")
  expect((await spf("b.example")).error).toContain("b.example")
  expect((await mock.control("GET", "/dns")).data).toEqual({ zone: { "b.example": ["TIMEOUT"] } })
})

test("DNS takes any Unicode text as TXT and answers with its UTF-8, as a zone does", async () => {
  const record = "v=spf1 a:bücher.example include:€.example -all"
  for (const text of [record, ["v=spf1 a:bü", "cher.example include:€.example -all"]]) {
    const zone = { "a.example": [{ TXT: text }, { TXT: "grüße, 世界 🌍" }] }
    expect(await mock.control("PUT", "/dns", zone)).toMatchObject({ code: 200, data: { names: 1 } })
    expect((await mock.control("GET", "/dns")).data).toEqual({ zone })
    const { data } = await spf("a.example")
    expect(data).toMatchObject({ has_spf_record: true, spf_valid: false, spf_record: record })
  }
  const lone = await mock.control("PUT", "/dns", '{"a.example": [{"TXT": "\\ud800"}]}')
  expect([lone.code, lone.error]).toEqual([400, expect.stringContaining("well-formed Unicode text")])
})

test("DNS comes from --dns FILE, and the error for a bad file names the line", async () => {
  const file = join(dir, "zone.yaml")
  writeFileSync(file, "own.example:\n  - TXT: v=spf1 +all\n")
  const own = await startTestMock({ dnsFile: file })
  const answer = own.fetch("/v1/spfvalidator?domain=own.example", { key: "mock-pro" })
  expect((await readAnswer(answer)).data).toMatchObject({ all_qualifier: "pass" })
  writeFileSync(file, "own.example:\n  - TXT: 5\n")
  await expect(startTestMock({ dnsFile: file })).rejects.toThrow(`--dns ${file}: line 2: `)
  await expect(startTestMock({ dnsFile: join(dir, "none.yaml") })).rejects.toThrow("none.yaml")
})

test("a reset brings everything back to the start", async () => {
  const fresh = await startTestMock()
  const sequence = async (target: typeof mock) => {
    const texts: string[] = []
    for (const key of ["mock-free", "mock-pro"]) {
      const answer = await target.fetch("/v1/spfvalidator?domain=good.example", { key })
      texts.push(JSON.stringify([...answer.headers].filter(([name]) => name !== "date")), await answer.text())
    }
    return texts
  }
  await sequence(mock)
  await mock.control("PUT", "/faults", { status: 500 })
  await mock.control("PUT", "/stubs", { api: "spfvalidator", data: {} })
  await advance("400d")
  await mock.control("PUT", "/dns", {})
  expect(await mock.control("POST", "/reset")).toMatchObject({ code: 200 })
  expect((await mock.control("GET", "/requests")).data).toEqual({ requests: [], total: 0, dropped: 0 })
  expect(await sequence(mock)).toEqual(await sequence(fresh))
})

test("a call in progress during a reset is answered and not charged afterwards", async () => {
  await mock.control("PUT", "/faults", { delay_ms: 60, times: 1 })
  const slow = ways.rest(mock, "mock-pro")
  // The fault leaves the list as soon as the call has met it.
  await until(async () => !JSON.stringify((await mock.control("GET", "/faults")).data).includes("delay_ms"))
  await mock.reset()
  expect((await slow).status).toBe(200)
  expect((await ways.rest(mock, "mock-pro")).headers.get("x-api-credits-used")).toBe("1")
})

test("an answer that asks to wait says how to move a clock that stands still", async () => {
  const limited = await ways.rest(mock, "mock-rate-limited")
  expect([limited.status, limited.headers.get("mock-hint")]).toEqual([
    429,
    `the clock stands still: PUT /_mock/clock {"advance": "${limited.headers.get("retry-after")}s"}, or start with --clock real`,
  ])
  const fine = await ways.rest(mock, "mock-pro")
  expect([fine.status, fine.headers.get("mock-hint")]).toEqual([200, null])
})

test("a clock that runs begins at --seed-time and is moved from where it is", async () => {
  const running = await startTestMock({ clock: "real" })
  const before = Date.parse(String((await running.control("GET", "/clock")).data?.now))
  const seedMs = Date.parse("2025-01-01T00:00:00Z")
  expect(before).toBeGreaterThanOrEqual(seedMs)
  expect(before - seedMs).toBeLessThan(600_000)
  const { data } = await running.control("PUT", "/clock", { advance: "1h" })
  expect(data?.mode).toBe("real")
  expect(Date.parse(String(data?.now)) - before).toBeGreaterThanOrEqual(3_600_000)
  expect((await ways.rest(running, "mock-rate-limited")).status).toBe(200)
  const again = await ways.rest(running, "mock-rate-limited")
  expect([again.status, again.headers.get("mock-hint")]).toEqual([429, null])
})

test("a clock that runs is as far on as the time that has passed", () => {
  let elapsedMs = 5_000.4
  const clock = createMockClock(1_000_000, () => elapsedMs)
  elapsedMs += 1_500.9
  expect([clock.now(), clock.monotonicMs()]).toEqual([1_001_500, 1_500])
  clock.set(900_000)
  expect([clock.now(), clock.monotonicMs()]).toEqual([900_000, 1_500])
  elapsedMs += 1_000
  clock.set(clock.now() + 60_000)
  expect([clock.now(), clock.monotonicMs()]).toEqual([961_000, 62_500])
})

test("mails that a service would send are listed with their text, the same after each reset", async () => {
  const admin = (method: string, path: string, body: unknown) =>
    mock.fetch(`/admin/v1${path}`, {
      ...postWith(body),
      method,
      headers: { authorization: "Bearer mock-admin", "content-type": "application/json" },
    })
  const mails = () => listOf(mock, "mails")
  async function play() {
    expect(await mails()).toEqual([])
    const ann = { name: "Ann", email: "ann@example.com", events: ["key.created"] }
    const made = await admin("POST", "/accounts", ann)
    const { id } = (await made.json()) as { id: string }
    expect((await admin("PATCH", `/accounts/${id}`, { notify: "mail" })).status).toBe(200)
    expect((await admin("POST", "/keys", { account: id, name: "<first>" })).status).toBe(201)
    await askForLink(mock.url, "ann@example.com", "sign-in")
    const listed = await mails()
    expect(await mails()).toEqual(listed)
    return listed
  }
  const first = await play()
  expect(first).toMatchObject([
    { to: "ann@example.com", template: "notice", subject: "penknife: A key was created", link: null },
    { to: "ann@example.com", template: "sign-in", subject: "Sign in to penknife" },
  ])
  const [notice, signIn] = first
  expect(notice?.text).toContain("Name: <first>")
  expect(notice?.html).toContain("&lt;first&gt;")
  expect(signIn?.text).toContain(signIn?.link ?? "no link")
  await mock.reset()
  expect(await play()).toEqual(first)
})

test("preparing the first answer changes nothing: the next ones are those of a mock without", async () => {
  const read = async (one: TestMock) => {
    const answers: string[] = []
    for (const path of "/_mock/clock /_mock/requests /v1/usage /_mock/requests /_mock/sessions".split(" ")) {
      const answer = await one.fetch(path)
      answers.push(`${path} ${answer.status} ${answer.headers.get("x-request-id")} ${await answer.text()}`)
    }
    return answers.map((answer) => answer.replaceAll(new URL(one.url).host, ""))
  }
  const [prepared, other] = [await startTestMock(), await startTestMock()]
  await prepared.warmUp()
  const expected = await read(other)
  expect(await read(prepared)).toEqual(expected)
  expect(expected.join()).not.toContain("warm-up")
})
