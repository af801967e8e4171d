/** The request log of a service: the fields of a line, and what a line must never contain. */

import { Database } from "bun:sqlite"
import { expect, test } from "bun:test"
import type { Dns } from "../src/apis/contract.ts"
import { catalog } from "../src/app/prepare.ts"
import { createManualClock } from "./support/clock.ts"
import { startTestService, type TestOptions, type TestService } from "./support/service.ts"
import { inTurn } from "./support/turns.ts"

const json = { "content-type": "application/json" }
const lookup = "/v1/bluetoothlookup?companyid=76"

/** Runs a service and returns its whole log, line by line. */
async function logOf(
  use: (service: TestService) => Promise<void>,
  options: TestOptions = {},
): Promise<Record<string, unknown>[]> {
  const service = await startTestService(options)
  try {
    await use(service)
  } finally {
    await service.stop()
  }
  return linesSinceStart(service).map((line) => JSON.parse(line))
}

/** The log without the line about the new data file, which each of these services starts with. */
function linesSinceStart(service: TestService): string[] {
  return service
    .logged()
    .split("\n")
    .filter((line) => line !== "" && !line.includes("new data file"))
}

/** The headers of an answer, as text. */
async function headersOf(service: TestService, path: string, headers: Record<string, string>) {
  const answer = await service.fetch(path, { headers })
  return JSON.stringify(Object.fromEntries(answer.headers))
}

test("a request's line has the caller, the API, the result, the cost and the address", async () => {
  let made = { account: "", id: "", key: "" }
  const lines = await logOf(
    async (service) => {
      made = await service.createKey("pro")
      const forwarded = { "x-forwarded-for": "203.0.113.7", "x-request-id": "mine-1" }
      await service.fetch(lookup, { key: made.key, headers: forwarded })
    },
    { flags: { trustedProxies: ["127.0.0.1"] } },
  )
  expect(lines).toEqual([
    {
      level: "info",
      time: "2025-01-01T00:00:00.000Z",
      requestId: "mine-1",
      account: made.account,
      key: made.id,
      api: "bluetoothlookup",
      surface: "rest",
      status: 200,
      durationMs: 0,
      credits: 1,
      address: "203.0.113.7",
      message: "request",
    },
  ])
})

test("a request's line is written for every surface and every result, with the request id of the answer", async () => {
  const ids: (string | null)[] = []
  const lines = await logOf(async (service) => {
    const { key } = await service.createKey("pro")
    const send = async (path: string, init: Parameters<TestService["fetch"]>[1]) => {
      ids.push((await service.fetch(path, init)).headers.get("x-request-id"))
    }
    const post = (path: string, body: unknown) =>
      send(path, { key, method: "POST", headers: json, body: JSON.stringify(body) })
    await post("/v1/bluetoothlookup/batch", { inputs: ["1", "x", "2"].map((companyid) => ({ companyid })) })
    const sorting = 'linesorter(input: {lines: ["a"]}) { sorted }'
    await post("/v1/graphql", {
      query: `{ bluetoothlookup(input: {companyid: "1"}) { company } ${sorting} }`,
    })
    await post("/v1/graphql", { query: "{ nothing }" })
    await send("/v1/usage", { key })
    await send("/v1/bluetoothlookup", { key })
    await send(lookup, {})
    await send("/nothing", {})
    await send("/v1/hmac", { method: "PUT" })
  })
  expect(lines.map(({ requestId }) => requestId)).toEqual(ids)
  expect(lines.map((one) => [one.api, one.surface, one.status, one.credits, one.fault])).toEqual([
    ["bluetoothlookup", "batch", 200, 2, undefined],
    ["bluetoothlookup,linesorter", "graphql", 200, 2, undefined],
    ["none", "graphql", 400, 0, "graphqlValidationFailed"],
    ["usage", "rest", 200, 0, undefined],
    ["bluetoothlookup", "rest", 400, 0, "inputRejected"],
    ["bluetoothlookup", "rest", 401, 0, "keyMissing"],
    ["none", "none", 404, 0, "notFound"],
    ["none", "none", 405, 0, "methodNotAllowed"],
  ])
})

test("a request's line names account and key of a refused key that is known, on every surface, and the answer does not", async () => {
  const states = ["keyExpired", "keyRevoked", "keyDisabled", "keyRotated"] as const
  const made: { account: string; id: string; state: string }[] = []
  const answers: string[] = []
  const lines = await logOf(async (service) => {
    for (const state of states) {
      const expiresMs = service.clock.now() + 3_600_000
      const { account, id, key } = await service.createKey("pro", { expiresMs })
      if (state === "keyRevoked") await service.accounts.revokeKey(id)
      if (state === "keyRotated") await service.accounts.rotateKey(id, 60_000)
      if (state === "keyDisabled") {
        const database = new Database(service.db)
        database.run("UPDATE keys SET disabled_ms = 1 WHERE id = ?", [id])
        database.run("UPDATE meta SET value = value + 1 WHERE name = 'revision'")
        database.close()
      }
      made.push({ account, id, state })
      service.clock.advance(state === "keyExpired" ? 3_600_001 : 60_001)
      for (const path of [lookup, "/v1/bluetoothlookup/batch", "/v1/graphql", "/mcp", "/v1/usage"]) {
        const isGet = path === lookup || path === "/v1/usage"
        const answer = await (isGet ? service.fetch(path, { key }) : service.post(path, {}, { key }))
        answers.push(`${answer.status} ${JSON.stringify([...answer.headers])} ${await answer.text()}`)
      }
    }
  })
  expect(lines.map(({ account, key, fault, surface }) => [account, key, fault, surface])).toEqual(
    made.flatMap(({ account, id, state }) =>
      ["rest", "batch", "graphql", "mcp", "rest"].map((surface) => [account, id, state, surface]),
    ),
  )
  expect(answers).toHaveLength(20)
  for (const answer of answers) {
    expect(answer).toStartWith("401 ")
    expect(answer).not.toMatch(/acc_|key_|\["x-api/)
  }
  // A rotated key is told apart from a revoked one.
  expect(answers.filter((answer) => answer.includes("was rotated"))).toHaveLength(5)
})

test("a request's line is written for successful probes, scrapes and preflights at debug only", async () => {
  const probe = async (service: TestService) => {
    for (const path of ["/health", "/ready", "/metrics"]) await service.fetch(path)
    await service.fetch(lookup, { method: "OPTIONS" })
  }
  expect(await logOf(probe)).toEqual([])
  const lines = await logOf(probe, { flags: { logLevel: "debug" } })
  expect(lines.map(({ level, surface, status }) => [level, surface, status])).toEqual([
    ...Array(3).fill(["debug", "unkeyed", 200]),
    ["debug", "unkeyed", 204],
  ])
})

/** Makes successful calls, one with a wrong input, and one that fails in the service. */
const mixed = async (service: TestService, successes = 20) => {
  const { key } = await service.createKey("pro")
  for (let count = 0; count < successes; count++) await service.fetch(lookup, { key })
  await service.fetch("/v1/bluetoothlookup", { key })
  const other = new Database(service.db)
  other.run("BEGIN IMMEDIATE")
  expect((await service.fetch(lookup, { key })).status).toBe(503)
  other.run("ROLLBACK")
  other.close()
}
const statuses = (lines: Record<string, unknown>[]) =>
  lines.filter(({ message }) => message === "request").map(({ status }) => status)

test("levels and sampling: at info every line is written", async () => {
  expect(statuses(await logOf(mixed))).toEqual([...Array(20).fill(200), 400, 503])
})
test("levels and sampling: a share of 0.1 writes about a tenth of the lines, and all failures of the service", async () => {
  const some = statuses(await logOf((service) => mixed(service, 200), { flags: { logSample: "0.1" } }))
  expect(some).toContain(503)
  expect(some.length).toBeGreaterThan(1)
  expect(some.length).toBeLessThan(70)
})
test("levels and sampling: a share of 0 writes failures of the service only", async () => {
  expect(statuses(await logOf(mixed, { flags: { logSample: "0" } }))).toEqual([503])
})
test("levels and sampling: warn writes failures of the service only, silent writes nothing", async () => {
  const lines = (await logOf(mixed, { flags: { logLevel: "warn" } })).filter(
    // These begin beside the first calls. If the store is locked then, their failures are logged as well.
    ({ message }) =>
      message !== "notice delivery failed" &&
      message !== "the plans were not kept for commands and statements",
  )
  expect(lines.map(({ level, message }) => [level, message])).toEqual([
    ["error", "storeUnavailable"],
    ["warn", "request"],
  ])
  expect(await logOf(mixed, { flags: { logLevel: "silent" } })).toEqual([])
}, 300_000)
test("levels and sampling: a request for a feature that is turned off is not a failure of the service", async () => {
  const lines = await logOf(async (service) => void (await service.post("/v1/graphql", {})), {
    flags: { noGraphql: true, logSample: "0" },
  })
  expect(lines).toMatchObject([{ level: "info", status: 501, surface: "graphql" }])
})

/** A text that no line may contain. Tests put it into every field that a client can send. */
const mark = "sEcReTmArK"
const markedValues = [mark, `${mark}.example`, [mark, { [mark]: mark }]]
const marked = (api: (typeof catalog)[number]): Record<string, unknown>[] => [
  ...api.examples.map(({ input }) => input),
  ...Object.keys(api.input.properties).flatMap((name) =>
    markedValues.map((value) => ({ ...api.examples[0]?.input, [name]: value })),
  ),
  { ...api.examples[0]?.input, [mark]: mark },
]

/** A resolver with a bug. Its message quotes the question and has several lines. */
const fail = (name: string) => Promise.reject(new Error(`bug at ${name}\n    at ${name} (${name}:1:1)`))
const broken: Dns = { resolve: fail, exchange: fail }

/** A resolver that gets no answer. */
const timeOut = async () => ({ kind: "failure", reason: "timeout" }) as const
const silent: Dns = { resolve: timeOut, exchange: timeOut }

test.each([
  { ports: {}, status: 200 },
  { ports: { dns: broken }, status: 500 },
  { ports: { dns: silent }, status: 503 },
])(
  "no line contains what a client sent: input, query, path, header or key",
  async ({ ports, status }) => {
    const keys: string[] = []
    let sent = 0
    const lines = await logOf(
      async (service) => {
        const { key } = await service.createKey("mega")
        keys.push(key)
        const send = async (path: string, init: Parameters<TestService["fetch"]>[1] = {}) => {
          sent++
          await (await service.fetch(path, init)).arrayBuffer()
        }
        const post = (path: string, body: string, more: Record<string, string> = {}) =>
          send(path, { key, method: "POST", headers: { ...json, ...more }, body })
        // A broken DNS makes no difference to APIs that do not ask it. One of these is enough.
        const isAffected = ({ id, asksDns }: (typeof catalog)[number]) => asksDns === true || id === "hmac"
        const apis = (ports.dns ? catalog.filter(isAffected) : inTurn(catalog, 8)).values()
        const sendToApis = async () => {
          for (const api of apis) await sendTo(api)
        }
        const sendTo = async (api: (typeof catalog)[number]) => {
          // With a broken DNS, those for which it is asked about the mark. Each ends the thread of an isolated API.
          const all = marked(api)
          const asking = all.filter((input) => JSON.stringify(input).includes(`${mark}.example`))
          const inputs = ports.dns ? [all[0], ...asking] : all
          for (const input of inputs) {
            sent++
            await service.call(api, input ?? {}, { key })
            const field = `${api.id}(input: $input) { __typename }`
            const type = `${api.id[0]?.toUpperCase()}${api.id.slice(1)}Input`
            const query = `query($input: ${type}!) { ${field} }`
            await post("/v1/graphql", JSON.stringify({ query, variables: { input } }))
          }
          await post(`/v1/${api.id}/batch`, JSON.stringify({ inputs }))
          await post(`/v1/${api.id}/batch`, JSON.stringify({ inputs: mark }))
          await post(`/v1/${api.id}`, `{"${mark}`)
          await post(`/v1/${api.id}`, mark, { "content-type": mark })
          await send(`/v1/${api.id}?${mark}=${mark}&format=${mark}`, { key })
          await send(`/v1/${api.id}?%${mark}`, { key: mark })
        }
        // A call waits for most of its time.
        await Promise.all(Array.from({ length: 4 }, sendToApis))
        // A well-formed key that belongs to no account.
        const other = key.replace(/^pk-./, "pk-0")
        keys.push(other)
        await send(lookup, { key: other })
        await send(`/${mark}/${key}?${mark}`)
        await send(`/v1/${key}/batch`, { method: "POST", headers: json, body: "{}" })
        const headers = { "x-request-id": `${mark} ${mark}`, "user-agent": mark, referer: mark }
        await send(lookup, { key, headers })
        await send("/metrics", { headers: { authorization: `Bearer ${mark}` } })
        await post("/v1/graphql", JSON.stringify({ query: `{ ${mark} }` }))
        await post("/v1/graphql", JSON.stringify({ query: `query { hmac(input: {message: "${mark}"` }))
        await post("/v1/graphql", JSON.stringify({ query: "{ __typename }", operationName: mark }))
        await post("/v1/graphql", mark, { "content-type": `multipart/form-data; boundary=${mark}` })
        await post("/v1/hmac", JSON.stringify({ message: mark.repeat(300_000), secret: mark }))
      },
      { ports, flags: { logLevel: "debug", metricsToken: `${mark}-token` } },
    )
    const text = JSON.stringify(lines)
    expect(sent).toBeGreaterThan(30)
    expect(lines.length).toBeGreaterThanOrEqual(sent)
    expect(text.toLowerCase()).not.toContain(mark.toLowerCase())
    for (const key of keys) {
      expect(text).not.toContain(key)
      expect(text).not.toContain(key.slice(3, 11))
    }
    for (const { input } of catalog.flatMap(({ examples }) => examples)) {
      const { secret, message, record } = input as Record<string, unknown>
      for (const value of [secret, message, record]) {
        if (typeof value === "string" && value.length > 8)
          expect(text).not.toContain(JSON.stringify(value).slice(1, -1))
      }
    }
    for (const surface of ["rest", "graphql"]) {
      expect(lines.some((line) => line.surface === surface && line.credits === 1)).toBe(true)
    }
    expect(lines.some((line) => line.status === status)).toBe(true)
    expect(
      lines.some(({ message, reason }) => message === "upstreamUnavailable" && reason === "timeout"),
    ).toBe(status === 503)
    // The kind and place of the bug are logged.
    const causes = lines.filter(({ message }) => message === "internal").map(({ cause }) => String(cause))
    expect(causes.length > 0).toBe(status === 500)
    for (const cause of causes) expect(cause).toContain("message withheld")
  },
  300_000,
)

test("no line contains a key that came as a request id or as a forwarded address, nor is it sent back", async () => {
  const answers: string[] = []
  const sent: string[] = []
  const lines = await logOf(
    async (service) => {
      const { key } = await service.createKey("pro")
      const earlier = key.replace("pk-", "pk_")
      const mistyped = `${key.slice(0, -1)}!`
      for (const text of [key, earlier, mistyped, `${key.slice(0, 30)}`, `trace-${key}`, `${earlier}.1`]) {
        sent.push(text)
        for (const headers of [{ "x-request-id": text }, { "x-forwarded-for": text }]) {
          for (const path of [lookup, "/nothing"]) answers.push(await headersOf(service, path, headers))
        }
      }
      // Not of the form of a key, but sent as one.
      const own = { "x-request-id": "0123456789abcdef0123456789abcdef" }
      answers.push(await headersOf(service, lookup, { ...own, "x-api-key": own["x-request-id"] }))
      sent.push(own["x-request-id"])
      const zone = { "x-forwarded-for": `fe80::1%${key}` }
      answers.push(await headersOf(service, lookup, zone))
    },
    { flags: { trustedProxies: ["127.0.0.1"] } },
  )
  const text = JSON.stringify([lines, answers])
  expect(lines).toHaveLength(26)
  for (const part of sent) expect(text).not.toContain(part)
  expect(text).not.toMatch(/pk[-_]\w{8}/)
  // The address is unknown, and the proxy's is not taken for it.
  expect(lines.filter(({ address }) => address === "unknown")).toHaveLength(13)
})

test("no line contains a text that looks like another line, in any field that a client can fill", async () => {
  const evil = '203.0.113.7"}\\n{"level":"error"} \u009b2J'
  for (const logFormat of ["json", "pretty"]) {
    const service = await startTestService({ flags: { trustedProxies: ["127.0.0.1"], logFormat } })
    const { key } = await service.createKey("pro")
    await service.fetch(lookup, { key, headers: { "x-forwarded-for": evil, "x-request-id": evil } })
    await service.stop()
    const [text = "", ...more] = linesSinceStart(service)
    expect(more).toEqual([])
    expect(text).not.toMatch(/\p{Cc}/u)
    if (logFormat === "json") expect(JSON.parse(text)).toMatchObject({ level: "info", message: "request" })
    else expect(text).toMatch(/^\[00:00:00\.000\] INFO: request \{.*"address":"unknown"/)
  }
})

test("an API that holds up the event loop is named, without its input", async () => {
  let monotonic = 0
  /** A run that looks at the time takes 300 ms. */
  const clock = {
    ...createManualClock(),
    now() {
      monotonic += 300
      return Date.parse("2025-01-01T00:00:00Z")
    },
    monotonicMs: () => monotonic,
  }
  const lines = await logOf(
    async (service) => {
      const { key } = await service.createKey("pro")
      await service.fetch("/v1/sunrisesunset?lat=51.507&lon=-0.127", { key })
    },
    { ports: { clock }, flags: { logSample: "0" } },
  )
  const [line] = lines.filter(({ message }) => message === "event loop held up")
  expect(line).toEqual({
    level: "warn",
    time: expect.any(String),
    api: "sunrisesunset",
    ms: expect.any(Number),
    problem: expect.stringContaining("other requests waited"),
    message: "event loop held up",
  })
  expect(Number(line?.ms)).toBeGreaterThanOrEqual(300)
})
