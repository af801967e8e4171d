/** `GET /metrics`: the values, and that clients cannot add series. */
import { afterAll, expect, test } from "bun:test"
import { httpLimits } from "../src/surfaces/http/read/limits.ts"
import { createManualClock } from "./support/clock.ts"
import { readMetrics, sumOf } from "./support/metrics.ts"
import { ownCommand } from "./support/own-command.ts"
import { converse } from "./support/raw-http.ts"
import { startTestService, type TestService } from "./support/service.ts"
import { unreadCall } from "./support/unread.ts"
import { until } from "./support/until.ts"

const services: TestService[] = []
async function start(flags: Record<string, unknown> = {}, clock = createManualClock()) {
  const service = await startTestService({ flags, clock })
  services.push(service)
  const scrape = async (headers: Record<string, string> = {}) => {
    // Otherwise it could be the answer of a moment ago.
    service.clock.advance(httpLimits.sharedAnswerSeconds * 1_000)
    return service.fetch("/metrics", { headers })
  }
  return { service, scrape, read: async () => readMetrics(await (await scrape()).text()) }
}
afterAll(async () => {
  await Promise.all(services.map((service) => service.stop()))
})

const json = { "content-type": "application/json" }
const lookup = "/v1/bluetoothlookup?companyid=76"

test("requests, credits, calls and faults are counted where they belong", async () => {
  const { service, read } = await start()
  const { key } = await service.createKey("pro")
  const post = (path: string, body: unknown) => service.post(path, body, { key })
  for (let count = 0; count < 3; count++) await service.fetch(lookup, { key })
  await service.fetch("/v1/bluetoothlookup?companyid=x", { key })
  await service.fetch(lookup)
  await post("/v1/bluetoothlookup/batch", { inputs: ["1", "x", "2"].map((companyid) => ({ companyid })) })
  const field = 'bluetoothlookup(input: {companyid: "1"}) { company }'
  await post("/v1/graphql", { query: `{ ${field} }` })
  await post("/v1/graphql", { query: `{ ${field} linesorter(input: {lines: ["a"]}) { sorted } }` })
  await post("/v1/graphql", { query: "{" })
  await service.fetch("/v1/usage", { key })
  await service.fetch("/nothing")
  await service.fetch("/v1/hmac", { key })
  await service.fetch("/v1/hmac", { method: "OPTIONS" })
  await service.fetch("/health")

  const series = await read()
  const expected = {
    'penknife_requests_total{api="bluetoothlookup",status="200",surface="rest"}': 3,
    'penknife_requests_total{api="bluetoothlookup",status="400",surface="rest"}': 1,
    'penknife_requests_total{api="bluetoothlookup",status="401",surface="rest"}': 1,
    'penknife_requests_total{api="bluetoothlookup",status="200",surface="batch"}': 1,
    'penknife_requests_total{api="bluetoothlookup",status="200",surface="graphql"}': 1,
    'penknife_requests_total{api="several",status="200",surface="graphql"}': 1,
    'penknife_requests_total{api="none",status="400",surface="graphql"}': 1,
    'penknife_requests_total{api="usage",status="200",surface="rest"}': 1,
    'penknife_requests_total{api="none",status="404",surface="none"}': 1,
    'penknife_requests_total{api="none",status="405",surface="none"}': 1,
    'penknife_requests_total{api="none",status="204",surface="unkeyed"}': 1,
    'penknife_requests_total{api="none",status="200",surface="unkeyed"}': 1,
    'penknife_calls_charged_total{api="bluetoothlookup",surface="rest"}': 3,
    'penknife_calls_charged_total{api="bluetoothlookup",surface="batch"}': 2,
    'penknife_calls_charged_total{api="bluetoothlookup",surface="graphql"}': 2,
    'penknife_credits_charged_total{api="linesorter",surface="graphql"}': 1,
    'penknife_faults_total{fault="inputRejected"}': 1,
    'penknife_faults_total{fault="keyMissing"}': 1,
    'penknife_faults_total{fault="graphqlParseFailed"}': 1,
    'penknife_faults_total{fault="notFound"}': 1,
    'penknife_faults_total{fault="methodNotAllowed"}': 1,
    'penknife_request_duration_seconds_count{api="bluetoothlookup",surface="rest"}': 5,
    penknife_open_requests: 1,
    penknife_workers: 1,
  }
  expect(Object.fromEntries([...series].filter(([name]) => name in expected))).toEqual(expected)
  expect(sumOf(series, "penknife_requests_total")).toBe(14)
  // REST, the batch, and the two GraphQL queries; each call costs one credit.
  expect(sumOf(series, "penknife_credits_charged_total")).toBe(3 + 2 + 1 + 2)
})

test("limits that are reached are counted", async () => {
  const { service, read } = await start()
  const { key } = await service.createKey("pro", { rateLimit: 1 })
  expect((await service.fetch(lookup, { key })).status).toBe(200)
  expect((await service.fetch(lookup, { key })).status).toBe(429)
  expect(await read()).toContainEqual(['penknife_faults_total{fault="rateLimited"}', 1])
})

test("the store, its notices, the process and the event loop are measured", async () => {
  const { read } = await start()
  const series = await read()
  expect(series.get('penknife_store_bytes{part="main"}')).toBeGreaterThan(1_023)
  expect([...series].filter(([name]) => name.startsWith("penknife_notices"))).toEqual([
    ['penknife_notices{state="pending"}', 0],
  ])
  expect(series.get('penknife_mails{state="pending"}')).toBe(0)
  expect(series.get('penknife_link_questions{asked="sign-up"}')).toBe(0)
  for (const name of ["resident_memory_bytes", "cpu_seconds_total", "start_time_seconds"]) {
    expect(series.get(`process_${name}`)).toBeGreaterThan(0)
  }
  expect(series.has("penknife_event_loop_lag_seconds_count")).toBe(true)
  expect(sumOf(series, "penknife_dns_queries_total")).toBe(0)
  expect(series.get("penknife_dns_cache_hits_total")).toBe(0)
})

test("buckets are cumulative, and the last one equals the count", async () => {
  const { service, read } = await start()
  const { key } = await service.createKey("pro")
  for (let count = 0; count < 5; count++) await service.fetch(lookup, { key })
  const series = await read()
  const buckets = [...series].filter(([name]) => /duration_seconds_bucket.*bluetoothlookup.*rest/.test(name))
  const values = buckets.map(([, value]) => value)
  expect(values).toHaveLength(15)
  expect(values).toEqual([...values].sort((a, b) => a - b))
  expect(buckets.at(-1)?.[0]).toContain('le="+Inf"')
  expect(values.at(-1)).toBe(5)
})

test("answers that nobody has read yet are measured", async () => {
  const { service, read } = await start()
  const { key } = await service.createKey("pro")
  const unreadBytes = async () => (await read()).get("penknife_unsent_answer_bytes") ?? -1
  expect(await unreadBytes()).toBe(0)
  // Ten times what the buffers of the system take.
  const inputs = Array(200).fill({ lines: Array(20).fill("&".repeat(500)) })
  const { socket } = unreadCall(service.url, "/v1/linesorter/batch?format=xml", { inputs }, key)
  await until(async () => (await unreadBytes()) > 1_000_000)
  socket.destroy()
  await until(async () => (await unreadBytes()) === 0)
})

test("a thousand random paths, methods, keys and queries make no new label", async () => {
  const { service, scrape, read } = await start()
  const { key } = await service.createKey("pro")
  const methods = ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"]
  const request = async (count: number) => {
    const mark = `mark${count}`
    const unknown = [`/${mark}`, `/v1/${mark}`, `/v1/${mark}/batch`]
    const paths = [...unknown, `/v1/hmac?x=${mark}`, `/v1/graphql?${mark}`, lookup]
    const body = JSON.stringify({ query: `{ ${mark} }`, [mark]: 1 })
    const method = methods[count % methods.length] ?? "GET"
    const response = await service.fetch(paths[count % paths.length] ?? "/", {
      method,
      key: count % 3 === 0 ? key : `pk-${mark}`,
      headers: { "x-request-id": mark, "x-forwarded-for": mark, ...json },
      ...(["POST", "PUT", "PATCH"].includes(method) && { body }),
    })
    await response.arrayBuffer()
  }
  // The first 126 requests use every combination of path, method and key.
  for (let count = 0; count < 126; count++) await request(count)
  await read()
  const before = await read()
  for (let count = 126; count < 1_000; count++) await request(count)
  const after = await read()
  expect([...after.keys()]).toEqual([...before.keys()])
  const text = await (await scrape()).text()
  expect(text).not.toContain("mark")
  expect(text).not.toContain(key.slice(3, 12))
  expect(text).not.toMatch(/acc_|key_|pk[-_]/)
  expect(sumOf(after, "penknife_requests_total")).toBe(1_002)
}, 300_000)

test("the answer is Prometheus text without CORS, and not cached", async () => {
  const { scrape } = await start()
  const { status, headers } = await scrape()
  expect(status).toBe(200)
  expect(headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8")
  expect(headers.get("cache-control")).toBe("no-store")
  expect(headers.get("x-content-type-options")).toBe("nosniff")
  expect(headers.get("access-control-allow-origin")).toBeNull()
  expect(headers.get("x-request-id")).not.toBeNull()
})

test("the token is required for every spelling of the path", async () => {
  const { service } = await start({ metricsToken: "s3cret-token" })
  // The runtime turns some of these into /metrics, which a rule in a proxy may miss.
  for (const path of ["/v1/../metrics", "/v1\\..\\metrics", "/v1/%2e%2e/metrics", "//metrics", "/metrics/"]) {
    const answer = await converse(service.url, `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
    expect(answer).toMatch(/^HTTP\/1\.1 40[14] /)
    expect(answer).not.toContain("penknife_")
  }
})

test("metrics are made once a second, however often they are read", async () => {
  const { service, scrape } = await start()
  const first = await (await scrape()).text()
  for (let n = 0; n < 10; n++) {
    await service.fetch("/health")
    expect(await (await service.fetch("/metrics")).text()).toBe(first)
  }
  expect(sumOf(readMetrics(await (await scrape()).text()), "penknife_requests_total")).toBeGreaterThan(20)
})

test.each([
  [{ host: "0.0.0.0" }, true],
  [{ host: "::" }, true],
  [{ host: "127.0.0.1" }, false],
  [{ host: "0.0.0.0", metricsToken: "0123456789abcdef" }, false],
  [{ host: "0.0.0.0", noMetrics: true }, false],
])("a start with %j warns that everyone may read the metrics: %p", async (flags, isWarned) => {
  const { service } = await start(flags)
  const line = service.logged().match(/.*"message":"metrics are readable by everyone".*/)?.[0]
  expect(line !== undefined).toBe(isWarned)
  const advice = expect.stringContaining("--metrics-token")
  if (line) expect(JSON.parse(line)).toMatchObject({ level: "warn", advice })
})

test("with a token, requests without it are refused", async () => {
  const { scrape } = await start({ metricsToken: "s3cret-token" })
  for (const authorization of ["", "Bearer", "Bearer s3cret-toke", "s3cret-token", "Basic s3cret-token"]) {
    const refused = await scrape({ authorization })
    expect(refused.status).toBe(401)
    expect(refused.headers.get("www-authenticate")).toBe("Bearer")
    const text = await refused.text()
    expect(text).toContain("--metrics-token")
    expect(text).not.toContain("s3cret")
    expect(text).not.toContain("penknife_")
  }
  const allowed = await scrape({ authorization: "Bearer s3cret-token" })
  expect(await allowed.text()).toContain("penknife_requests_total")
})

test("with --no-metrics the path does not exist", async () => {
  const { scrape } = await start({ noMetrics: "true" })
  expect((await scrape()).status).toBe(404)
})

test("a slash at the end makes another path, which a proxy may let through", async () => {
  const { service, scrape } = await start()
  expect((await scrape()).status).toBe(200)
  const answer = await service.fetch("/metrics/")
  expect([answer.status, await answer.text()]).toEqual([
    404,
    expect.stringContaining("Did you mean /metrics?"),
  ])
})

test("metrics that everyone may read do not tell whose question for a link made a mail", async () => {
  const smtp = "smtp://127.0.0.1:1?starttls=never"
  const mail = { smtp, mailFrom: "a@acme.example", signUpMode: "open", trustProxy: ["127.0.0.0/8"] }
  const ask = async (service: TestService, email: string, network: number) => {
    const headers = { ...json, origin: service.url, "x-forwarded-for": `10.0.${network}.1` }
    const answer = await service.post("/portal/mail-links", { for: "sign-in", email }, { headers })
    expect(answer.status).toBe(202)
  }
  const clock = createManualClock()
  const shown: string[][] = []
  for (const asked of ["ann@example.com", "bob@example.com"]) {
    const { service, scrape } = await start(mail, clock)
    const create = ["account", "create", "--name", "Ann", "--plan", "free", "--email", "ann@example.com"]
    expect((await ownCommand([...create, "--db", service.db])).exitCode).toBe(0)
    await Promise.all([1, 2, 3].map((network) => ask(service, asked, network)))
    const text = await (await scrape()).text()
    // Real time tells of this machine alone.
    shown.push(text.split("\n").filter((line) => !/event_loop_lag|process_start_time/.test(line)))
  }
  expect(shown[0]).toEqual(shown[1] ?? [])
  const { scrape } = await start({ ...mail, metricsToken: "secret" })
  const authorization = "Bearer secret"
  const series = readMetrics(await (await scrape({ authorization })).text())
  expect(series.get('penknife_mails{state="pending"}')).toBe(0)
  expect(series.get('penknife_store_bytes{part="main"}')).toBeGreaterThan(1_023)
  expect(series.get("process_cpu_seconds_total")).toBeGreaterThan(0)
})
