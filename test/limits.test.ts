/** Limits of the HTTP server: time for bodies, size of headers, calls in progress; and the headers of every answer. */

import { describe, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Ports } from "../src/apis/contract.ts"
import { options } from "../src/config/options.ts"
import { systemTimer } from "../src/ports/timer.ts"
import { maxResultBytes } from "../src/surfaces/graphql/query-limits.ts"
import { httpLimits } from "../src/surfaces/http/read/limits.ts"
import { readAnswer } from "./support/answer.ts"
import { readGraphql } from "./support/graphql.ts"
import { createHeldDns } from "./support/held-dns.ts"
import { converse, slowly } from "./support/raw-http.ts"
import { startTestService } from "./support/service.ts"
import { createManualTimer } from "./support/timer.ts"
import { until } from "./support/until.ts"

async function start(flags: Record<string, string>, ports: Partial<Ports> = {}) {
  const service = await startTestService({ flags, ports })
  return { service, ...(await service.createKey("free")) }
}

const json = "content-type: application/json\r\n"
/** The start of a POST of JSON. */
const postOf = (path: string, key: string, rest: string) =>
  `POST ${path} HTTP/1.1\r\nhost: x\r\nx-request-id: slow-1\r\nx-api-key: ${key}\r\n${json}${rest}`

describe("a body that does not arrive in time", async () => {
  const timer = createManualTimer()
  const { service, account, key } = await start({ bodyTimeoutSeconds: "1" }, { timer })
  const sized = "content-length: 1000\r\n\r\n{"
  const chunked = 'transfer-encoding: chunked\r\n\r\n5\r\n{"mes\r\n'
  const late = "<error>The request 'body' must arrive whole within 1 s.</error>"

  test.each([
    ["a 408 in the format asked for, with a length", postOf("/v1/hmac?format=xml", key, sized), 408, late],
    ["a 408 in the format asked for, in chunks", postOf("/v1/hmac?format=xml", key, chunked), 408, late],
    ["a 400 in GraphQL's form for a query", postOf("/v1/graphql", key, sized), 400, '"BAD_REQUEST"'],
  ])("is %s; it costs nothing, and the connection is closed", async (_, bytes, status, text) => {
    let answer = ""
    let passedMs = 0
    const closed = converse(service.url, bytes).then((whole) => {
      answer = whole
    })
    await until(() => {
      if (timer.waiting.length > 0) {
        timer.advance(50)
        passedMs += 50
      }
      return answer !== ""
    })
    await closed
    expect(passedMs).toBeGreaterThanOrEqual(1_000)
    expect(answer).toStartWith(`HTTP/1.1 ${status} `)
    expect(answer).toContain(text)
    expect(answer).toMatch(/^connection: close$/im)
    expect(answer).toMatch(/^x-request-id: slow-1$/im)
    expect((await service.accounts.show(account)).account.used).toBe(0)
  })
})

describe("a body of a million chunks of one byte", async () => {
  const { service, account, key } = await start({})
  const head = (path: string) => postOf(path, key, "transfer-encoding: chunked\r\n\r\n")
  const chunks = "1\r\na\r\n".repeat(1_000_000)

  test.each([
    ["a 400 for a call", head("/v1/hmac"), 400, "in too many small pieces"],
    ["a 400 for a batch", head("/v1/hmac/batch"), 400, "in too many small pieces"],
    ["a 400 in GraphQL's form for a query", head("/v1/graphql"), 400, '"BAD_REQUEST"'],
  ])("is %s; it costs nothing, and the connection is closed", async (_, bytes, status, text) => {
    const client = slowly(service.url, bytes)
    await client.written
    // The service closes while the client still sends. What is sent after that may cost the client the answer.
    for (let at = 0; at < chunks.length && client.answer() === ""; at += 12_000) {
      await new Promise<void>((sent) => client.socket.write(chunks.slice(at, at + 12_000), () => sent()))
      await systemTimer.turn()
    }
    const answer = await client.closed.catch(() => client.answer())
    expect(answer).toStartWith(`HTTP/1.1 ${status} `)
    expect(answer).toContain(text)
    expect(answer).toMatch(/^connection: close$/im)
    expect((await service.accounts.show(account)).account.used).toBe(0)
  })
})

test.each([
  ["with a length", `content-length: 1900000\r\n\r\n`, "a".repeat(1_900_000)],
  ["in chunks", "transfer-encoding: chunked\r\n\r\n", `${"1\r\na\r\n".repeat(1_000_000)}0\r\n\r\n`],
])(
  "a request is refused before its body has arrived, %s, and the connection stays",
  async (_, framing, body) => {
    const { service } = await start({})
    const host = "HTTP/1.1\r\nhost: x\r\n"
    const client = slowly(service.url, `POST /v1/hmac ${host}${json}${framing}`)
    const statuses = () => client.answer().match(/HTTP\/1.1 \d+/g)
    await until(() => statuses()?.length === 1)
    await new Promise<void>((resolve) => client.socket.write(body, () => resolve()))
    client.socket.write(`GET /health ${host}\r\n`)
    await until(() => statuses()?.length === 2)
    expect(statuses()).toEqual(["HTTP/1.1 401", "HTTP/1.1 200"])
    client.socket.destroy()
  },
)

test("a sign-in has at most 4,096 bytes", async () => {
  const { service } = await start({})
  const headers = { "content-type": "application/json", origin: service.url }
  const signIn = (key: string) => service.post("/portal/session", { key }, { headers })
  const bytes = JSON.stringify({ key: "" }).length
  expect((await signIn("k".repeat(4_096 - bytes))).status).toBe(401)
  expect((await signIn("k".repeat(4_097 - bytes))).status).toBe(413)
})

test("of more bodies than may arrive at once the oldest is refused, and its connection closed", async () => {
  const { service, account, key } = await start({})
  const bodyBytes = 2_000_000
  const begin = () => slowly(service.url, postOf("/v1/hmac", key, `content-length: ${bodyBytes}\r\n\r\n{`))
  const oldest = begin()
  await oldest.written
  // The service has read what came before when this is answered.
  expect((await service.fetch("/health")).status).toBe(200)
  const others = Array.from({ length: Math.floor(httpLimits.arrivingBytes / bodyBytes) }, begin)
  const answer = await oldest.closed.catch(() => oldest.answer())
  expect(answer).toStartWith("HTTP/1.1 503 ")
  expect(answer).toMatch(/^retry-after: 1\r$/im)
  expect(answer).toMatch(/^connection: close\r$/im)
  expect(answer).toContain("as many request bodies that are still arriving as it can. Nothing was charged")
  expect(others.map((client) => client.answer())).toEqual(others.map(() => ""))
  for (const { socket } of others) socket.destroy()
  expect((await service.accounts.show(account)).account.used).toBe(0)
})

test("headers over the limit are a 431", async () => {
  const { service, key } = await start({})
  const ask = (length: number) =>
    converse(
      service.url,
      `GET /v1/bluetoothlookup?companyid=76 HTTP/1.1\r\nhost: x\r\nx-api-key: ${key}\r\nconnection: close\r\nx-long: ${"a".repeat(length)}\r\n\r\n`,
    )
  expect(await ask(httpLimits.headerBytes - 500)).toStartWith("HTTP/1.1 200 ")
  expect(await ask(httpLimits.headerBytes)).toStartWith("HTTP/1.1 431 ")
})

describe("long lists in a request", async () => {
  const { service, key } = await start({})
  const path = "/v1/bluetoothlookup?companyid=76"
  const typeFor = async (accept: string) =>
    (await service.fetch(path, { key, headers: { accept } })).headers.get("content-type")

  test("more than 32 ranges or 1,024 characters of Accept and Accept-Encoding are taken as absent", async () => {
    const ranges = (count: number) => `text/csv${",a/b;q=0.1".repeat(count - 1)}`
    expect(await typeFor(ranges(32))).toStartWith("text/csv")
    expect(await typeFor(ranges(33))).toStartWith("application/json")
    expect(await typeFor(`text/csv;q=1.${"0".repeat(1_011)}`)).toStartWith("text/csv")
    expect(await typeFor(`text/csv;q=1.${"0".repeat(1_012)}`)).toStartWith("application/json")
    const codingFor = async (count: number) => {
      const headers = { "accept-encoding": `gzip${",a".repeat(count - 1)}` }
      return (await fetch(`${service.url}/openapi.json`, { headers })).headers.get("content-encoding")
    }
    expect([await codingFor(32), await codingFor(33)]).toEqual(["gzip", null])
  })

  test("more than 256 parameters in a query string are refused, after the key", async () => {
    const query = (count: number) => `${path}${"&a".repeat(count - 1)}`
    expect((await service.fetch(query(256), { key })).status).toBe(200)
    const refused = await service.fetch(query(257), { key })
    expect([refused.status, (await readAnswer(refused)).error]).toEqual([
      400,
      "The query string must have at most 256 parameters. Send lists to APIs that take POST.",
    ])
    expect((await service.fetch(`${path}${"&%ff".repeat(256)}`, { key })).status).toBe(400)
    expect((await service.fetch(query(257))).status).toBe(401)
    expect((await service.fetch("/v1/nothing?".padEnd(15_000, "a&"))).status).toBe(404)
  })
})

/** A service that takes two calls at a time and has two, whose DNS answers come with `release`. */
async function startFull() {
  const { dns, release, asked } = createHeldDns()
  const { service, account } = await start({ maxCalls: "2" }, { dns })
  const { key } = await service.createKey("pro")
  const calls = [1, 2].map((n) => service.fetch(`/v1/spfvalidator?domain=d${n}.example`, { key }))
  await asked(2)
  return { service, account, key, release, calls }
}

test("calls beyond --max-calls are a 503 with Retry-After in the format asked for, and cost nothing", async () => {
  const { service, release, calls } = await startFull()
  const { account, key } = await service.createKey("free")
  const lookUp = "/v1/bluetoothlookup?companyid=76"
  const refused = await service.fetch(`${lookUp}&format=yaml`, { key, headers: { "x-request-id": "r-1" } })
  expect(refused.status).toBe(503)
  expect(Object.fromEntries(refused.headers)).toMatchObject({
    "retry-after": "1",
    "x-request-id": "r-1",
    "content-type": expect.stringContaining("yaml"),
  })
  expect([...refused.headers.keys()].filter((name) => /ratelimit|credits/.test(name))).toEqual([])
  expect(await refused.text()).toContain("limit of calls under way. Nothing was charged")
  expect((await service.post("/v1/hmac", {})).status).toBe(503)
  const batch = await service.post("/v1/hmac/batch", { inputs: [{}] }, { key })
  expect([batch.status, (await readAnswer(batch)).data]).toEqual([503, null])
  const answer = service.post("/v1/graphql", { query: "{ __typename }" }, { key })
  const { status, body, codes } = await readGraphql(answer)
  expect([status, codes, Object.keys(body)]).toEqual([503, ["UPSTREAM_UNAVAILABLE"], ["errors"]])
  expect(body.errors?.[0]?.message).toContain("try again")
  for (const path of ["/health", "/ready"]) expect((await service.fetch(path)).status).toBe(200)

  release()
  expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([200, 200])
  const served = await service.fetch(lookUp, { key })
  expect(served.status).toBe(200)
  expect(served.headers.get("x-ratelimit-remaining")).toBe("59")
  expect((await service.accounts.show(account)).account.used).toBe(1)
})

test("calls beyond --max-calls do not include those whose body is still arriving", async () => {
  const { service, key } = await start({ maxCalls: "5" })
  const { key: pro } = await service.createKey("pro")
  const rest = "connection: close\r\ncontent-length: 32\r\n\r\n{"
  const slow = Array.from({ length: 5 }, (_, n) =>
    slowly(service.url, postOf("/v1/hmac", n % 2 ? key : "", rest)),
  )
  await Promise.all(slow.map(({ written }) => written))
  // It takes the service a moment to come to where it waits for them; then this ends.
  const ask = () => service.fetch("/v1/bluetoothlookup?companyid=76", { key: pro })
  while ((await ask()).status === 503);
  expect((await ask()).status).toBe(200)
  const answers = await Promise.all(slow.map(({ finish }) => finish('"message": "m", "secret": "s"}  ')))
  expect(answers.map((answer) => answer.slice(9, 12))).toEqual(["401", "200", "401", "200", "401"])
})

test("every answer forbids browsers to guess its type and to cache it", async () => {
  const { service, key } = await start({})
  const apis = ["bluetoothlookup?companyid=76", "hmac", "usage", "graphql"].map((api) => `/v1/${api}`)
  for (const path of [...apis, "/health", "/none"]) {
    const { headers } = await service.fetch(path, { key })
    expect(headers.get("x-content-type-options")).toBe("nosniff")
    expect(headers.get("cache-control")).toBe("no-store")
    expect(headers.get("strict-transport-security")).toBeNull()
  }
})

test("docs/operating-limits.md says what the code does", () => {
  const text = readFileSync(join(import.meta.dir, "../docs/operating-limits.md"), "utf8")
  const rows = text.split("\n").filter((line) => line.startsWith("| "))
  const row = (start: string) => rows.find((line) => line.startsWith(`| ${start}`)) ?? ""
  const number = (value: number) => value.toLocaleString("en-US")
  expect(row("request line")).toContain(`${number(httpLimits.headerBytes)} bytes`)
  expect(row("`Accept` and")).toContain(
    `${number(httpLimits.acceptCharacters)} characters and ${httpLimits.acceptRanges} ranges`,
  )
  expect(row("query string")).toContain(`${httpLimits.queryParameters} parameters`)
  expect(row("time for the headers")).toContain(`${httpLimits.headerSeconds} s`)
  expect(row("body |")).toContain(`\`--max-body\`, ${number(options.maxBodyBytes.default)} bytes`)
  expect(row("time for the body")).toContain(`\`--body-timeout\`, ${options.bodyTimeoutSeconds.default} s`)
  expect(row("body of a refused")).toContain(`${number(httpLimits.drainBytes)} bytes`)
  expect(row("body of a sign-in")).toContain(`${number(httpLimits.sessionBodyBytes)} bytes`)
  expect(row("bytes of bodies over")).toContain(number(httpLimits.arrivingBytes))
  expect(row(`bytes of bodies over ${number(httpLimits.uncountedBodyBytes)}`)).not.toBe("")
  expect(row("chunks of a body")).toContain(
    `${number(httpLimits.freePieces)}, and one for each ${httpLimits.bytesPerPiece} bytes`,
  )
  expect(row("connection on which")).toContain(`${httpLimits.idleSeconds} s`)
  expect(row("the same while")).toContain(`${httpLimits.longWorkSeconds} s`)
  expect(httpLimits.sharedAnswerSeconds).toBe(1)
  expect(row("work for `/ready`")).toContain("once a second")
  expect(row("connection that takes nothing")).toContain(`${httpLimits.unreadSeconds} s`)
  expect(row("bytes of answers")).toContain(`\`--max-unsent\`, ${number(options.maxUnsentBytes.default)}`)
  expect(row("results of one GraphQL query")).toContain(`${number(maxResultBytes)} bytes`)
  expect(row("calls in progress in")).toContain(`\`--max-calls\`, ${number(options.maxCalls.default)}`)
  expect(row("calls in progress when")).toContain(`${httpLimits.stopSeconds} s`)
  expect(options.bodyTimeoutSeconds.read("25")).toBeLessThan(httpLimits.idleSeconds)
})
