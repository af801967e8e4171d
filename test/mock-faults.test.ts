/** Faults of the mock, in every way of calling, and that they act where the real ones do. */
import { beforeEach, expect, test } from "bun:test"
import { readAnswer } from "./support/answer.ts"
import { errorReaders } from "./support/formats.ts"
import { connectMcp } from "./support/mcp.ts"
import { post, readGraphql, startTestMock, ways } from "./support/mock.ts"
import { slowly } from "./support/raw-http.ts"

const mock = await startTestMock()
beforeEach(() => mock.reset())

const key = "mock-pro"
const fault = (rule: object) => mock.control("PUT", "/faults", rule)

async function usedCredits(): Promise<unknown> {
  const { data } = await readAnswer(mock.fetch("/v1/usage", { key }))
  return (data as { credits: { used: number } }).credits.used
}

// A batch as a whole has the status 200 where its inputs fail each for itself.
test.each([
  { status: 400, batch: 200, graphql: [200, "BAD_USER_INPUT"] },
  { status: 401, batch: 401, graphql: [401, "INVALID_API_KEY"] },
  { status: 403, batch: 403, graphql: [403, "FORBIDDEN"] },
  { status: 429, batch: 429, graphql: [429, "RATE_LIMITED"] },
  { status: 500, batch: 200, graphql: [200, "INTERNAL_SERVER_ERROR"] },
  { status: 503, batch: 200, graphql: [200, "UPSTREAM_UNAVAILABLE"] },
] as const)("status $status in every way of calling, for nothing", async ({ status, batch, graphql }) => {
  await fault({ api: "bluetoothlookup", status })
  for (const [format, readError] of Object.entries(errorReaders)) {
    const answer = await ways.rest(mock, key, format)
    expect([format, answer.status]).toEqual([format, status])
    expect(readError(await answer.text())).toMatch(/\w.*\.$/)
  }
  const whole = await ways.batch(mock, key)
  expect(whole.status).toBe(batch)
  if (batch === 200)
    expect((await readAnswer(whole)).data).toMatchObject({ succeeded: 0, failed: 2, credits_used: 0 })
  expect(await readGraphql(ways.graphql(mock, key))).toMatchObject({ status: graphql[0], code: graphql[1] })
  // A usage call is of no API.
  expect((await mock.fetch("/v1/usage", { key })).status).toBe(200)
  await fault({ status })
  expect((await mock.fetch("/v1/usage", { key })).status).toBe(status)
  expect(await usedAfterClearing()).toBe(0)
})

async function usedAfterClearing(): Promise<unknown> {
  await mock.control("DELETE", "/faults")
  return usedCredits()
}

test("a status that the service never gives comes in the format asked for, as from a proxy", async () => {
  await fault({ status: 502 })
  for (const [format, readError] of Object.entries(errorReaders)) {
    const answer = await ways.rest(mock, key, format)
    expect(answer.status).toBe(502)
    expect(readError(await answer.text())).toContain("502")
  }
  expect((await ways.batch(mock, key)).status).toBe(502)
  expect((await ways.graphql(mock, key)).status).toBe(502)
  expect(await usedAfterClearing()).toBe(0)
})

test("over GraphQL only the field of the named API fails", async () => {
  await fault({ api: "hmac", status: 503 })
  const query =
    '{ bluetoothlookup(input: {companyid: "76"}) { company } ...more } fragment more on Query { hmac(input: {message: "", secret: "s"}) { hmac } }'
  const answer = await readGraphql(post(mock, "/v1/graphql", key, { query }))
  expect(answer).toEqual({
    status: 200,
    code: "UPSTREAM_UNAVAILABLE",
    data: { bluetoothlookup: { company: "Apple, Inc." }, hmac: null },
  })
  expect(await usedCredits()).toBe(1)
})

test.each(Object.entries(errorReaders))(
  "malformed: %s is malformed for a success and for an error",
  async (format, readError) => {
    await fault({ malformed: true })
    const answer = await ways.rest(mock, key, format)
    expect(answer.status).toBe(200)
    expect(answer.headers.get("content-type")).toContain(format)
    const texts = [await answer.text()]
    for (const path of ["bluetoothlookup?companyid=x&", "spfvalidator?domain=timeout.example&", "usage?"])
      texts.push(await (await mock.fetch(`/v1/${path}format=${format}`, { key })).text())
    for (const text of texts) expect(() => readError(text)).toThrow()
    // The call that succeeded was made and charged.
    expect(await usedAfterClearing()).toBe(1)
  },
)

test("malformed with a status, in a batch and over GraphQL", async () => {
  await fault({ malformed: true, status: 503 })
  for (const way of [ways.rest, ways.batch, ways.graphql]) {
    const answer = await way(mock, key)
    expect(answer.status).toBe(way === ways.rest ? 503 : 200)
    await expect(answer.json()).rejects.toThrow()
  }
})

const lookUp = "/v1/bluetoothlookup?companyid=76"
const everyWay: readonly [name: string, path: string, body: object | null][] = [
  ["REST in json", lookUp, null],
  ["REST in xml", `${lookUp}&format=xml`, null],
  ["REST in yaml", `${lookUp}&format=yaml`, null],
  ["REST in csv", `${lookUp}&format=csv`, null],
  ["a batch", "/v1/bluetoothlookup/batch", { inputs: [{ companyid: "76" }] }],
  ["GraphQL", "/v1/graphql", { query: '{ bluetoothlookup(input: {companyid: "76"}) { company } }' }],
]

test.each(everyWay)(
  "reset over %s ends the connection without a byte, and nothing is charged",
  async (_way, path, body) => {
    await fault({ reset: true })
    const called = body ? post(mock, path, key, body) : mock.fetch(path, { key })
    await expect(called).rejects.toThrow()
    expect(await rawCall(path, body)).toEqual({ received: "", code: "ECONNRESET" })
    expect(await usedAfterClearing()).toBe(0)
    const { data } = await mock.control("GET", "/requests?api=bluetoothlookup")
    const requests = data?.requests as object[]
    // Some clients, Bun's among them, try a GET once more when a kept connection breaks.
    expect(requests.length).toBeGreaterThanOrEqual(2)
    const expected = { path, fault: { reset: true }, response: null }
    expect(requests).toEqual(requests.map(() => expect.objectContaining(expected)))
  },
)

/** The bytes that a client on a bare socket gets. */
async function rawCall(path: string, body: object | null) {
  const text = body ? JSON.stringify(body) : ""
  const head = `${body ? "POST" : "GET"} ${path} HTTP/1.1\r\nHost: x\r\nx-api-key: ${key}\r\nContent-Type: application/json\r\n`
  const { socket, closed } = slowly(mock.url, `${head}Content-Length: ${text.length}\r\n\r\n${text}`)
  let received = ""
  socket.on("data", (chunk) => {
    received += chunk
  })
  return {
    received,
    code: await closed.then(
      () => null,
      (cause: NodeJS.ErrnoException) => cause.code ?? "",
    ),
  }
}

test.each(everyWay)(
  "delay_ms over %s delays the whole answer in real time, not by the mock's clock",
  async (_way, path, body) => {
    const call = async () => (await (body ? post(mock, path, key, body) : mock.fetch(path, { key }))).text()
    const prompt = await call()
    await mock.reset()
    await fault({ delay_ms: 20 })
    const before = performance.now()
    expect(await call()).toBe(prompt)
    expect(performance.now() - before).toBeGreaterThanOrEqual(19)
    const stopped = { now: "2025-01-01T00:00:00.000Z", mode: "stopped" }
    expect((await mock.control("GET", "/clock")).data).toEqual(stopped)
    expect(await usedAfterClearing()).toBe(1)
  },
)

const statusOf = async (way: keyof typeof ways, with_: string) => (await ways[way](mock, with_)).status

test("a fault applies to as many calls as `times` says, in any way of calling", async () => {
  await fault({ api: "bluetoothlookup", status: 403, times: 2 })
  expect(await statusOf("rest", key)).toBe(403)
  expect((await mock.control("GET", "/faults")).data?.faults).toEqual([
    { api: "bluetoothlookup", status: 403, times: 1 },
  ])
  expect(await statusOf("batch", key)).toBe(403)
  expect(await statusOf("graphql", key)).toBe(200)
  expect((await mock.control("GET", "/faults")).data?.faults).toEqual([])
})

test("a fault applies only to the calls of its key", async () => {
  await fault({ key: "mock-free", status: 401 })
  expect(await statusOf("rest", key)).toBe(200)
  expect(await statusOf("rest", "mock-free")).toBe(401)
})

test("a fault applies never to control paths, the admin API, the portal, health and preflights", async () => {
  await fault({ status: 500, times: 1 })
  const headers = { "x-admin-key": "mock-admin" }
  expect((await mock.fetch("/admin/v1/plans", { headers })).status).toBe(200)
  expect((await mock.fetch("/portal")).status).toBe(200)
  expect((await mock.control("GET", "/faults")).code).toBe(200)
  expect((await mock.fetch("/health")).status).toBe(200)
  expect((await mock.fetch("/v1/bluetoothlookup", { method: "OPTIONS" })).status).toBe(204)
  expect(await statusOf("rest", key)).toBe(500)
})

test("a fault applies until another fault for the same calls replaces it, or DELETE removes all", async () => {
  await fault({ status: 500 })
  await fault({ status: 429 })
  expect(await statusOf("rest", key)).toBe(429)
  await mock.control("DELETE", "/faults")
  expect(await statusOf("rest", key)).toBe(200)
})

const input = { companyid: "76" }
const other = { companyid: "77" }
test.each([
  ["/mcp", "bluetoothlookup", input, other],
  ["/mcp/search", "call_api", { id: "bluetoothlookup", input }, { id: "bluetoothlookup", input: other }],
])("a fault acts on a tool call of %s", async (path, tool, values, otherValues) => {
  await using mcp = await connectMcp(mock.url, key, path)
  await fault({ api: "bluetoothlookup", status: 503, times: 1 })
  expect(await mcp.call(tool, values)).toMatchObject({
    isError: true,
    text: "A fault of the mock makes 'bluetoothlookup' unavailable. Try again after 5 s.",
  })
  const data = { company: expect.any(String) }
  expect(await mcp.call(tool, values)).toMatchObject({ isError: false, data })
  await fault({ api: "bluetoothlookup", status: 502, input: other })
  expect(await mcp.call(tool, values)).toMatchObject({ isError: false })
  await expect(mcp.call(tool, otherValues)).rejects.toThrow()
  expect(await usedCredits()).toBe(2)
})
