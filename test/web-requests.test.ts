/** HTTPS requests to other hosts, as they pass through accounts, queries, threads, traces, settings and the test double. */
import { describe, expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Web, WebFailure } from "../src/apis/contract.ts"
import { catalog } from "../src/app/prepare.ts"
import { createZoneDns } from "../src/ports/dns/zone.ts"
import { createFixedWeb } from "../src/ports/web/fixed-web.ts"
import { readAnswer } from "./support/answer.ts"
import { runCliForTest } from "./support/cli.ts"
import { startTestMock } from "./support/mock.ts"
import { startOtlpReceiver } from "./support/otlp-receiver.ts"
import { apiSource, folderOf } from "./support/own-apis.ts"
import { startTestService } from "./support/service.ts"
import { tempDir } from "./support/temp.ts"

const policy = "version: STSv1\nmode: enforce\nmx: m.a.example\nmax_age: 86400\n"
const urlOf = (domain: string) => `https://mta-sts.${domain}/.well-known/mta-sts.txt`
const domains = Array.from({ length: 50 }, (_, n) => `d${n}.example`)
const dns = createZoneDns(
  Object.fromEntries(
    ["a.example", ...domains].flatMap((name) => [
      [name, [{ MX: [1, "m.a.example"] as const }]],
      [`_mta-sts.${name}`, [{ TXT: "v=STSv1; id=1" }]],
    ]),
  ),
)
const fixture = createFixedWeb(
  Object.fromEntries(["a.example", ...domains].map((name) => [urlOf(name), { body: policy }])),
)

/** A Web that keeps what it is asked for. */
function recording() {
  const asked: { url: string; account: string | undefined }[] = []
  const web: Web = {
    get(url, _signal, account) {
      asked.push({ url, account })
      return fixture.get(url)
    },
  }
  return { asked, web }
}

type TestMock = Awaited<ReturnType<typeof startTestMock>>

function callOf(mock: TestMock, domain: string): Promise<Response> {
  const headers = { "content-type": "application/json" }
  const body = JSON.stringify({ domain })
  return mock.fetch("/v1/mtastsvalidator", { method: "POST", key: "mock-pro", headers, body })
}

test("a request is sent on behalf of the caller's account", async () => {
  const { asked, web } = recording()
  const service = await startTestService({ ports: { dns, web } })
  const { account, key } = await service.createKey("pro")
  const answer = await readAnswer(service.post("/v1/mtastsvalidator", { domain: "a.example" }, { key }))
  expect(answer.data).toMatchObject({ is_valid: true, mode: "enforce" })
  expect(asked).toEqual([{ url: urlOf("a.example"), account }])
})

test("a request counts as eight DNS questions, so that a query sends 24 beside its own questions", async () => {
  const { asked, web } = recording()
  const service = await startTestService({ ports: { dns, web } })
  const { key } = await service.createKey("pro")
  const fields = domains.map((name, n) => `f${n}: mtastsvalidator(input: {domain: "${name}"}) { mode }`)
  const response = await service.post("/v1/graphql", { query: `{ ${fields.join(" ")} }` }, { key })
  const body: unknown = await response.json()
  // Each field asks two questions and sends one request: 24 × 10 = 240.
  expect(asked).toHaveLength(24)
  expect(body).toMatchObject({ data: { f0: { mode: "enforce" }, f23: { mode: "enforce" }, f24: null } })
  expect(JSON.stringify(body)).toContain("QUERY_TOO_COMPLEX")
})

test("a request has a span without its URL, from an operator's own API in its thread too", async () => {
  const run = `const answers = []
    for (let n = 0; n < 32; n++) answers.push(await ports.web.get("https://mta-sts.secret.example/" + n))
    const { kind, reason, status, contentType, body } = await ports.web.get(text)
    const last = answers.at(-1)
    return { shouted: text === "hello" ? "HELLO" : [kind, reason ?? status, last.reason, contentType, body?.length].join(" ") }`
  const collector = startOtlpReceiver()
  const { asked, web } = recording()
  const service = await startTestService({
    ports: { dns, web },
    flags: { apis: folderOf({ "reader/index.ts": apiSource("reader", { run }) }) },
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: "1" },
  })
  const { key } = await service.createKey("pro")
  const call = async (text: string) => (await readAnswer(service.post("/v1/reader", { text }, { key }))).data
  // 30 of 32 requests are answered; the others fail with "aborted", and so does the one after them.
  expect(await call(urlOf("a.example"))).toEqual({ shouted: "failure aborted aborted  " })
  expect(asked).toHaveLength(30)
  const spans = await collector.until((all) => all.some(({ name }) => name === "https request"))
  const offline = { kind: 3, attributes: { "penknife.web.failure": "no-address" } }
  expect(spans.find(({ name }) => name === "https request")).toMatchObject(offline)
  expect(collector.text()).not.toContain("secret.example")
})

test("a request of a thread gives the reply with its bytes", async () => {
  const run = `const { kind, status, contentType, body } = await ports.web.get("${urlOf("a.example")}")
    return { shouted: text === "hello" ? "HELLO" : [kind, status, contentType, new TextDecoder().decode(body)].join(" ") }`
  const apis = folderOf({ "reader/index.ts": apiSource("reader", { run }) })
  const service = await startTestService({ ports: { dns, web: fixture }, flags: { apis } })
  const { key } = await service.createKey("pro")
  const { data } = await readAnswer(service.post("/v1/reader", { text: "x" }, { key }))
  expect(data).toEqual({ shouted: `reply 200 text/plain ${policy}` })
})

describe("a failure that says nothing of the host", () => {
  const silent = createZoneDns({
    "a.example": [{ MX: [1, "m.a.example"] }, { TXT: "v=spf1 -all" }],
    "_mta-sts.a.example": [{ TXT: "v=STSv1; id=1" }],
    "_dmarc.a.example": [{ TXT: "v=DMARC1; p=reject" }],
    "default._bimi.a.example": [{ TXT: "v=BIMI1; l=https://logo.a.example/l.svg" }],
  })
  const reading = catalog.filter(({ asksWeb }) => asksWeb)

  /** The status, the credits and the error of each call, where every request fails like this. */
  async function failing(reason: WebFailure, answers = true) {
    const web: Web = { get: async () => ({ kind: "failure", reason, certificates: [] }) }
    const ports = { dns: { ...silent, answers: async () => answers }, web }
    const service = await startTestService({ ports })
    const { key } = await service.createKey("enterprise")
    return Promise.all(
      reading.map(async (api) => {
        const answer = await service.call(api, { domain: "a.example" }, { key })
        return [answer.status, answer.headers.get("x-api-credits-used")]
      }),
    )
  }

  test("is tried with every API that reads documents", () =>
    expect(reading.map(({ id }) => id)).toEqual(["mtastsvalidator", "bimivalidator", "mailaudit"]))

  test("is a 503 and free: no network, no route, or no DNS server that answers", async () => {
    const free = [503, "0"]
    expect(await failing("offline")).toEqual([free, free, free])
    expect(await failing("dns", false)).toEqual([free, free, free])
    // The other parts of an audit are known, and a domain may have a host to which nobody has a route.
    expect(await failing("no-route")).toEqual([free, free, [200, "15"]])
  })

  test("and others are findings, and charged", async () => {
    for (const reason of ["unreachable", "timeout", "tls", "broken", "dns"] as const)
      expect((await failing(reason)).map(([status]) => status)).toEqual([200, 200, 200])
  })
})

test("--no-outbound sends none, and the answer says what to give instead", async () => {
  const alone = await runCliForTest(["call", "mtastsvalidator", "--policy", policy, "--no-outbound"])
  expect(JSON.parse(alone.out)).toMatchObject({ is_valid: true, mode: "enforce" })
  const mock = await startTestMock({ noOutbound: true })
  const answer = await readAnswer(callOf(mock, "good.example"))
  expect(answer).toMatchObject({
    status: "error",
    error: "The 'policy' parameter must be given, since this service sends no HTTPS requests.",
  })
})

describe("the test double", () => {
  const call = async (mock: TestMock, domain: string) => (await readAnswer(callOf(mock, domain))).data

  test("has replies of its own, which can be replaced, and come back with a reset", async () => {
    const mock = await startTestMock()
    expect(await call(mock, "good.example")).toMatchObject({ is_valid: true, certificate: { days_left: 59 } })
    const replies = { [urlOf("good.example")]: { failure: "private-address" } }
    expect(await mock.control("PUT", "/web", replies)).toMatchObject({ code: 200, data: { urls: 1 } })
    expect((await mock.control("GET", "/web")).data).toEqual({ replies })
    const refused = { is_valid: false, problems: [{ code: "policy_private_address" }] }
    expect(await call(mock, "good.example")).toMatchObject(refused)
    await mock.control("POST", "/reset")
    expect(await call(mock, "good.example")).toMatchObject({ is_valid: true })
  })

  test.each([
    ["", "it is empty; {} is no replies at all"],
    ["[]", "it must be a mapping from URLs to replies"],
    ['{"http://a.example/": {}}', "must be a URL of https:"],
    ['{"https://a.example/": {"failure": "x"}}', "must fail with one of off"],
  ])("refuses the replies %j, and keeps the old ones", async (body, message) => {
    const mock = await startTestMock()
    const { code, error } = await mock.control("PUT", "/web", body)
    expect([code, error]).toEqual([400, expect.stringContaining(`The 'replies' parameter cannot be used: `)])
    expect(error).toContain(message)
    expect(await call(mock, "good.example")).toMatchObject({ is_valid: true })
  })

  test("reads --web FILE, and names a bad one", async () => {
    const file = join(tempDir(), "web.yaml")
    writeFileSync(file, `${urlOf("good.example")}:\n  status: 404\n`)
    const mock = await startTestMock({ webFile: file })
    expect(await call(mock, "good.example")).toMatchObject({ problems: [{ code: "policy_status" }] })
    writeFileSync(file, "- x\n")
    await expect(startTestMock({ webFile: file })).rejects.toThrow(`--web ${file}: it must be a mapping`)
  })
})
