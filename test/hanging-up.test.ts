/** Clients that get no answer, since they hang up, or since the runtime ends their connection. */

import { describe, expect, spyOn, test } from "bun:test"
import type { Scheduler } from "../src/call/scheduler.ts"
import { echoApi, startCatalogService } from "./support/catalog-service.ts"
import { createHeldDns } from "./support/held-dns.ts"
import { requestsIn } from "./support/log.ts"
import { earlierRequest, modernRequest, postMcp, type RawMessage } from "./support/mcp.ts"
import { converse } from "./support/raw-http.ts"
import { startTestService } from "./support/service.ts"
import { until } from "./support/until.ts"

const lookUp = "/v1/bluetoothlookup?companyid=76"
const validate = "/v1/spfvalidator?domain=a.example"

/** The bytes of a request. */
function bytesOf(line: string, key: string, body?: object, more = ""): string {
  const text = body === undefined ? "" : JSON.stringify(body)
  const type = body ? `content-type: application/json\r\ncontent-length: ${text.length}\r\n` : ""
  return `${line} HTTP/1.1\r\nhost: x\r\nx-api-key: ${key}\r\n${type}${more}\r\n${text}`
}

describe.each(["free", "unlimited"])(
  "what the runtime leaves without an answer costs nothing, on plan %s",
  async (plan) => {
    const service = await startTestService({
      file: {
        plans: {
          unlimited: { monthly_credits: "unlimited", requests_per_minute: "unlimited", premium: true },
        },
      },
    })
    const { account, key } = await service.createKey(plan)
    const used = async () => (await service.accounts.show(account)).account.used
    const get = bytesOf(`GET ${lookUp}`, key)
    const batch = bytesOf("POST /v1/hmac/batch", key, { inputs: [{ message: "m", secret: "s" }] })
    const query = bytesOf("POST /v1/graphql", key, {
      query: '{ bluetoothlookup(input: {companyid: "76"}) { company } }',
    })

    test.each([
      ["two requests in a packet", get + get, ""],
      ["a batch, and another request behind it", batch + get, ""],
      ["a query, and another request behind it", query + get, ""],
      ["a call that an empty line follows", `${get}\r\n`, "HTTP/1.1 400 Bad Request"],
      ["a batch that an empty line follows", `${batch}\r\n`, "HTTP/1.1 400 Bad Request"],
    ])("%s", async (_, bytes, start) => {
      const before = requestsIn(service.logged()).length
      const usedBefore = await used()
      expect((await converse(service.url, bytes)).split("\r\n")[0]).toBe(start)
      await until(() => requestsIn(service.logged()).length > before)
      expect(await used()).toBe(usedBefore)
      expect(requestsIn(service.logged()).slice(before)).toMatchObject([{ fault: "callerLeft", credits: 0 }])
    })

    test("an answer that is sent is charged", async () => {
      const last = bytesOf(`GET ${lookUp}`, key, undefined, "connection: close\r\n")
      // A request behind the last one of a connection is not run (RFC 9112 §9.6).
      const usedBefore = await used()
      expect(await converse(service.url, last + get)).toStartWith("HTTP/1.1 200 OK\r\n")
      expect(await used()).toBe(usedBefore + 1)
    })
  },
)

async function start(flags: Record<string, string> = {}, plan = "pro") {
  const { dns, ...held } = createHeldDns()
  const service = await startTestService({ ports: { dns }, flags })
  const { account, key } = await service.createKey(plan)
  const client = new AbortController()
  return { service, account, key, client, ...held, signal: client.signal }
}
const query = `{ spfvalidator(input: {domain: "a.example"}) { host } }`
const toolCall = { name: "spfvalidator", arguments: { domain: "a.example" } }
const callTool = (message: RawMessage, { service, key, signal }: Awaited<ReturnType<typeof start>>) =>
  postMcp(service.url, { ...message, key, signal }).then(async (answer) => {
    // In earlier revisions, the answer's head comes before the tool has run.
    await answer.text()
    return answer
  })
const inputs = Array.from({ length: 200 }, (_, n) => ({ domain: `d${n}.example` }))

test.each([
  ["a single call", (t) => t.service.fetch(validate, { key: t.key, signal: t.signal })],
  ["a query", (t) => t.service.post("/v1/graphql", { query }, { key: t.key, signal: t.signal })],
  ["a batch", (t) => t.service.post("/v1/spfvalidator/batch", { inputs }, { key: t.key, signal: t.signal })],
  ["a tool call", (t) => callTool(modernRequest("tools/call", toolCall), t)],
  ["a tool call of revision 2025-11-25", (t) => callTool(earlierRequest("tools/call", toolCall), t)],
] as [string, (t: Awaited<ReturnType<typeof start>>) => Promise<Response>][])(
  "a client that hangs up while its call runs: %s is not charged; the service waits for it when it stops, and logs it",
  async (_, send) => {
    const t = await start()
    const { service } = t
    const answer = send(t)
    await t.asked()
    t.client.abort()
    await expect(answer).rejects.toThrow()
    // The runtime has noticed that the client is gone.
    await until(() => service.server.openRequests() === 0)
    let isStopped = false
    const stopped = service.stop().then(() => {
      isStopped = true
    })
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
    expect(isStopped).toBe(false)
    t.release()
    await stopped
    expect(requestsIn(service.logged())).toMatchObject([
      { account: t.account, fault: "callerLeft", credits: 0, level: "info" },
    ])
    expect(service.logged()).not.toContain('"level":"error"')
  },
)

test("the line of a client that has hung up has the address that was known before", async () => {
  // The limit per minute makes a call wait, and its client is looked for after that.
  const t = await start({}, "free")
  const answer = t.service.fetch(validate, { key: t.key, signal: t.signal })
  await t.asked()
  t.client.abort()
  await expect(answer).rejects.toThrow()
  await until(() => t.service.server.openRequests() === 0)
  t.release()
  await until(() => requestsIn(t.service.logged()).length === 1)
  expect(requestsIn(t.service.logged())).toMatchObject([{ fault: "callerLeft", address: "127.0.0.1" }])
})

test("a client that hangs up while its call runs counts as a call in progress until its work has ended", async () => {
  const t = await start({ maxCalls: "1" })
  const answer = t.service.fetch(validate, { key: t.key, signal: t.signal })
  await t.asked()
  t.client.abort()
  await expect(answer).rejects.toThrow()
  await until(() => t.service.server.openRequests() === 0)
  expect((await t.service.fetch(lookUp, { key: t.key })).status).toBe(503)
  t.release()
  await until(async () => (await t.service.fetch(lookUp, { key: t.key })).status === 200)
  expect((await t.service.accounts.show(t.account)).account.used).toBe(1)
})

const fields = inputs.slice(0, 20).map(({ domain }, n) => {
  return `a${n}: spfvalidator(input: {domain: "${domain}"}) { host }`
})
const manyFields = { query: `{ ${fields.join(" ")} }` }

test.each([
  ["asks the DNS nothing more", null, validate, 1, 0],
  ["starts no further field of a query that asks the DNS", manyFields, "/v1/graphql", 1, 0],
  ["starts no further input of a batch", { inputs }, "/v1/spfvalidator/batch", 16, inputs.length - 1],
] as const)("a client that hangs up while its call runs %s", async (_, body, path, atOnce, mostMore) => {
  const { service, key, client, release, asked, lookups, signal } = await start()
  const answer =
    body === null ? service.fetch(path, { key, signal }) : service.post(path, body, { key, signal })
  await asked(atOnce)
  client.abort()
  await expect(answer).rejects.toThrow()
  await until(() => service.server.openRequests() === 0)
  const before = lookups()
  expect(before).toBe(atOnce)
  release()
  await until(() => requestsIn(service.logged()).length === 1)
  expect(lookups() - before).toBeLessThanOrEqual(mostMore)
  expect(requestsIn(service.logged())).toMatchObject([{ fault: "callerLeft", credits: 0, level: "info" }])
})

test("a client that hangs up while its call runs starts no further field of a query that waits for another one's run", async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  let runs = 0
  const held = echoApi("held", async () => {
    runs++
    await released
    return { done: "" }
  })
  const service = startCatalogService([held])
  const { key } = await service.createKey("pro")
  const client = new AbortController()
  // Runs with much input begin one by one.
  const variables = { input: { what: "x".repeat(100_000) } }
  const fields = Array.from({ length: 20 }, (_, n) => `a${n}: held(input: $input) { done }`).join(" ")
  const answer = fetch(`${service.url}/v1/graphql`, {
    method: "POST",
    headers: { "x-api-key": key, "content-type": "application/json" },
    body: JSON.stringify({ query: `query($input: HeldInput!) { ${fields} }`, variables }),
    signal: client.signal,
  })
  await until(() => runs === 1)
  client.abort()
  await expect(answer).rejects.toThrow()
  expect((await service.post("/v1/held", {}, key)).status).toBe(400)
  release()
  // A later call is answered after the runs that the query would have begun.
  expect((await service.post("/v1/held", { what: "later" }, key)).status).toBe(200)
  await until(() => service.unsentBytes() === 0)
  expect(runs).toBe(2)
  expect(service.logged.filter((line) => line.includes("internal"))).toEqual([])
})

describe("a large body whose client leaves while it waits for its turn is not parsed", () => {
  let hold: (() => Promise<void>) | null = null
  const toScheduler = (scheduler: Scheduler): Scheduler => ({
    ...scheduler,
    giveWay: (account, api) => hold?.() ?? scheduler.giveWay(account, api),
  })
  const service = startCatalogService([echoApi("echo", ({ what }) => ({ done: what }))], {}, { toScheduler })
  const json = { "content-type": "application/json" }
  const query = "query($input: EchoInput!) { echo(input: $input) { done } }"
  const tool = (input: object) => modernRequest("tools/call", { name: "echo", arguments: input })

  test.each([
    ["a single call", "/v1/echo", (input) => ({ headers: json, body: input })],
    ["a batch", "/v1/echo/batch", (input) => ({ headers: json, body: { inputs: [input] } })],
    ["a query", "/v1/graphql", (input) => ({ headers: json, body: { query, variables: { input } } })],
    [
      "a tool call",
      "/mcp",
      (input) => ({ headers: { ...json, ...tool(input).headers }, body: tool(input).body }),
    ],
  ] as [string, string, (input: { what: string }) => { headers: Record<string, string>; body: object }][])(
    "%s",
    async (name, path, toRequest) => {
      const { key } = await service.createKey("pro")
      const marker = `the text of ${name}`
      const { headers, body } = toRequest({ what: marker + "x".repeat(100_000) })
      const sent = JSON.stringify(body)
      const client = new AbortController()
      const send = (signal?: AbortSignal) =>
        fetch(service.url + path, {
          ...{
            method: "POST",
            headers: { ...headers, "x-api-key": key, accept: "application/json, text/event-stream" },
          },
          body: sent,
          ...(signal && { signal }),
        })
      using parse = spyOn(JSON, "parse")
      const parsed = () => parse.mock.calls.filter(([text]) => text.includes(marker)).length
      expect((await send()).status).toBe(200)
      expect(parsed()).toBe(1)

      const [asked, turn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      hold = () => {
        hold = null
        asked.resolve()
        return turn.promise
      }
      const answer = send(client.signal)
      await asked.promise
      client.abort()
      await expect(answer).rejects.toThrow()
      await until(() => service.openRequests() === 0)
      turn.resolve()
      // A later call takes more turns than are left to the first one.
      expect((await send()).status).toBe(200)
      expect(parsed()).toBe(2)
    },
  )
})
