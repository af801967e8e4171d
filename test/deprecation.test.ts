/** Deprecated items say so on every surface, and are gone after their sunset. */
import { expect, test } from "bun:test"
import { Type } from "@sinclair/typebox"
import { parseItem } from "structured-headers"
import { type ApiDefinition, defineApi, deprecated } from "../src/apis/contract.ts"
import { createLocalCalls } from "../src/app/prepare.ts"
import { prepareApi } from "../src/call/prepared-api.ts"
import { loadConfig } from "../src/config/load.ts"
import { createGraphqlSchema } from "../src/surfaces/graphql/schema.ts"
import { exampleAnswer, toApiPage } from "../src/surfaces/markdown/api-page.ts"
import { createOpenApiDocument } from "../src/surfaces/openapi/document.ts"
import { echoApi, startCatalogService, testApi } from "./support/catalog-service.ts"
import { createManualClock } from "./support/clock.ts"
import { connectMcp } from "./support/mcp.ts"
import { portsFor } from "./support/zone-ports.ts"

const since = "2024-12-01"
const sunset = "2025-03-01"
const marked = defineApi({
  ...testApi("marked"),
  input: Type.Object({
    what: Type.String({ description: "The text." }),
    old: Type.Optional(deprecated(Type.String({ description: "The text." }), { since, successor: "what" })),
  }),
  output: Type.Object({
    done: Type.String({ description: "The same text." }),
    was: Type.Optional(deprecated(Type.String({ description: "Earlier." }), { since, successor: "done" })),
  }),
  examples: [{ name: "One", input: { what: "a" }, output: { done: "a" } }],
  run: ({ what }) => ({ done: what }),
})
const old: ApiDefinition = defineApi({
  ...echoApi("old", ({ what }) => ({ done: what })),
  deprecation: { since, sunset, successor: "marked" },
  examples: [{ name: "One", input: { what: "a" }, output: { done: "a" } }],
})
const text = `Deprecated since ${since}. Use 'marked' instead. It is gone from ${sunset} on.`

const clock = createManualClock()
const service = startCatalogService([old, marked], { clock })
const { key } = await service.createKey("pro")
const post = (path: string, body: unknown) => service.post(path, body, key)

test.each([
  ["/v1/old", { what: "a" }],
  ["/v1/old/batch", { inputs: [{ what: "a" }] }],
])("before the sunset %s works and has the headers", async (path, body) => {
  const { status, headers } = await post(path, body)
  expect([status, headers.get("deprecation"), headers.get("sunset")]).toEqual([
    200,
    `@${Date.UTC(2024, 11, 1) / 1_000}`,
    "Sat, 01 Mar 2025 00:00:00 GMT",
  ])
  // RFC 9745 §2.1: a date of structured fields.
  expect(parseItem(headers.get("deprecation") ?? "")[0]).toEqual(new Date(since))
  expect(headers.get("link")).toBe(
    '</docs/old.md>; rel="deprecation"; type="text/markdown", </v1/marked>; rel="successor-version"',
  )
})

test("before the sunset a deprecated parameter has them only where it is given, and no answer of another API does", async () => {
  const without = await post("/v1/marked", { what: "a" })
  expect([without.status, without.headers.has("deprecation")]).toEqual([200, false])
  const { status, headers } = await post("/v1/marked", { what: "a", old: "b" })
  expect([status, headers.has("deprecation"), headers.has("sunset")]).toEqual([200, true, false])
  const batch = (...inputs: object[]) => post("/v1/marked/batch", { inputs })
  expect((await batch({ what: "a" }, { what: "b", old: "c" })).headers.has("deprecation")).toBe(true)
  expect((await batch({ what: "a" }, {})).headers.has("deprecation")).toBe(false)
  const after = await post("/v1/marked", { what: "a" })
  expect(after.headers.has("deprecation")).toBe(false)
})

test("before the sunset the tools and their parameters say so", async () => {
  await using mcp = await connectMcp(service.url, key)
  const { tools } = await mcp.client.listTools()
  expect(tools[0]?.description).toStartWith(text)
  expect(tools[1]?.inputSchema.properties?.old).toMatchObject({
    deprecated: true,
    description: `The text. Deprecated since ${since}. Use 'what' instead.`,
  })
})

test("usage tells a caller what of its calls is deprecated, on every surface", async () => {
  const { key: own } = await service.createKey("pro")
  const call = (path: string, body: unknown) => service.post(path, body, own)
  const usage = async () => {
    const answer = await fetch(`${service.url}/v1/usage`, { headers: { "x-api-key": own } })
    return ((await answer.json()) as { data: Record<string, unknown> }).data
  }
  await call("/v1/marked", { what: "a" })
  expect(await usage()).not.toHaveProperty("deprecated")

  await call("/v1/old", { what: "a" })
  await call("/v1/old", { what: 5 })
  await call("/v1/marked", { what: "a", old: "b" })
  await call("/v1/marked/batch", {
    inputs: [{ what: "a", old: "b" }, { what: "a" }, { what: "c", old: "" }, { old: "b" }],
  })
  await call("/v1/graphql", {
    query:
      '{ old(input: { what: "a" }) { done } marked(input: { what: "a", old: "b" }) { ...on MarkedResult { was } } }',
  })
  await using mcp = await connectMcp(service.url, own)
  await mcp.call("old", { what: "a" })
  await mcp.call("marked", { what: "a", old: "b" })

  const day = new Date(clock.now()).toISOString().slice(0, 10)
  const parameter = `Deprecated since ${since}. Use 'what' instead.`
  expect(await usage()).toMatchObject({
    credits: { used: 10 },
    usage: [
      { day, api: "marked", calls: 7, credits: 7 },
      { day, api: "old", calls: 3, credits: 3 },
    ],
    deprecated: [
      { day, api: "marked", part: "field was", calls: 1, notice: parameter.replace("what", "done") },
      { day, api: "marked", part: "parameter old", calls: 5, notice: parameter },
      { day, api: "old", part: "api", calls: 3, notice: text },
    ],
  })
})

test("OpenAPI, GraphQL and the pages say so", () => {
  const features = { graphql: true, mcp: true, metrics: "off", maxBodyBytes: 1, plans: new Map() } as const
  const service = { ...features, version: "", publicUrl: null, title: "penknife", logo: null }
  const apis = [prepareApi(old), prepareApi(marked)]
  const { paths, components } = createOpenApiDocument({ ...service, apis })
  expect(paths["/v1/old"]).toMatchObject({
    post: { deprecated: true, description: expect.stringContaining(text), responses: { 410: {} } },
  })
  expect(paths["/v1/old/batch"]).toMatchObject({ post: { deprecated: true, responses: { 410: {} } } })
  expect(paths["/v1/marked"]).not.toMatchObject({ post: { deprecated: true } })
  expect(components.schemas?.MarkedInput).toMatchObject({ properties: { old: { deprecated: true } } })
  expect(JSON.stringify(components)).not.toContain("x-deprecation")

  const schema = createGraphqlSchema([old, marked])
  const field = schema.getQueryType()?.getFields()
  expect(field?.old?.deprecationReason).toBe(text)
  expect(field?.marked?.deprecationReason).toBeFalsy()

  const page = (api: ApiDefinition) =>
    toApiPage(api, { credits: 1, url: "http://x", key: "k", answer: exampleAnswer(api) })
  expect(page(old)).toContain(`**${text}**`)
  expect(page(marked)).toContain("Use 'what' instead.")
})

const lateClock = createManualClock(sunset)
const lateService = startCatalogService([old, marked], { clock: lateClock })

test("after the sunset every surface refuses it, names the successor and charges nothing", async () => {
  const { account, key } = await lateService.createKey("pro")
  const post = (path: string, body: unknown) => lateService.post(path, body, key)
  const gone = `The API 'old' ended on ${sunset}. Use 'marked' instead.`
  for (const [path, body] of [
    ["/v1/old", { what: "a" }],
    ["/v1/old/batch", { inputs: [{ what: "a" }] }],
  ] as const) {
    const answer = await post(path, body)
    expect([answer.status, answer.headers.get("x-error-code"), await answer.json()]).toEqual([
      410,
      "apiGone",
      { status: "error", error: gone, data: null },
    ])
  }
  const query = await post("/v1/graphql", { query: '{ old(input: { what: "a" }) { done } }' })
  expect(await query.text()).toContain(gone)
  await using mcp = await connectMcp(lateService.url, key)
  expect(await mcp.call("old", { what: "a" })).toMatchObject({ isError: true, text: gone })
  const local = createLocalCalls(loadConfig({ flags: {}, env: {}, file: null }), {
    ...portsFor({}),
    clock: lateClock,
  })
  await expect(local(prepareApi(old), { kind: "typed", values: { what: "a" } })).rejects.toThrow(gone)
  expect((await post("/v1/marked", { what: "a" })).status).toBe(200)
  expect(await lateService.accounts.usage(account, 30)).toMatchObject([
    { api: "marked", calls: 1, credits: 1 },
  ])
})
