/** The routes of the app carry the schemas by which Elysia checks, and the OpenAPI document says the same of them. */
import { afterAll, expect, test } from "bun:test"
import type { TSchema } from "@sinclair/typebox"
import { catalog } from "../src/app/prepare.ts"
import { systemTimer } from "../src/ports/timer.ts"
import { createHttpApp } from "../src/surfaces/http/app.ts"
import { createClosing } from "../src/surfaces/http/calls.ts"
import { createOpenApiDocument, printOpenApi } from "../src/surfaces/openapi/document.ts"
import type { JsonObject } from "../src/surfaces/openapi/json-object.ts"
import { toJsonSchema } from "../src/surfaces/openapi/json-object.ts"
import { catalogParts } from "./support/catalog-service.ts"

const { parts, settings, opened } = catalogParts(catalog)
afterAll(() => opened.store.close())
const options = { ...settings, closing: createClosing(systemTimer), strict: true }
const app = createHttpApp(parts, options)
const described = {
  ...{ ...parts, ...settings, mcp: true, metrics: "off" as const },
  ...{ title: "penknife", logo: null },
}
const document = createOpenApiDocument(described)

test("the document is made in steps, between which others have their turns", async () => {
  let turns = 0
  expect(await printOpenApi(described, {}, () => void turns++)).toBe(`${JSON.stringify(document)}\n`)
  expect(turns).toBeGreaterThan(catalog.length)
})

interface ObjectSchema {
  readonly type: "object"
  readonly properties: JsonObject
  readonly required: readonly string[]
}

interface Operation {
  readonly parameters?: readonly JsonObject[]
  readonly requestBody?: { readonly content: Record<string, { readonly schema: JsonObject }> }
  readonly responses: Record<string, { readonly content: Record<string, { readonly schema: JsonObject }> }>
}

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    name: `${method.toUpperCase()} ${path}`,
    operation: operation as Operation,
  })),
)
const routes = new Map(app.routes.map((route) => [`${route.method} ${route.path}`, route]))

test("making the app reads no schema and no example of an API: a start would take longer with each", async () => {
  const read: string[] = []
  const watched = catalog.map((api) => {
    const getter = (name: "input" | "output" | "examples") => ({
      get() {
        read.push(`${api.id}.${name}`)
        return api[name]
      },
    })
    const getters = { input: getter("input"), output: getter("output"), examples: getter("examples") }
    return Object.defineProperties({ ...api }, getters)
  })
  const { parts, settings, opened } = catalogParts(watched)
  const made = createHttpApp(parts, { ...options, ...settings })
  expect(read).toEqual([])
  const [first] = made.routes.filter(({ path }) => path === "/v1/hmac")
  expect(first?.hooks.body.properties).toBe(catalog.find(({ id }) => id === "hmac")?.input.properties)
  expect(read).toEqual(["hmac.input"])
  await opened.store.close()
})

test("every operation of the document is a route, and every metered route is an operation", () => {
  const names = operations.map(({ name }) => name.replace("POST /v1/graphql", "ALL /v1/graphql"))
  expect(names.filter((name) => !routes.has(name))).toEqual([])
  const metered = [...routes.values()].filter(({ hooks }) => "metered" in hooks || hooks.query || hooks.body)
  expect(metered.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(
    [
      ...catalog.flatMap(({ id, method }) => [`${method} /v1/${id}`, `POST /v1/${id}/batch`]),
      "GET /v1/usage",
    ].sort(),
  )
})

test("Elysia makes no objects of headers and cookies for a metered request, which cost a fifth of a call", () => {
  const metered = [...routes.values()].filter(({ path }) => /^\/(v1\/|mcp$)/.test(path))
  expect(metered.length).toBeGreaterThan(2 * catalog.length)
  // A hook or handler that hands its whole context to a function makes Elysia prepare all of it.
  const makes = metered.filter(({ compile }) => /\bc\.headers\b|cookie/i.test(String(compile())))
  expect(makes.map(({ method, path }) => `${method} ${path}`)).toEqual([])
})

const ofApis = operations.filter(({ name }) => /^\w+ \/v1\/(?!graphql)/.test(name))

test.each(ofApis.map(({ name, operation }) => [name, operation] as const))(
  "%s is checked by the schemas that are documented",
  (name, operation) => {
    const { hooks } = routes.get(name) ?? { hooks: {} }
    const success = operation.responses[200]?.content["application/json"]?.schema
    expect(withoutWords(hooks.response[200])).toEqual(documented(success))
    if (hooks.body) {
      const body = operation.requestBody?.content["application/json"]?.schema
      expect(withoutWords(hooks.body)).toEqual(documented(body))
    } else {
      const query = toJsonSchema(plain(hooks.query))
      const parameters = operation.parameters?.map((parameter) => resolved(parameter)) ?? []
      const required = parameters.filter((one) => one.required)
      expect(query.required ?? []).toEqual(required.map(({ name }) => name))
      expect(withoutDescriptions(query.properties)).toEqual(
        withoutDescriptions(Object.fromEntries(parameters.map(({ name, schema }) => [name, schema]))),
      )
    }
  },
)

/** A schema of a route as JSON: symbols and functions are not part of it. */
function plain(schema: TSchema): TSchema {
  const { "~standard": _, ...json } = JSON.parse(JSON.stringify(schema))
  return json
}

const withoutWords = (schema: TSchema): unknown => withoutDescriptions(toJsonSchema(plain(schema)))

const documented = (schema: unknown): unknown => withoutDescriptions(resolved(schema))

/** A part of the document in which each reference is replaced by what it names, and the parts of an object by the whole. */
const resolved = (value: unknown): JsonObject =>
  JSON.parse(JSON.stringify(value), (_key, inner) => {
    const [, kind, name] = /^#\/components\/(\w+)\/(\w+)$/.exec(inner?.$ref ?? "") ?? []
    if (kind && name) return resolved(document.components[kind]?.[name])
    return Array.isArray(inner?.allOf) ? joined(inner.allOf) : inner
  })

const joined = (parts: readonly ObjectSchema[]): ObjectSchema => ({
  type: "object",
  properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
  required: parts.flatMap(({ required }) => required),
})

/** The envelope and the results of a batch are described in the document alone. */
const withoutDescriptions = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (key, inner) =>
    key === "description" && typeof inner === "string" ? undefined : inner,
  )
