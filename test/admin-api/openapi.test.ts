/** The document of the admin API follows its standard, and describes each operation and each of its answers. */
import { describe, expect, test } from "bun:test"
import { operations } from "../../src/admin/operations.ts"
import { createCatalog } from "../../src/apis/catalog.ts"
import { version } from "../../src/app/version.ts"
import { problems } from "../../src/surfaces/http/admin/admin-problem.ts"
import { operationIdOf, routesOf } from "../../src/surfaces/http/admin/operation-routes.ts"
import { problemTypeStart } from "../../src/surfaces/http/reply/problem.ts"
import { printAdminOpenApi } from "../../src/surfaces/openapi/admin/document.ts"
import type { JsonObject, OpenApiDocument } from "../../src/surfaces/openapi/json-object.ts"
import { lintOpenApi } from "../support/lint-openapi.ts"
import { startTestService } from "../support/service.ts"
import { hasTurn } from "../support/turns.ts"

const apiIds = createCatalog().map(({ id }) => id)
const text = printAdminOpenApi({ operations, apiIds, version })
const document = JSON.parse(text) as OpenApiDocument
const routes = routesOf(operations)

// The other document has its turn with the commits between (test/openapi.test.ts).
test.if(hasTurn(1, 2))("passes the recommended rules of Redocly without a warning", async () =>
  expect(await lintOpenApi(text)).toEqual([]),
)

test("is served without a key, and sent again only when it has changed", async () => {
  const service = await startTestService({ configText: "" })
  const answer = await fetch(`${service.url}/admin/openapi.json`)
  expect([answer.status, await answer.text()]).toEqual([200, text])
  const headers = { "if-none-match": answer.headers.get("etag") ?? "" }
  expect((await fetch(`${service.url}/admin/openapi.json`, { headers })).status).toBe(304)
  expect((await fetch(`${service.url}/admin/openapi.json`, { method: "POST" })).status).toBe(405)
})

test("has every route of the operations and no other, each with an id of its own", () => {
  const expected = routes.map(({ operation, template }) => `${operation.method} ${template}`)
  const found = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  )
  expect(found.sort()).toEqual([...expected, "GET /admin/openapi.json"].sort())
  const ids = routes.map(operationIdOf)
  expect(new Set(ids).size).toBe(ids.length)
})

test("lists permissions and the ids of APIs where they are parameters", () => {
  const bodyOf = (path: string, method: string) => {
    const described = document.paths[path]?.[method] as JsonObject | undefined
    const body = described?.requestBody as
      | { content: Record<string, { schema: { properties: JsonObject } }> }
      | undefined
    return body?.content["application/json"]?.schema.properties
  }
  expect(bodyOf("/admin/v1/admins", "post")?.may).toMatchObject({
    items: { enum: expect.arrayContaining(["*", "keys.*", "keys.read", "health.read"]) },
  })
  expect(bodyOf("/admin/v1/keys", "post")?.allow_apis).toMatchObject({ items: { enum: apiIds } })
  expect(bodyOf("/admin/v1/keys/{id}", "patch")?.block_apis).toMatchObject({ items: { enum: apiIds } })
  expect(text).not.toContain("x-api-id")
})

test("says of each path which methods the service takes", async () => {
  const service = await startTestService({ configText: "" })
  const paths = Object.keys(document.paths)
  for (const path of paths) {
    const asked = path.replaceAll(/\{\w+\}/g, "x")
    const { status, headers } = await fetch(service.url + asked, { method: "PUT" })
    // `/keys/find` is also `/keys/{id}`.
    const fits = (other: string) => new RegExp(`^${other.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(asked)
    const methods = paths.filter(fits).flatMap((other) => Object.keys(document.paths[other] ?? {}))
    const allow = [...new Set(methods)].map((method) => method.toUpperCase()).sort()
    expect([path, status, headers.get("allow")]).toEqual([path, 405, allow.join(", ")])
  }
})

describe.each(routes.map((route) => [`${route.operation.id} at ${route.template}`, route] as const))(
  "%s",
  (_name, route) => {
    const { operation, template, inPath } = route
    const described = document.paths[template]?.[operation.method.toLowerCase()] as JsonObject

    test("has texts, permission, parameters, body, answers and an example", () => {
      expect(described).toMatchObject({
        "x-operation": operation.id,
        "x-permission": operation.permission,
        summary: operation.title,
        description: expect.stringContaining(operation.description),
      })
      const parameters = (described.parameters ?? []) as readonly JsonObject[]
      const named = parameters.flatMap(({ name }) => (typeof name === "string" ? [name] : []))
      const body = described.requestBody as
        | { content: Record<string, { schema: { properties: JsonObject }; example: JsonObject }> }
        | undefined
      const media = body?.content["application/json"]
      expect([...named, ...Object.keys(media?.schema.properties ?? {})].sort()).toEqual(
        Object.keys(operation.input.properties).sort(),
      )
      const shown = parameters.flatMap(({ name, example }) => (example === undefined ? [] : [name]))
      expect([...shown, ...Object.keys(media?.example ?? {})].sort() as string[]).toEqual(
        Object.keys(operation.example).sort(),
      )
      const isChange = operation.run.kind === "change"
      const statuses = Object.keys(described.responses as JsonObject).map(Number)
      const expected = [operation.status ?? 200, 400, 401, 403, 404, 405, 409, 429, 500, 503]
      if (operation.method !== "GET") expected.push(408, 413, 415)
      if (isChange) expected.push(422)
      if (isChange && (inPath.length > 0 || operation.method === "PATCH")) expected.push(412)
      expect(statuses.sort()).toEqual(expected.sort())
    })
  },
)

test("shows every problem with its type and an example", () => {
  for (const [code, { status, title }] of Object.entries(problems)) {
    expect(text).toContain(`"${problemTypeStart}${code}"`)
    const shown = Object.values(document.components.responses ?? {}).flatMap(({ content }) => {
      const media = (content as Record<string, { examples: Record<string, { value: JsonObject }> }>)[
        "application/problem+json"
      ]
      return media?.examples[code] ?? []
    })
    expect(shown).toMatchObject([{ value: { type: problemTypeStart + code, status, title } }])
  }
})
