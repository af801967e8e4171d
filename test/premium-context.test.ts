/**
 * A run knows whether its caller sees premium fields, on every surface and in a thread, so that it can leave out work for them.
 */
import { expect, test } from "bun:test"
import { createLocalCalls } from "../src/app/prepare.ts"
import { prepareApi } from "../src/call/prepared-api.ts"
import { loadConfig } from "../src/config/load.ts"
import { echoApi, startCatalogService } from "./support/catalog-service.ts"
import { connectMcp } from "./support/mcp.ts"
import { apiSource, folderOf, loadOwn } from "./support/own-apis.ts"

const telling = echoApi("telling", (_, { premium }) => ({ done: String(premium) }))
const own = await loadOwn(
  folderOf({
    "own/index.ts": apiSource("own", {
      run: 'return { shouted: text === "tell" ? String(premium) : text.toUpperCase() }',
    }),
  }),
)
const service = startCatalogService([telling, ...own.definitions])

test.each([
  ["free", "false"],
  ["pro", "true"],
])("on the plan %s it is %s", async (plan, expected) => {
  const { key } = await service.createKey(plan)
  const read = async (path: string, body: object) => (await service.post(path, body, key)).json()
  expect(await read("/v1/telling", { what: "" })).toMatchObject({ data: { done: expected } })
  expect(await read("/v1/telling/batch", { inputs: [{ what: "" }] })).toMatchObject({
    data: { results: [{ data: { done: expected } }] },
  })
  const query = '{ telling(input: { what: "" }) { done } }'
  expect(await read("/v1/graphql", { query })).toEqual({ data: { telling: { done: expected } } })
  await using agent = await connectMcp(service.url, key)
  expect((await agent.call("telling", { what: "" })).data).toEqual({ done: expected })
  expect(await read("/v1/own", { text: "tell" })).toMatchObject({ data: { shouted: expected } })
})

test("where nothing is metered it is true", async () => {
  const call = createLocalCalls(loadConfig({ flags: {}, env: {}, file: null }))
  expect(await call(prepareApi(telling), { kind: "typed", values: { what: "" } })).toEqual({ done: "true" })
  own.end()
})
