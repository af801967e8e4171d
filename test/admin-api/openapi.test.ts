/** The document of the admin API follows its standard, and describes each operation and each of its answers. */
import { describe, expect, test } from "bun:test"
import { operations } from "../../src/admin/operations.ts"
import { version } from "../../src/app/version.ts"
import { routesOf } from "../../src/surfaces/http/admin/operation-path.ts"
import { problems } from "../../src/surfaces/http/admin/problem.ts"
import { problemTypeStart } from "../../src/surfaces/http/problem.ts"
import { printAdminOpenApi } from "../../src/surfaces/openapi/admin/document.ts"
import { operationIdOf } from "../../src/surfaces/openapi/admin/operation.ts"
import type { JsonObject, OpenApiDocument } from "../../src/surfaces/openapi/json-object.ts"
import { lintOpenApi } from "../support/lint-openapi.ts"
import { startTestService } from "../support/service.ts"

const text = printAdminOpenApi({ operations, version })
const document = JSON.parse(text) as OpenApiDocument
const routes = routesOf(operations)

test("passes the recommended rules of Redocly without a warning", async () => {
  expect(await lintOpenApi(text)).toEqual([])
}, 300_000)

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
