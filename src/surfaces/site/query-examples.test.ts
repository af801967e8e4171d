import { expect, test } from "bun:test"
import { Type } from "@sinclair/typebox"
import { parse, validate } from "graphql"
import { testApi } from "../../../test/support/catalog-service.ts"
import { type ApiDefinition, defineApi } from "../../apis/contract.ts"
import { catalog } from "../../app/prepare.ts"
import { requireWithinLimits } from "../graphql/query-limits.ts"
import { selectOperation } from "../graphql/query-parts.ts"
import { createGraphqlSchema } from "../graphql/schema.ts"
import { readVariables } from "../graphql/variables.ts"
import { queryExamples } from "./query-examples.ts"

const examplesOf = (...apis: readonly ApiDefinition[]) =>
  queryExamples({ apis: apis.map((definition) => ({ definition, credits: 1, readInput: () => ({}) })) })

/** @throws Refusal if the schema does not take a query or its variables */
function requireValid(
  apis: readonly ApiDefinition[],
  { query, variables }: ReturnType<typeof examplesOf>[number],
) {
  const schema = createGraphqlSchema(apis)
  const document = parse(query)
  expect(validate(schema, document).map(String)).toEqual([])
  requireWithinLimits(document)
  readVariables(schema, selectOperation(document, null).operation, variables)
}

test.each(catalog.map((api) => [api.id, api] as const))("the queries for %s fit its schema", (id, api) => {
  const examples = examplesOf(api)
  expect(examples.map(({ api: first }) => first)).toEqual(examples.map(() => id))
  const most = api.examples.length > 1 ? 2 : 1
  expect(examples.length).toBe(api.takesFile || api.examples.length === 0 ? 0 : most)
  for (const example of examples) requireValid([api], example)
})

test("those of the whole catalog name one API, two, and one twice", () => {
  const examples = examplesOf(...catalog)
  expect(examples.map(({ name, variables }) => [name, Object.keys(variables)])).toEqual([
    ["One API", ["input"]],
    ["Two APIs", ["input1", "input2"]],
    ["One API twice", ["input1", "input2"]],
  ])
  for (const example of examples) requireValid(catalog, example)
})

test("names that GraphQL does not allow are changed, and an API without parameters gets none", () => {
  const odd = defineApi({
    ...testApi("od-d"),
    input: Type.Object({ "a-b": Type.String({ description: "A." }) }),
    output: Type.Object({ "c.d": Type.String({ description: "C." }) }),
    examples: [{ name: "one", input: { "a-b": "x" }, output: { "c.d": "y" } }],
    run: () => ({ "c.d": "y" }),
  })
  const [example] = examplesOf(odd)
  if (!example) throw new Error("an API with an example has a query")
  expect(example.query).toBe("query ($input: OdDInput!) {\n  odd(input: $input) {\n    c_d\n  }\n}")
  expect(example.variables).toEqual({ input: { a_b: "x" } })
  requireValid([odd], example)
  const examples = [{ name: "one", input: {}, output: { list: [] } }]
  const none = { ...odd, id: "none", input: Type.Object({}), examples }
  const [second] = examplesOf(none as ApiDefinition)
  if (!second) throw new Error("an API without parameters has a query")
  expect([second.query, second.variables]).toEqual(["query {\n  none {\n    __typename\n  }\n}", {}])
  requireValid([none as ApiDefinition], second)
})

test("a service without APIs, or whose only API takes a file, has no queries", () => {
  expect(examplesOf()).toEqual([])
  const [api] = catalog
  if (!api) throw new Error("the catalog is empty")
  expect(examplesOf({ ...api, takesFile: true })).toEqual([])
})
