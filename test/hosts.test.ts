/** The `Host` of a request: every valid one leads to every path, and an invalid one is refused. */
import { describe, expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { createSelfSigned } from "../src/ports/tls/self-signed.ts"
import { startTestMock } from "./support/mock.ts"
import { converse } from "./support/raw-http.ts"
import { startTestService } from "./support/service.ts"
import { tempDir } from "./support/temp.ts"

const dir = tempDir()
const [tlsCert, tlsKey] = [join(dir, "cert.pem"), join(dir, "key.pem")]
const pair = await createSelfSigned(["a"], Date.now())
writeFileSync(tlsCert, pair.cert)
writeFileSync(tlsKey, pair.key)

const service = await startTestService()
const secure = await startTestService({ flags: { tlsCert, tlsKey } })
const mock = await startTestMock()
const secureMock = await startTestMock({ tlsSelfSigned: "a" })
const servers = [
  { name: "the service", url: service.url, key: (await service.createKey("pro")).key },
  { name: "the service over TLS", url: secure.url, key: (await secure.createKey("pro")).key },
  { name: "the mock", url: mock.url, key: "mock-pro" },
  { name: "the mock over TLS", url: secureMock.url, key: "mock-pro" },
] as const

const inputs = '{"inputs":[{"companyid":"76"}]}'
const query = '{"query":"{ bluetoothlookup(input: {companyid: \\"76\\"}) { company } }"}'
const requests: readonly [line: string, body: string][] = [
  ["GET /health", ""],
  ["GET /health/", ""],
  ["HEAD /health", ""],
  ["GET /docs/errors", ""],
  ["GET /v1/usage?next=http://a.example/v1/none", ""],
  ["GET /v1/bluetoothlookup?companyid=76", ""],
  ["GET /v1/bluetoothlookup/?companyid=76", ""],
  ["POST /v1/bluetoothlookup/batch", inputs],
  ["POST /v1/bluetoothlookup/batch/", inputs],
  ["POST /v1/graphql", query],
  ["POST /v1/graphql/", query],
]

interface Sent {
  readonly url: string
  readonly key: string
  readonly line: string
  readonly body?: string
  /** Header lines of the host. */
  readonly host: readonly string[]
  readonly version?: string
}

/** Sends one request and returns the answer's status and all of its text. */
async function ask({ url, key, line, body = "", host, version = "1.1" }: Sent) {
  const headers = [
    ...host,
    `x-api-key: ${key}`,
    "Connection: close",
    ...(body === "" ? [] : ["Content-Type: application/json", `Content-Length: ${body.length}`]),
  ]
  const text = await converse(url, `${line} HTTP/${version}\r\n${headers.join("\r\n")}\r\n\r\n${body}`)
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1]), text }
}

describe.each(servers)("$name", ({ name, url, key }) => {
  // The path is found behind TLS: every third is enough there, since each connection is made anew.
  const sent = name.endsWith("over TLS") ? requests.filter((_, index) => index % 3 === 0) : requests

  test.each(["a", "ab", "abc", "a:8443", "a.b", "[::1]", "[::1]:8080", "127.0.0.1", "penknife.example"])(
    "finds every path for the host %s",
    async (host) => {
      for (const [line, body] of sent) {
        const { status } = await ask({ url, key, line, body, host: [`Host: ${host}`] })
        expect([line, status]).toEqual([line, 200])
      }
    },
  )

  test("finds every path for a client of HTTP/1.0 without a host, as health checks of proxies are", async () => {
    for (const [line, body] of sent) {
      const { status } = await ask({ url, key, line, body, host: [], version: "1.0" })
      expect([line, status]).toEqual([line, 200])
    }
  })

  test.each([
    ["two hosts", ["Host: a", "Host: b"]],
    ["one host twice", ["Host: a", "Host: a"]],
    ["a host and an empty one", ["Host: a", "Host:"]],
    ["an empty host and another", ["Host:", "Host: a"]],
    ["a list of hosts", ["Host: a, b"]],
    ["an empty host", ["Host:"]],
    ["a port alone", ["Host: :80"]],
    ["a blank", ["Host: a b"]],
    ["a path", ["Host: a/v1/hmac"]],
    ["a query", ["Host: a?b"]],
    ["a fragment", ["Host: a#b"]],
    ["a user", ["Host: user@a"]],
    ["a URL", ["Host: http://a"]],
    ["an open bracket", ["Host: [::1"]],
    ["an address without brackets", ["Host: ::1"]],
    ["a port that is no number", ["Host: a:x"]],
    ["a port that no socket has", ["Host: a:99999"]],
    ["a backslash", ["Host: a\\b"]],
    ["letters that are not ASCII", ["Host: ä"]],
  ])("refuses %s with a 400 that names the header (RFC 9112 §3.2)", async (_name, host) => {
    for (const [line, body] of sent) {
      const { status, text } = await ask({ url, key, line, body, host })
      expect([line, status]).toEqual([line, 400])
      if (!line.startsWith("HEAD")) expect(text).toContain("'Host'")
    }
  })
})

test("a request with a refused host costs nothing", async () => {
  const { url, key } = servers[0]
  const used = async () => (await service.fetch("/v1/usage", { key })).headers.get("x-api-credits-used")
  const before = await used()
  const line = "GET /v1/bluetoothlookup?companyid=76"
  expect((await ask({ url, key, line, host: ["Host: a", "Host: b"] })).status).toBe(400)
  expect(await used()).toBe(before)
})

/** The runtime decides which methods reach the service; `docs/operating-limits.md` says so. */
describe("methods", () => {
  const { url, key } = servers[0]
  const path = "/v1/bluetoothlookup?companyid=76"

  test.each(["TRACE", "PROPFIND", "PURGE", "QUERY"])("%s, known to the runtime, is a 405", async (method) => {
    const { status, text } = await ask({ url, key, line: `${method} ${path}`, host: ["Host: a"] })
    expect(status).toBe(405)
    expect(text).toMatch(/^allow: GET\r$/im)
  })

  test.each(["BREW", "get"])("%s, unknown to it, ends the connection without an answer", async (method) => {
    const { text } = await ask({ url, key, line: `${method} ${path}`, host: ["Host: a"] })
    expect(text).toBe("")
  })
})

const key = "mock-pro"
const faultOnce = async () => {
  await mock.reset()
  await mock.control("PUT", "/faults", { api: "bluetoothlookup", status: 418, times: 1 })
}

test.each(requests.filter(([line]) => /bluetooth|graphql/.test(line)))(
  "a fault of the mock meets %s, however the path is written",
  async (line, body) => {
    for (const [host, version] of [[["Host: a"], "1.1"] as const, [[], "1.0"] as const]) {
      await faultOnce()
      expect((await ask({ url: mock.url, key, line, body, host, version })).status).toBe(418)
      const { data } = await mock.control("GET", "/requests")
      expect(data).toMatchObject({ requests: [{ path: line.split(" ")[1], apis: ["bluetoothlookup"] }] })
    }
  },
)

test.each([
  ["POST /v1/bluetoothlookup/batch/x", ["Host: a"], 404],
  ["POST /v1/bluetoothlookup//", ["Host: a"], 404],
  ["POST //v1/bluetoothlookup/batch", ["Host: a"], 404],
  ["POST /v1/bluetoothlookup/batch", ["Host: a b"], 400],
  ["POST /v1/bluetoothlookup/batch", ["Host: a", "Host: b"], 400],
])("a fault of the mock is not used up by %s with %p, which is no call", async (line, host, expected) => {
  await faultOnce()
  expect((await ask({ url: mock.url, key, line, body: inputs, host })).status).toBe(expected)
  const next = { url: mock.url, key, line: "POST /v1/bluetoothlookup/batch", body: inputs, host: ["Host: a"] }
  expect((await ask(next)).status).toBe(418)
})
