/** Agents at /mcp and /mcp/search get the same as everyone else, in the form of their protocol. */
import { describe, expect, test } from "bun:test"
import { SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/server"
import { catalog } from "../src/app/prepare.ts"
import { createZoneDns } from "../src/ports/dns/zone.ts"
import { readAnswer } from "./support/answer.ts"
import { requestsIn } from "./support/log.ts"
import { connectMcp, earlierRequest, modernRequest, postMcp } from "./support/mcp.ts"
import { startTestMock } from "./support/mock.ts"
import { startTestService } from "./support/service.ts"

const service = await startTestService()
const ids = catalog.map(({ id }) => id)
const hmac = { message: "a", secret: "b" }

test("the tools are the APIs that the key may call, in at most 24 kB", async () => {
  const { key } = await service.createKey("pro")
  await using all = await connectMcp(service.url, key)
  const { tools } = await all.client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(ids)
  expect(JSON.stringify(tools).length).toBeLessThan(24_000)
  // A large catalog has no room for output schemas and the other hints: test/many-apis.test.ts checks those.
  for (const tool of tools) {
    expect(tool).toMatchObject({
      description: expect.stringMatching(/Costs \d+ credits?/),
      annotations: { title: expect.any(String), readOnlyHint: true },
      inputSchema: { type: "object" },
    })
  }
  const open = tools.filter(({ annotations }) => annotations?.openWorldHint).map(({ name }) => name)
  expect(open).toEqual(catalog.filter(({ asksDns }) => asksDns).map(({ id }) => id))

  const rules = { allowApis: ["hmac", "linesorter"], blockApis: ["linesorter"] }
  const few = await service.createKey("pro", rules)
  await using limited = await connectMcp(service.url, few.key)
  expect((await limited.client.listTools()).tools.map(({ name }) => name)).toEqual(["hmac"])
  expect((await limited.client.listResources()).resources.map(({ name }) => name)).toEqual(["hmac"])
  expect(await limited.call("linesorter", { lines: ["b", "a"] })).toMatchObject({
    isError: true,
    text: "This API key may not call 'linesorter'.",
  })
})

test("the tools of the search take little room, and find, describe and call an API", async () => {
  const { account, key } = await service.createKey("pro")
  await using search = await connectMcp(service.url, key, "/mcp/search")
  const { tools } = await search.client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(["search_apis", "describe_api", "call_api"])
  expect(JSON.stringify(tools).length).toBeLessThan(4_200)
  const found = await search.call("search_apis", { query: "sign a message with a secret" })
  expect(found.data).toHaveProperty("apis[0]", expect.objectContaining({ id: "hmac", credits: 1 }))
  expect((await search.call("search_apis", { query: "" })).data?.apis).toHaveLength(ids.length)
  expect((await search.call("describe_api", { id: "hmac" })).data).toMatchObject({
    id: "hmac",
    input: { type: "object", required: expect.arrayContaining(["secret"]) },
  })
  const called = await search.call("call_api", { id: "hmac", input: hmac })
  expect(called).toMatchObject({ isError: false, data: { hmac: expect.any(String) } })
  expect(await service.accounts.usage(account, 1)).toMatchObject([{ api: "hmac", calls: 1 }])
})

test.each([
  ["search_apis", {}, "'query'"],
  ["describe_api", { id: "nothing" }, "'id'"],
  ["call_api", { id: "hmac", input: [] }, "'input'"],
  ["call_api", { id: "hmac", input: { message: "a" } }, "'secret'"],
])("the tools of the search refuse wrong arguments: %s %p", async (name, input, parameter) => {
  const { key } = await service.createKey("pro")
  await using search = await connectMcp(service.url, key, "/mcp/search")
  const text = expect.stringContaining(parameter)
  expect(await search.call(name, input)).toMatchObject({ isError: true, text })
})

test("a call takes the id of a company as a number, as agents send it", async () => {
  const { key } = await service.createKey("pro")
  await using mcp = await connectMcp(service.url, key)
  const data = { companyId: 76 }
  expect(await mcp.call("bluetoothlookup", { companyid: 76 })).toMatchObject({ isError: false, data })
  expect(await mcp.call("bluetoothlookup", { companyid: 65536 })).toMatchObject({ isError: true })
})

test("a call tells its credits, and is logged with its surface", async () => {
  const { account, key } = await service.createKey("pro")
  await using mcp = await connectMcp(service.url, key)
  expect(await mcp.call("hmac", hmac)).toMatchObject({
    isError: false,
    meta: { "penknife/credits": { charged: 1, used: 1, remaining: 999_999, plan: "pro" } },
  })
  const logged = requestsIn(service.logged()).filter((line) => line.account === account)
  expect(logged.at(-1)).toMatchObject({ surface: "mcp", api: "hmac", credits: 1, status: 200 })
  expect(service.logged()).not.toContain(key)
  expect(await (await service.fetch("/metrics")).text()).toContain('surface="mcp"')
})

test("a call with wrong arguments is refused as in REST and free", async () => {
  const { account, key } = await service.createKey("pro")
  await using mcp = await connectMcp(service.url, key)
  const rest = await readAnswer(service.fetch("/v1/bluetoothlookup?companyid=x", { key }))
  const text = rest.error ?? "none"
  expect(await mcp.call("bluetoothlookup", { companyid: "x" })).toMatchObject({ isError: true, text })
  expect(await service.accounts.usage(account, 1)).toEqual([])
})

test("a call of an API that is down is refused as in REST and free", async () => {
  const dns = createZoneDns({ "a.example": ["SERVFAIL"] })
  const broken = await startTestService({ ports: { dns } })
  const { account, key } = await broken.createKey("pro")
  const rest = await readAnswer(broken.fetch("/v1/spfvalidator?domain=a.example", { key }))
  await using mcp = await connectMcp(broken.url, key)
  const { isError, text, meta } = await mcp.call("spfvalidator", { domain: "a.example" })
  expect([rest.status, isError]).toEqual(["error", true])
  expect(text).toBe(`${rest.error} Try again after 5 s.`)
  expect(meta).toMatchObject({ "penknife/credits": { charged: 0, used: 0 } })
  expect(await broken.accounts.usage(account, 1)).toEqual([])
})

test("a call without credits, and one too many in a minute, say what to do and when", async () => {
  const { account, key } = await service.createKey("free", { rateLimit: 8 })
  await using mcp = await connectMcp(service.url, key)
  await service.accounts.setPlan(account, "free")
  const answers = []
  for (let call = 0; call < 8; call++) answers.push(await mcp.call("hmac", hmac))
  const throttled = answers.find(({ isError }) => isError)
  const { text } = throttled ?? { text: "" }
  expect(text).toMatch(/^The limit of 8 calls per minute is reached; try again in \d+ seconds?\.$/)

  const mock = await startTestMock()
  await using poor = await connectMcp(mock.url, "mock-no-credits")
  expect(await poor.call("hmac", hmac)).toMatchObject({
    isError: true,
    text: "The credits of this account are used up: this call costs 1 credit, and 0 are left. Credits renew at 2025-02-01T00:00:00.000Z.",
  })
  expect(connectMcp(mock.url, "mock-unavailable")).rejects.toThrow("cannot record charges right now")
})

describe("a request that is refused before its message is read", () => {
  const list = modernRequest("tools/list")

  test.each([
    ["no key", {}, 401, "An API key is needed"],
    ["an unknown key", { "x-api-key": "pk-wrong" }, 401, "mistyped"],
    ["an Origin of another host", { origin: "https://evil.example" }, 403, "'Origin'"],
    ["a Host of another name", { host: "evil.example" }, 403, "'Host'"],
  ])("%s", async (_what, headers, status, text) => {
    const { key } = await service.createKey("pro")
    const given = status === 403 ? { key } : {}
    const answer = await postMcp(service.url, { ...list, ...given, headers: { ...list.headers, ...headers } })
    expect(answer.status).toBe(status)
    expect(answer.headers.get("content-type")).toContain("application/json")
    if (status === 401) expect(answer.headers.get("www-authenticate")).toBe("Bearer")
    const error = { message: expect.stringContaining(text) }
    expect(await answer.json()).toMatchObject({ jsonrpc: "2.0", id: null, error })
  })

  test("a body of 3 MB", async () => {
    const { key } = await service.createKey("pro")
    const large = modernRequest("tools/call", { name: "hmac", arguments: { message: "x".repeat(3_000_000) } })
    expect((await postMcp(service.url, { ...large, key })).status).toBe(413)
  })
})

describe("a message of a wrong form", () => {
  const list = modernRequest("tools/list")
  const newer = { ...list.headers, "mcp-protocol-version": "2999-01-01" }
  const newerBody = JSON.stringify(list.body).replace("2026-07-28", "2999-01-01")
  const call = modernRequest("tools/call", { name: "hmac", arguments: hmac })
  const { headers: other } = modernRequest("tools/call", { name: "linesorter" })

  test.each<[string, message: Parameters<typeof postMcp>[1], status: number, code: number]>([
    ["that is no JSON", { body: "{" }, 400, -32_700],
    ["that is a list of messages", { body: [list.body] }, 400, -32_600],
    ["of an unknown tool", modernRequest("tools/call", { name: "nothing", arguments: {} }), 200, -32_602],
    ["of a method that is not there", modernRequest("nothing/at-all"), 404, -32_601],
    ["whose header names another tool", { ...call, headers: other }, 400, -32_020],
    ["of a revision that is not served", { ...list, headers: newer }, 400, -32_020],
    ["of such a revision, in header and message", { body: newerBody, headers: newer }, 400, -32_022],
  ])("%s", async (_what, message, status, code) => {
    const { account, key } = await service.createKey("pro")
    const answer = await postMcp(service.url, { ...message, key })
    expect([answer.status, await answer.text()]).toEqual([status, expect.stringContaining(`"code":${code}`)])
    expect(await service.accounts.usage(account, 1)).toEqual([])
  })

  test.each([["text"], [0], [-1], [1.5], [2 ** 53]])("the id %p is returned", async (id) => {
    const { key } = await service.createKey("pro")
    const answer = await postMcp(service.url, { ...modernRequest("tools/list", {}, id), key })
    expect(await answer.json()).toMatchObject({ id })
  })

  test.each(SUPPORTED_PROTOCOL_VERSIONS)("the revision %s is served", async (version) => {
    const { key } = await service.createKey("pro")
    const post = async (method: string, params: object) => {
      const headers = method === "initialize" ? {} : { "mcp-protocol-version": version }
      const body = { jsonrpc: "2.0", id: 1, method, params }
      const answer = await postMcp(service.url, { body, headers, key })
      return /^data: (.*)$/m.exec(await answer.text())?.[1]
    }
    const clientInfo = { name: "test", version: "1" }
    const hello = await post("initialize", { protocolVersion: version, capabilities: {}, clientInfo })
    expect(hello).toContain(`"protocolVersion":"${version}"`)
    expect(await post("tools/call", { name: "hmac", arguments: hmac })).toContain('"hmac\\":')
  })

  test("several event streams of an earlier revision are answered at the same time", async () => {
    const { key } = await service.createKey("pro")
    const list = { ...earlierRequest("tools/list"), key }
    const answers = await Promise.all([1, 2, 3].map(() => postMcp(service.url, list)))
    for (const answer of answers) {
      expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/event-stream"])
      expect(await answer.text()).toStartWith("event: message\ndata: {")
    }
  })

  test("GET and DELETE are refused", async () => {
    const { key } = await service.createKey("pro")
    for (const method of ["GET", "DELETE"]) {
      const answer = await fetch(`${service.url}/mcp`, { method, headers: { "x-api-key": key } })
      expect([method, answer.status]).toEqual([method, 405])
    }
  })
})

test("the documentation of each API is a resource, and no other is", async () => {
  const { key } = await service.createKey("pro")
  await using mcp = await connectMcp(service.url, key)
  const { resources } = await mcp.client.listResources()
  expect(resources.map(({ name }) => name)).toEqual(ids)
  for (const { uri, name } of resources) {
    const { contents } = await mcp.client.readResource({ uri })
    const text = expect.stringContaining(`# ${name}`)
    expect(contents[0]).toMatchObject({ mimeType: "text/markdown", text })
  }
  await expect(mcp.client.readResource({ uri: "penknife://apis/nothing" })).rejects.toThrow()
})

test("--no-mcp turns both off", async () => {
  const off = await startTestService({ flags: { noMcp: true } })
  for (const path of ["/mcp", "/mcp/search"]) expect((await off.post(path, {})).status).toBe(404)
})
