/** The schema of the catalog is made in steps, so that the first query does not hold up others. */
import { expect, test } from "bun:test"
import { printSchema } from "graphql"
import { createCatalog } from "../../apis/catalog.ts"
import { createGraphqlSchemaInSteps, printCatalogSchema } from "./schema.ts"

test("it gives way before each API and after them, and the schema is the documented one", async () => {
  const apis = createCatalog()
  let pauses = 0
  let isPaused = false
  const schema = await createGraphqlSchemaInSteps(apis, async () => {
    expect(isPaused).toBe(false)
    isPaused = true
    pauses++
    await undefined
    isPaused = false
  })
  expect(pauses).toBeGreaterThan(apis.length)
  expect(`${printSchema(schema)}\n`).toBe(printCatalogSchema(apis))
})

test("a definition that GraphQL cannot express is refused before a query comes", async () => {
  const [api] = createCatalog()
  if (!api) throw new Error("the catalog is empty")
  const schema = createGraphqlSchemaInSteps([{ ...api, id: "__own" }], () => undefined)
  await expect(schema).rejects.toThrow("__own")
})
