/** The OpenAPI document follows its standard, describes what the service does, and is the same everywhere. */
import { describe, expect, test } from "bun:test"
import { gunzipSync } from "node:zlib"
import { byCategory } from "../src/apis/categories.ts"
import { catalog } from "../src/app/prepare.ts"
import { contentTypes, formats } from "../src/encode/formats.ts"
import type { JsonObject, OpenApiDocument } from "../src/surfaces/openapi/json-object.ts"
import { picturesOf } from "../src/values/picture.ts"
import { toOfferedApis } from "../src/web/playground/offered-api.ts"
import { runCliForTest } from "./support/cli.ts"
import { startExampleService } from "./support/example-service.ts"
import { lintOpenApi } from "./support/lint-openapi.ts"
import { startTestMock } from "./support/mock.ts"
import { answerCheckOf, startTestService, toRequest } from "./support/service.ts"
import { hasTurn } from "./support/turns.ts"

const service = await startTestService()
const text = await (await service.fetch("/openapi.json")).text()
const document = JSON.parse(text) as OpenApiDocument

test.if(hasTurn(0, 2))("the document passes the recommended rules of Redocly without a warning", async () =>
  expect(await lintOpenApi(text)).toEqual([]),
)

test("the document has every path and no other", () => {
  const ofApis = catalog.flatMap(({ id }) => [`/v1/${id}`, `/v1/${id}/batch`])
  const others = ["/", "/v1/graphql", "/v1/usage", "/health", "/ready", "/metrics", "/openapi.json"]
  expect(Object.keys(document.paths).sort()).toEqual([...ofApis, ...others].sort())
})

test.each(catalog.map((api) => [api.id, api] as const))(
  "the document documents the statuses, types, price and marks of %s",
  (id, { method, credits, input, output }) => {
    const operation = operationOf(`/v1/${id}`, method.toLowerCase())
    const own = method === "POST" ? [408, 409, 413, 415, 422] : [409, 422]
    expect(Object.keys(operation.responses).map(Number)).toEqual(
      [200, 400, 401, 403, 405, ...own, 429, 500, 503].sort(),
    )
    for (const [status, { content }] of Object.entries(operation.responses).map(
      ([code, response]) => [code, resolved(response)] as const,
    )) {
      expect(Object.keys(content as JsonObject)).toEqual([
        ...formats.map((format) => contentTypes[format].split(";")[0] ?? ""),
        ...(status === "200" ? picturesOf(output).map(({ type }) => type) : ["application/problem+json"]),
      ])
      for (const media of Object.values(content as Record<string, JsonObject>))
        expect(Object.keys(media.examples ?? { one: media.example })).not.toHaveLength(0)
    }
    expect(operation.tags).toEqual(operationOf(`/v1/${id}/batch`, "post").tags)
    expect(operation["x-credits"]).toBe(credits)
    expect(operationOf(`/v1/${id}/batch`, "post")["x-credits-per-input"]).toBe(credits)
    const count = (value: unknown) => JSON.stringify(value).split('"x-premium":true').length - 1
    const schemas = Object.entries(document.components.schemas ?? {}).filter(([name]) =>
      new RegExp(`^${id}(Input|Data)$`, "i").test(name),
    )
    expect(count(schemas)).toBe(count([input, output]))
  },
)

test("the document shows exactly the answers of the service in every format", async () => {
  const { service: own, prepareFor } = await startExampleService()
  const known = await own.createKey("mega")
  // The examples of a service have other names than the zone.
  const mock = await startTestMock()
  const { paths } = (await (await mock.fetch("/openapi.json")).json()) as OpenApiDocument
  for (const api of catalog) {
    const [example] = api.examples
    if (!example || example.varying) continue
    prepareFor(example)
    const responses = operationOf(`/v1/${api.id}`, api.method.toLowerCase(), paths).responses
    const content = responses[200]?.content as Record<
      string,
      { example?: string; examples?: Record<string, { value: unknown }> }
    >
    for (const format of formats) {
      const { path, init } = toRequest(api, example.input, format)
      const answer = await (await own.fetch(path, { ...init, key: known.key })).text()
      const media = content[contentTypes[format].split(";")[0] ?? ""]
      const shown = media?.example ?? JSON.stringify(Object.values(media?.examples ?? {})[0]?.value)
      expect([api.id, format, shown]).toEqual([api.id, format, answer])
    }
  }
  await own.stop()
}, 300_000)

test("the document has a tag for each category, with the APIs in it", () => {
  for (const { heading, apis } of byCategory(catalog.map((definition) => ({ definition })))) {
    const titles = apis.map(({ definition }) => definition.title)
    expect(document.tags).toContainEqual({ name: heading, description: `${titles.join(", ")}.` })
    for (const { definition } of apis) {
      const { tags } = operationOf(`/v1/${definition.id}`, definition.method.toLowerCase())
      expect(tags).toEqual([heading])
    }
  }
  // The playground reads the APIs from this document.
  const offered = toOfferedApis(JSON.parse(text)).map(({ id }) => id)
  expect(offered.toSorted()).toEqual(catalog.map(({ id }) => id).toSorted())
})

test("the document follows the configuration: prices, the limit of bodies, GraphQL turned off", async () => {
  const file = { credits: { hmac: 7 }, max_body: 5000, no_graphql: true, no_metrics: true }
  const other = await startTestService({ file })
  const own = await (await other.fetch("/openapi.json")).text()
  const { paths } = JSON.parse(own) as OpenApiDocument
  expect([paths["/v1/graphql"], paths["/metrics"]]).toEqual([undefined, undefined])
  expect(paths["/v1/hmac"]).toMatchObject({ post: { "x-credits": 7 } })
  expect(own).toContain("at most 5,000 bytes")
  await other.stop()
  const guarded = JSON.parse((await runCliForTest(["openapi", "--metrics-token", "s3cret"])).out)
  const { get } = guarded.paths["/metrics"]
  expect(get).toMatchObject({ security: [{ metricsToken: [] }], responses: { 401: {} } })
  expect(JSON.stringify(guarded)).not.toContain("s3cret")
})

test("the document: penknife openapi prints what the service answers with, for the same settings", async () => {
  const { code, out } = await runCliForTest(["openapi"])
  expect(code).toBe(0)
  // The test runs the command line with another version.
  expect(out.replaceAll("0.0.0-test", String(document.info.version))).toBe(text)
  const off = await runCliForTest(["openapi", "--no-graphql"])
  expect(JSON.parse(off.out).paths["/v1/graphql"]).toBeUndefined()
})

test("the document needs no key, is for any origin, and is sent again only when it has changed", async () => {
  const answer = await service.fetch("/openapi.json")
  expect(answer.headers.get("access-control-allow-origin")).toBe("*")
  const etag = answer.headers.get("etag") ?? ""
  const again = await service.fetch("/openapi.json", { headers: { "if-none-match": etag } })
  expect([again.status, await again.text()]).toEqual([304, ""])
  const changed = await service.fetch("/openapi.json", { headers: { "if-none-match": 'W/"other"' } })
  expect([changed.status, await changed.text()]).toEqual([200, text])
})

test.each([
  ["gzip", "gzip"],
  ["br, gzip;q=0.5", "gzip"],
  ["gzip;q=0", null],
  ["identity", null],
])("the document: Accept-Encoding: %s is answered with %p", async (accept, coding) => {
  const headers = { "accept-encoding": accept }
  const answer = await fetch(`${service.url}/openapi.json`, { headers, decompress: false })
  expect(answer.headers.get("content-encoding")).toBe(coding)
  const body = await answer.bytes()
  expect(new TextDecoder().decode(coding === null ? body : gunzipSync(body))).toBe(text)
})

test("/graphiql leads to the page of GraphQL for good, and goes with GraphQL, which takes no GET", async () => {
  const moved = await service.fetch("/graphiql", { redirect: "manual" })
  expect([moved.status, moved.headers.get("location")]).toEqual([301, "/docs/graphql#try"])
  const off = await startTestService({ flags: { noGraphql: true } })
  for (const path of ["/graphiql", "/docs/graphql", "/docs/hmac.graphql"])
    expect([path, (await off.fetch(path)).status]).toEqual([path, 404])
  await off.stop()
  expect((await service.fetch("/v1/graphql")).status).toBe(405)
})

test("an unknown part of the document is a 404, another method a 405", async () => {
  for (const path of ["/docs/nothing", "/docs/../package.json", "/docs/%2e%2e/package.json"])
    expect((await service.fetch(path)).status).toBe(404)
  expect((await service.fetch("/docs", { method: "POST" })).headers.get("allow")).toBe("GET")
})

test("the mock has the document and the page too; its journal leaves them out", async () => {
  const mock = await startTestMock()
  const other = await (await mock.fetch("/openapi.json")).json()
  expect(withoutExamples(other)).toEqual(withoutExamples(JSON.parse(text)))
  for (const path of ["/docs", "/docs/errors", "/apis/hmac", "/docs/graphql"])
    expect((await mock.fetch(path)).status).toBe(200)
  expect((await mock.control("GET", "/requests")).data).toMatchObject({ requests: [] })
})

describe("the check of every answer in these tests", () => {
  const path = "/v1/bluetoothlookup?companyid=76"
  const data = { companyId: 76, companyIdHex: "0x004C", found: true, company: "Apple, Inc." }
  const headers = { "content-type": "application/json", "x-request-id": "a" }
  const envelope = { status: "ok", error: null, data }

  test.each([
    ["a status that it does not declare", 418, headers, envelope],
    ["a missing header", 200, { "content-type": "application/json" }, envelope],
    ["an undeclared header", 200, { ...headers, "x-other": "1" }, envelope],
    ["a header of another type", 200, { ...headers, "x-ratelimit-limit": "many" }, envelope],
    ["another content type", 200, { ...headers, "content-type": "text/html" }, envelope],
    ["a field too many", 200, headers, { ...envelope, data: { ...data, extra: 1 } }],
    ["a field too few", 200, headers, { ...envelope, data: { companyId: 76 } }],
    ["a field of another type", 200, headers, { ...envelope, data: { ...data, found: "yes" } }],
    ["the envelope of a refusal", 200, headers, { status: "error", error: "no", data: null }],
  ])("finds %s", async (_name, status, own, body) => {
    const check = answerCheckOf(service.config)
    await check("GET", path, new Response(JSON.stringify(envelope), { headers }))
    const wrong = new Response(JSON.stringify(body), { status, headers: own as Record<string, string> })
    await expect(check("GET", path, wrong)).rejects.toThrow("is not what OpenAPI says")
  })

  test("finds a field too many or too few in the answer of a batch", async () => {
    const check = answerCheckOf(service.config)
    const checked = (batch: object, result: object) => {
      const results = [{ index: 0, status: "ok", error: null, data, ...result }]
      const answer = { count: 1, succeeded: 1, failed: 0, credits_used: 1, results, ...batch }
      const body = JSON.stringify({ status: "ok", error: null, data: answer })
      return check("POST", "/v1/bluetoothlookup/batch", new Response(body, { headers }))
    }
    await checked({}, {})
    for (const [batch, result] of [
      [{ extra: 1 }, {}],
      [{ count: undefined }, {}],
      [{}, { extra: 1 }],
      [{}, { data: { ...data, extra: 1 } }],
      [{}, { index: undefined }],
    ] as const)
      await expect(checked(batch, result)).rejects.toThrow("is not what OpenAPI says")
  })
})

interface OperationPart extends JsonObject {
  readonly responses: Readonly<Record<string, JsonObject>>
}

const operationOf = (path: string, method: string, paths = document.paths): OperationPart =>
  (paths[path]?.[method] ?? {}) as OperationPart

const withoutExamples = (part: unknown): unknown =>
  JSON.parse(JSON.stringify(part), (name, value) => (/^examples?$/.test(name) ? undefined : value))

function resolved(part: JsonObject): JsonObject {
  const name =
    String(part.$ref ?? "")
      .split("/")
      .at(-1) ?? ""
  return document.components.responses?.[name] ?? part
}
