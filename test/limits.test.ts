/** What a client can take before it is told to stop: bodies in time, calls under way, headers of every answer. */

import { describe, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Ports } from "../src/apis/contract.ts"
import { options } from "../src/config/options.ts"
import { httpLimits } from "../src/surfaces/http/limits.ts"
import { converse, slowly } from "./support/raw-http.ts"
import { startTestService } from "./support/service.ts"

async function start(flags: Record<string, string>, ports: Partial<Ports> = {}) {
  const service = await startTestService({ flags, ports })
  return { service, ...(await service.createKey("free")) }
}

describe("a body that does not arrive in time", () => {
  const head = (key: string, more: string) =>
    `POST /v1/hmac?format=xml HTTP/1.1\r\nhost: x\r\nx-request-id: slow-1\r\nx-api-key: ${key}\r\ncontent-type: application/json\r\n${more}\r\n\r\n`

  test.each([
    ["with a length", "content-length: 1000", '{"message": '],
    ["in chunks", "transfer-encoding: chunked", '5\r\n{"mes\r\n'],
  ])(
    "%s is a 408 in the asked format, is not charged, and the connection is closed",
    async (_, framing, part) => {
      const { service, account, key } = await start({ bodyTimeoutSeconds: "1" })
      const answer = await converse(service.url, head(key, framing) + part)
      expect(answer).toStartWith("HTTP/1.1 408 ")
      expect(answer).toMatch(/^connection: close$/im)
      expect(answer).toMatch(/^x-request-id: slow-1$/im)
      expect(answer).toContain("<error>The request 'body' must arrive whole within 1 s.</error>")
      expect((await service.accounts.show(account)).account.used).toBe(0)
    },
    20_000,
  )

  test("to a GraphQL query is told in GraphQL's form", async () => {
    const { service, key } = await start({ bodyTimeoutSeconds: "1" })
    const path = head(key, "content-length: 100").replace("/v1/hmac?format=xml", "/v1/graphql")
    expect(await converse(service.url, `${path}{`)).toContain('"extensions":{"code":"BAD_REQUEST"}')
  }, 20_000)

  test("of a caller without a key is not waited for longer", async () => {
    const { service } = await start({ bodyTimeoutSeconds: "1" })
    const answer = await converse(service.url, `${head("", "content-length: 100")}{`)
    expect(answer).toStartWith("HTTP/1.1 401 ")
    expect(answer).toMatch(/^connection: close$/im)
  }, 20_000)
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

describe("calls beyond --max-calls", () => {
  /** A service that may have two calls under way, and DNS that answers when it is told to. */
  async function startFull() {
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    let asked = 0
    const waiting: { count: number; resolve: () => void }[] = []
    const resolveName = async () => {
      asked++
      for (const { count, resolve } of waiting) if (asked >= count) resolve()
      await released
      return { kind: "nxdomain" as const }
    }
    const { service, account } = await start({ maxCalls: "2" }, { dns: { resolve: resolveName } })
    const { key } = await service.createKey("pro")
    const calls = [1, 2].map((n) => service.fetch(`/v1/spfvalidator?domain=d${n}.example`, { key }))
    await new Promise<void>((resolve) => waiting.push({ count: 2, resolve }))
    return { service, account, key, release, calls }
  }

  test("are a 503 with Retry-After, in the asked format, and cost nothing", async () => {
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
    const stranger = await service.fetch("/v1/hmac", { method: "POST", body: "{}" })
    expect(stranger.status).toBe(503)
    const batch = await service.fetch("/v1/hmac/batch", { key, method: "POST", body: '{"inputs": [{}]}' })
    expect({ status: batch.status, body: await batch.json() }).toMatchObject({
      status: 503,
      body: { data: null },
    })
    const graphql = await service.fetch("/v1/graphql", {
      key,
      method: "POST",
      body: '{"query": "{ __typename }"}',
    })
    expect({ status: graphql.status, body: await graphql.json() }).toEqual({
      status: 503,
      body: {
        errors: [
          { message: expect.stringContaining("try again"), extensions: { code: "UPSTREAM_UNAVAILABLE" } },
        ],
      },
    })
    for (const path of ["/health", "/ready"]) expect((await service.fetch(path)).status).toBe(200)

    release()
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([200, 200])
    const served = await service.fetch(lookUp, { key })
    expect(served.status).toBe(200)
    expect(served.headers.get("x-ratelimit-remaining")).toBe("59")
    expect((await service.accounts.show(account)).account.used).toBe(1)
  })

  test("are not those whose body is still on its way", async () => {
    const { service, key } = await start({ maxCalls: "5" })
    const { key: pro } = await service.createKey("pro")
    const slow = Array.from({ length: 5 }, (_, n) =>
      slowly(
        service.url,
        `POST /v1/hmac HTTP/1.1\r\nhost: x\r\nx-api-key: ${n % 2 ? key : ""}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: 32\r\n\r\n{`,
      ),
    )
    await Promise.all(slow.map(({ written }) => written))
    // It takes the service a moment to come to where it waits for them; then this ends.
    const ask = () => service.fetch("/v1/bluetoothlookup?companyid=76", { key: pro })
    while ((await ask()).status === 503);
    expect((await ask()).status).toBe(200)
    const answers = await Promise.all(slow.map(({ finish }) => finish('"message": "m", "secret": "s"}  ')))
    expect(answers.map((answer) => answer.slice(9, 12))).toEqual(["401", "200", "401", "200", "401"])
  })
})

test("every answer tells browsers neither to guess its type nor to keep it", async () => {
  const { service, key } = await start({})
  for (const path of [
    "/v1/bluetoothlookup?companyid=76",
    "/v1/hmac",
    "/v1/usage",
    "/v1/graphql",
    "/health",
    "/none",
  ]) {
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
  expect(row("time for the headers")).toContain(`${httpLimits.headerSeconds} s`)
  expect(row("body |")).toContain(`\`--max-body\`, ${number(options.maxBodyBytes.default)} bytes`)
  expect(row("time for the body")).toContain(`\`--body-timeout\`, ${options.bodyTimeoutSeconds.default} s`)
  expect(row("body of a refused")).toContain(
    `${number(httpLimits.drainBytes)} bytes and ${httpLimits.drainSeconds} s`,
  )
  expect(row("connection on which")).toContain(`${httpLimits.idleSeconds} s`)
  expect(row("the same while")).toContain(`${httpLimits.patientSeconds} s`)
  expect(row("calls in progress in")).toContain(`\`--max-calls\`, ${number(options.maxCalls.default)}`)
  expect(row("calls in progress when")).toContain(`${httpLimits.stopSeconds} s`)
  expect(options.bodyTimeoutSeconds.read("25")).toBeLessThan(httpLimits.idleSeconds)
})
