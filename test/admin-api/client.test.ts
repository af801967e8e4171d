/** A client generated from the document of the admin API: it compiles, refuses mistakes, and runs every operation. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { operations } from "../../src/admin/operations.ts"
import { createCatalog } from "../../src/apis/catalog.ts"
import { version } from "../../src/app/version.ts"
import { operationIdOf, routesOf } from "../../src/surfaces/http/admin/operation-routes.ts"
import { printAdminOpenApi } from "../../src/surfaces/openapi/admin/document.ts"
import { adminOf, createTestAdminKey } from "../support/admin.ts"
import { clientOptions, exampleRequest } from "../support/admin-examples.ts"
import { type WrittenClient, writeClientOf } from "../support/openapi-client.ts"
import { pretendCommand } from "../support/own-command.ts"
import { startTestService } from "../support/service.ts"
import { tempDir } from "../support/temp.ts"
import { hasTurn } from "../support/turns.ts"

let client: WrittenClient
const routes = routesOf(operations)
const apiIds = createCatalog().map(({ id }) => id)

beforeAll(async () => {
  client = await writeClientOf(printAdminOpenApi({ operations, apiIds, version }), clientText())
}, 300_000)
afterAll(() => client.remove())

function clientText(): string {
  const calls = routes.map((route) => {
    const { operation, template } = route
    const place = `paths["${template}"]["${operation.method.toLowerCase()}"]`
    const parseAs = /^(?:watch|file)$/.test(operation.run.kind) ? "stream" : operation.format && "text"
    const parse = parseAs ? `, parseAs: "${parseAs}"` : ""
    return `${operationIdOf(route)}: (options: FetchOptions<${place}>) => client.${operation.method}("${template}", { ...options${parse} })`
  })
  return `import createClient, { type FetchOptions } from "openapi-fetch"
import type { paths } from "./schema"

export function createCalls(baseUrl: string, key: string) {
  const client = createClient<paths, \`application/\${string}\` | "text/event-stream">({ baseUrl, headers: { "x-admin-key": key } })
  return {
    ${calls.join(",\n    ")},
  }
}
`
}

test("it compiles with the example of every operation, and its types know fields and mistakes", () => {
  const examples = routes
    .filter(({ operation, template }) => template.endsWith(operation.path))
    .map((route) => {
      const options = clientOptions(route.operation, route.inPath, route.operation.example)
      return `calls.${operationIdOf(route)}(${JSON.stringify(options)})`
    })
  const statements = `
const calls = createCalls("", "")
${examples.join("\n")}
export async function use(): Promise<string> {
  const { data, error } = await calls.accountsGet({ params: { path: { id: "acc_1" } } })
  if (error) return error.type + error.detail
  const used: number = data.used
  const listed: string[] = (await calls.accountsList({})).data?.data.map(({ id }) => id) ?? []
  return data.name + used + listed.join()
}
// @ts-expect-error a name is required
calls.accountsCreate({ body: { plan: "pro" } })
// @ts-expect-error a number
calls.creditsGrant({ params: { path: { id: "acc_1" } }, body: { credits: "many" } })
// @ts-expect-error no such parameter
calls.accountsUpdate({ params: { path: { id: "acc_1" } }, body: { nmae: "Ann" } })
`
  expect(client.compile(`${client.text}\n${statements}`)).toBe("")
})

// It takes turns with the client of the catalog.
test.if(hasTurn(1, 2))("it runs every operation", async () => {
  const service = await startTestService({
    configText: "",
    flags: { backupDir: tempDir(), signUpMode: "open", keepRequests: "30" },
    runOwnCommand: pretendCommand,
  })
  const admin = await adminOf(service)
  const { key } = await createTestAdminKey(service.db)
  const calls = (await client.load())(service.url, key)
  for (const operation of operations) {
    const [route] = routesOf([operation])
    if (!route) throw new Error(`${operation.id} has no route`)
    const { options } = await exampleRequest(operation, admin, service.db)
    const answer = await calls[operationIdOf(route)]?.(options)
    expect([operation.id, answer?.error, answer?.response.status]).toEqual([
      operation.id,
      undefined,
      operation.status ?? 200,
    ])
  }
})
