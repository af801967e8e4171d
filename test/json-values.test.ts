/** A parameter and a field for any JSON value work in the same way on every surface. */
import { describe, expect, test } from "bun:test"
import { Type } from "@sinclair/typebox"
import { defineApi } from "../src/apis/contract.ts"
import { compileInput } from "../src/call/input.ts"
import { createGraphqlSchema, printCatalogSchema } from "../src/surfaces/graphql/schema.ts"
import { jsonValue } from "../src/values/json-value.ts"
import { startCatalogService, testApi } from "./support/catalog-service.ts"
import { connectMcp } from "./support/mcp.ts"

const echo = defineApi({
  ...testApi("echo"),
  input: Type.Object({
    value: jsonValue({ description: "The value." }),
    other: Type.Optional(jsonValue({ description: "Another value." })),
  }),
  output: Type.Object({
    value: jsonValue({ description: "The value." }),
    all: Type.Array(jsonValue({ description: "A value." }), { description: "Both values." }),
  }),
  run: ({ value, other }) => ({ value, all: other === undefined ? [value] : [value, other] }),
})
const service = startCatalogService([echo])
const { key } = await service.createKey("mega")
const send = async (path: string, body: unknown) =>
  (await (await service.post(path, body, key)).json()) as { error: string | null; data: unknown }

describe.each([
  [null],
  [false],
  [0],
  [""],
  ["text"],
  [[]],
  [[null, [1]]],
  [{}],
  [{ "": { toString: [1.5] } }],
])("%j", (value) => {
  const data = { value, all: [value, null] }

  test("REST and batch", async () => {
    expect(await send("/v1/echo", { value, other: null })).toMatchObject({ data })
    expect(await send("/v1/echo/batch", { inputs: [{ value }] })).toMatchObject({
      data: { results: [{ data: { value, all: [value] } }] },
    })
  })

  test("GraphQL, in a variable and in the query", async () => {
    const query = "query ($value: JSON) { echo(input: { value: $value, other: null }) { value all } }"
    expect(await send("/v1/graphql", { query, variables: { value } })).toMatchObject({ data: { echo: data } })
  })

  test("MCP", async () => {
    await using mcp = await connectMcp(service.url, key)
    await mcp.client.listTools()
    expect(await mcp.call("echo", { value, other: null })).toMatchObject({ isError: false, data })
  })

  test("text, as on the command line", () => {
    const parameters = [{ name: "value", text: JSON.stringify(value) }]
    expect(compileInput(echo.input)({ kind: "text", parameters })).toEqual({ value })
  })
})

test("GraphQL reads values that are written in the query", async () => {
  const query = '{ echo(input: { value: { a: [1, 2.5, "x", null, true] } }) { value } }'
  expect(await send("/v1/graphql", { query })).toMatchObject({
    data: { echo: { value: { a: [1, 2.5, "x", null, true] } } },
  })
  expect(printCatalogSchema([echo])).toContain("scalar JSON")
  expect(createGraphqlSchema([echo, { ...echo, id: "again" }]).getType("JSON")).toBeDefined()
})

test.each([
  ["no value", "{}", "is required and must be a JSON value"],
  ["20,000 levels", `{"value": ${"[".repeat(20_000)}${"]".repeat(20_000)}}`, "must have at most 100 levels"],
  ["a prototype", '{"value": {"__proto__": 1}}', "must have no member named __proto__"],
  ["half a character", '{"value": 1, "other": "\\ud800"}', "must be well-formed Unicode text"],
])("%s is refused", async (_title, text, refusal) => {
  const headers = { "content-type": "application/json", "x-api-key": key }
  const answer = await fetch(`${service.url}/v1/echo`, { method: "POST", headers, body: text })
  expect(answer.status).toBe(400)
  expect(((await answer.json()) as { error: string }).error).toContain(`parameter ${refusal}`)
  const query = "query ($input: EchoInput!) { echo(input: $input) { value } }"
  const body = `{"query": ${JSON.stringify(query)}, "variables": {"input": ${text}}}`
  const graphql = await fetch(`${service.url}/v1/graphql`, { method: "POST", headers, body })
  expect(((await graphql.json()) as { errors: { message: string }[] }).errors[0]?.message).toContain(refusal)
})

test("text that is not JSON is refused", () => {
  const read = compileInput(echo.input)
  expect(() => read({ kind: "text", parameters: [{ name: "value", text: "{a: 1}" }] })).toThrow(
    "The 'value' parameter must be a JSON value, written as JSON text",
  )
})
