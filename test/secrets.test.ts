/** A parameter that is marked as secret: its value stays out of everything that someone keeps or shows, on every surface. */
import { expect, test } from "bun:test"
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { Type } from "@sinclair/typebox"
import { type ApiDefinition, defineApi, secret } from "../src/apis/contract.ts"
import { createSecretFilter } from "../src/mock/without-secrets.ts"
import { createTestAdminKey } from "./support/admin.ts"
import { echoApi, startCatalogService } from "./support/catalog-service.ts"
import { connectMcp } from "./support/mcp.ts"
import { post, startTestMock } from "./support/mock.ts"
import { startOtlpReceiver } from "./support/otlp-receiver.ts"
import { apiSource, folderOf, loadOwn } from "./support/own-apis.ts"
import { startTestService } from "./support/service.ts"

const word = "tHe-SeCrEt-4111"
const number = 41_111_111_111_111

const withSecret = (method: "GET" | "POST"): ApiDefinition =>
  defineApi({
    ...{ id: "card", title: "Card", description: "Checks a card.", method, credits: 1, examples: [] },
    input: Type.Object({
      what: secret(Type.String({ maxLength: 20, description: "The number." })),
      other: Type.Optional(Type.String({ description: "A word." })),
    }),
    output: Type.Object({ done: Type.String({ description: "Its end." }) }),
    run: () => ({ done: "ok" }),
  })

test("an API with a secret must take POST: addresses are kept by proxies and browsers", async () => {
  expect(withSecret("POST").id).toBe("card")
  expect(() => withSecret("GET")).toThrow(
    "The parameter 'what' of 'card' is secret, and GET would put it into addresses, which browsers and proxies keep: take POST.",
  )
  const own = (method: string) =>
    apiSource("own")
      .replace("import { defineApi,", "import { secret, defineApi,")
      .replace('method: "POST"', `method: "${method}"`)
      .replace(
        'Type.String({ description: "The text." })',
        'secret(Type.String({ description: "The text." }))',
      )
  const { definitions, problems, end } = await loadOwn(
    folderOf({ "own/index.ts": own("POST"), "bad/index.ts": own("GET").replace('id: "own"', 'id: "bad"') }),
  )
  expect(definitions.map(({ id, input }) => [id, input.properties.text?.["x-secret"]])).toEqual([
    ["own", true],
  ])
  expect(problems).toEqual([{ name: "bad", problem: expect.stringContaining("is secret, and GET") }])
  end()
})

/** Calls that succeed and that are refused, each with the secret in it. */
const bodies: readonly (readonly [path: string, body: unknown])[] = [
  ["/v1/hmac", { message: "m", secret: word }],
  ["/v1/hmac", { message: 5, secret: word }],
  ["/v1/hmac", { message: "m", secret: [word] }],
  ["/v1/hmac", `{"message":"m","secret":"${word}`],
  [`/v1/hmac?secret=${word}`, { message: "m", secret: word }],
  ["/v1/hmac/batch", { inputs: [{ message: "m", secret: word }, { message: 5, secret: word }, word] }],
  ["/v1/hmacs", { message: "m", secret: word }],
  ["/v1/graphql", { query: `{ hmac(input: { message: "m", secret: "${word}" }) { hmac } }` }],
  ["/v1/graphql", { query: `{ hmac(input: { message: "m", secret: ${number} }) { hmac } }` }],
  ["/v1/graphql", { query: `{ hmac(input: { message: "m", secret: """${word}""" }) { hmac } }` }],
  ["/v1/graphql", { query: `{ hmac(input: { message: "m", "${word}" }) { hmac } }` }],
  ["/v1/graphql", { query: `{ hmac(input: "${word}") { hmac } }` }],
  [
    "/v1/graphql",
    {
      query: `query ($s: String!) { hmac(input: { message: "m", secret: $s }) { hmac } }`,
      variables: { s: word },
    },
  ],
  [
    "/v1/graphql",
    {
      query: `query ($s: HmacInput!) { hmac(input: $s) { hmac } }`,
      variables: { s: { message: "m", secret: number } },
    },
  ],
]

const sendTo = (url: string, [path, body]: (typeof bodies)[number], headers: Record<string, string>) =>
  fetch(url + path, {
    ...{ method: "POST", headers: { "content-type": "application/json", ...headers } },
    body: typeof body === "string" ? body : JSON.stringify(body),
  })
const holdsSecret = (text: string) => text.includes(word) || text.includes(String(number))

test("a call with a secret leaves it in no answer, log, trace, live request or file of the store", async () => {
  const collector = startOtlpReceiver()
  const service = await startTestService({
    flags: { "log-level": "debug" },
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: "1" },
  })
  const { key: adminKey } = await createTestAdminKey(service.db)
  const watching = await fetch(`${service.url}/admin/v1/requests`, { headers: { "x-admin-key": adminKey } })
  const { key } = await service.createKey("pro")
  const traceparent = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`
  for (const one of bodies) {
    const answer = await sendTo(service.url, one, { "x-api-key": key, traceparent })
    expect([one, holdsSecret(await answer.text())]).toEqual([one, false])
  }
  await using agent = await connectMcp(service.url, key)
  for (const secret of [word, number, [word]]) {
    const { text } = await agent.call("hmac", { message: "m", secret })
    expect(holdsSecret(text)).toBe(false)
  }
  await collector.until((spans) => spans.filter(({ kind }) => kind === 2).length >= bodies.length)
  const reader = watching.body?.getReader()
  let watched = ""
  while (!watched.includes('"surface":"mcp"')) {
    const { value, done } = (await reader?.read()) ?? { done: true }
    if (done) throw new Error(`the end came first: ${watched}`)
    watched += new TextDecoder().decode(value)
  }
  await reader?.cancel()
  expect(service.logged()).toContain('"api":"hmac"')
  for (const text of [service.logged(), collector.text(), watched]) expect(holdsSecret(text)).toBe(false)
  const folder = dirname(service.db)
  for (const name of readdirSync(folder))
    expect([name, holdsSecret(readFileSync(join(folder, name), "latin1"))]).toEqual([name, false])
  await service.stop()
  expect(holdsSecret(service.logged())).toBe(false)
})

test("a call with a secret leaves the journal of the mock without it, and with all else", async () => {
  const mock = await startTestMock()
  for (const one of bodies) await sendTo(mock.url, one, { "x-api-key": "mock-pro" })
  await using agent = await connectMcp(mock.url, "mock-pro")
  await agent.call("hmac", { message: "m", secret: word })
  await using finder = await connectMcp(mock.url, "mock-pro", "/mcp/search")
  await finder.call("call_api", { id: "hmac", input: { message: "m", secret: word } })
  const { data } = await mock.control("GET", "/requests")
  const { requests } = data as { requests: { path: string; apis: string[]; request: { body: string } }[] }
  expect(requests.length).toBeGreaterThan(bodies.length)
  for (const one of requests) expect([one, holdsSecret(JSON.stringify(one))]).toEqual([one, false])
  const shown = requests.map(({ path, request: { body } }) => [path, body])
  expect(shown[0]).toEqual(["/v1/hmac", '{"message":"m","secret":"(secret)"}'])
  expect(shown[3]).toEqual(["/v1/hmac", "(left out: it may hold a secret)"])
  expect(shown[4]?.[0]).toBe("/v1/hmac?(secret)")
  expect(shown[7]?.[1]).toContain('hmac(input: { message: \\"(secret)\\", secret: \\"(secret)\\" }) { hmac }')
  expect(requests.filter(({ apis }) => apis.includes("hmac"))).not.toBeEmpty()
})

test("a call with a secret changes nothing of other requests in the journal", async () => {
  const mock = await startTestMock()
  const spaced = { lines: ["b", '{"secret":1}'], secret: "is no parameter here" }
  await post(mock, "/v1/linesorter", "mock-pro", spaced)
  await mock.fetch("/v1/bluetoothlookup?companyid=76", { key: "mock-pro" })
  const { data } = await mock.control("GET", "/requests")
  expect(data).toMatchObject({
    requests: [
      { request: { body: JSON.stringify(spaced) } },
      { path: "/v1/bluetoothlookup?companyid=76", request: { body: "" } },
    ],
  })
  const filter = createSecretFilter([echoApi("echo", ({ what }) => ({ done: what }))])
  const request = { path: "/v1/echo?what=x", body: "{ not json" }
  expect(filter(request)).toEqual(request)
})

test("a call with a secret that is refused on any surface is told what to change without the value", async () => {
  const service = startCatalogService([withSecret("POST")])
  const { key } = await service.createKey("pro")
  const long = word.repeat(3)
  for (const [path, body] of [
    ["/v1/card", { what: long }],
    ["/v1/card/batch", { inputs: [{ what: long }, { what: number }] }],
    ["/v1/graphql", { query: `{ card(input: { what: "${long}" }) { done } }` }],
  ] as const) {
    const text = await (await service.post(path, body, key)).text()
    expect(text).toContain("The 'what' parameter must be a string of at most 20 characters")
    expect(holdsSecret(text)).toBe(false)
  }
})
