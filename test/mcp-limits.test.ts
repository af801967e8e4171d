/** The bounds of the work that a client of /mcp may cause, and the answers and charges at a bound. */
import { expect, test } from "bun:test"
import { connectMcp, earlierRequest, modernRequest, postMcp } from "./support/mcp.ts"
import { startTestMock } from "./support/mock.ts"
import { slowly } from "./support/raw-http.ts"
import { startTestService } from "./support/service.ts"
import { until } from "./support/until.ts"

const service = await startTestService()
const hmac = { message: "a", secret: "b" }

test("a body is read like one of REST: too many levels, too many parts and a wrong type are refused", async () => {
  const { account, key } = await service.createKey("pro")
  const call = (message: string) =>
    JSON.stringify(modernRequest("tools/call", { name: "hmac", arguments: hmac }).body).replace(
      '"a"',
      () => message,
    )
  const { headers } = modernRequest("tools/call", { name: "hmac" })
  const deep = `${"[".repeat(30_000)}${"]".repeat(30_000)}`
  const wide = `[${"{},".repeat(30_000)}{}]`
  for (const [message, text] of [
    [deep, "levels"],
    [wide, "objects, arrays"],
  ] as const) {
    const answer = await postMcp(service.url, { body: call(message), headers, key })
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining(text)])
  }
  const plain = await postMcp(service.url, {
    body: call('"a"'),
    headers: { ...headers, "content-type": "text/plain" },
    key,
  })
  expect(plain.status).toBe(415)
  expect(await service.accounts.usage(account, 1)).toEqual([])
})

test("a body is read like one of REST: a message that is large besides the arguments is refused, since its members are checked in one piece", async () => {
  const { account, key } = await service.createKey("pro")
  const members = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 1]))
  const send = async ({ body, headers }: ReturnType<typeof earlierRequest>) => {
    const answer = await postMcp(service.url, { body, key, headers })
    return [answer.status, await answer.text()] as const
  }
  const requests = (count: number) => [
    earlierRequest("tools/call", { name: "hmac", arguments: hmac, _meta: members(count) }),
    earlierRequest("tools/list", members(count)),
    earlierRequest("tools/list", { _meta: { text: "x".repeat(count * 10) } }),
  ]
  const { body, headers } = earlierRequest("ping")
  for (const request of [...requests(2_000), { headers, body: { ...body, ...members(2_000) } }]) {
    const most = "The 'body' parameter must have at most 16,384 characters besides 'params.arguments'."
    expect(await send(request)).toEqual([400, expect.stringContaining(most)])
  }
  expect(await service.accounts.usage(account, 1)).toEqual([])
  for (const request of requests(500))
    expect(await send(request)).toEqual([200, expect.not.stringContaining("16,384")])
  const long = { ...hmac, message: "x".repeat(100_000) }
  const [, answer] = await send(earlierRequest("tools/call", { name: "hmac", arguments: long }))
  expect(answer).toContain("structuredContent")
})

test("a body is read like one of REST: a list of messages is refused in every revision, and runs nothing", async () => {
  const { account, key } = await service.createKey("pro")
  const message = earlierRequest("tools/call", { name: "hmac", arguments: hmac })
  const answer = await postMcp(service.url, { ...message, body: [message.body, message.body], key })
  expect([answer.status, await answer.json()]).toEqual([
    400,
    { jsonrpc: "2.0", id: null, error: { code: -32_600, message: expect.stringContaining("one message") } },
  ])
  expect(await service.accounts.usage(account, 1)).toEqual([])
})

const perMinute = 5
test.each([
  [
    "the free tools of the search",
    "/mcp/search",
    modernRequest("tools/call", { name: "search_apis", arguments: { query: "" } }),
  ],
  ["tools that are not there", "/mcp", modernRequest("tools/call", { name: "nothing", arguments: {} })],
  ["calls without a name", "/mcp", modernRequest("tools/call", {})],
  ["lists", "/mcp", modernRequest("tools/list")],
])("the limit of calls per minute counts %s", async (_what, path, message) => {
  const { key } = await service.createKey("pro", { rateLimit: perMinute })
  const answers: string[] = []
  for (let request = 0; request < perMinute + 2; request++)
    answers.push(await (await postMcp(service.url, { ...message, key, path })).text())
  const refused = answers.map((text) => text.includes("The limit of 5 calls per minute is reached"))
  expect(refused).toEqual([false, false, false, false, false, true, true])
})

test.each([
  ["small", "m"],
  ["large", "m".repeat(20_000)],
])("the limit of calls per minute counts a %s tool call once", async (_, message) => {
  const { key } = await service.createKey("pro", { rateLimit: perMinute })
  const call = modernRequest("tools/call", { name: "hmac", arguments: { ...hmac, message } })
  const answer = await (await postMcp(service.url, { ...call, key })).json()
  expect(answer).toHaveProperty(["result", "_meta", "penknife/credits", "callsLeftThisMinute"], 4)
})

test("the limit of calls per minute counts a request whose body is large before the body is read", async () => {
  const { key } = await service.createKey("pro", { rateLimit: 1 })
  await (await postMcp(service.url, { ...modernRequest("tools/list"), key })).text()
  const client = slowly(
    service.url,
    `POST /mcp HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${key}\r\ncontent-type: application/json\r\ncontent-length: 20000\r\n\r\n{`,
  )
  await until(() => client.answer() !== "")
  expect(client.answer()).toStartWith("HTTP/1.1 429 ")
  client.socket.destroy()
})

test("a large answer is given whole once, with a short text beside it", async () => {
  const { key } = await service.createKey("pro")
  await using mcp = await connectMcp(service.url, key)
  const lines = Array.from({ length: 10_000 }, (_, n) => `line ${n} ${"x".repeat(120)}`)
  const { data, text } = await mcp.call("linesorter", { lines })
  expect(text.length).toBeLessThan(1_000)
  expect(JSON.stringify(data).length).toBeGreaterThan(1_000_000)
})

test("nobody may listen for changes, since there are none: the answer ends at once, also of the mock", async () => {
  const { key } = await service.createKey("pro")
  const mock = await startTestMock()
  const listen = modernRequest("subscriptions/listen", { notifications: { toolsListChanged: true } })
  for (const [url, sentKey] of [
    [service.url, key],
    [mock.url, "mock-pro"],
  ] as const) {
    const answer = await (await postMcp(url, { ...listen, key: sentKey })).json()
    expect(answer).toMatchObject({ id: 1, error: { code: -32_603 } })
  }
})
