/** A client generated from the OpenAPI document: it compiles, refuses what the service would refuse, and calls everything. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { DnsZone } from "../src/apis/contract.ts"
import { catalog, prepareApis } from "../src/app/prepare.ts"
import { version } from "../src/app/version.ts"
import { loadConfig } from "../src/config/load.ts"
import { createZoneDns } from "../src/ports/dns/zone.ts"
import { printOpenApi } from "../src/surfaces/openapi/document.ts"
import { toDocInput } from "../src/surfaces/openapi/json-object.ts"
import { type WrittenClient, writeClient } from "./support/openapi-client.ts"
import { startTestService } from "./support/service.ts"
import { hasTurn } from "./support/turns.ts"

let client: WrittenClient

beforeAll(async () => {
  const config = loadConfig({ flags: {}, env: {}, file: null })
  const described = toDocInput(config, { apis: await prepareApis(config), version, logo: null })
  client = await writeClient(await printOpenApi(described), catalog)
}, 300_000)
afterAll(() => client.remove())

const docs = readFileSync(join(import.meta.dir, "../docs/openapi.md"), "utf8")
const documented = (/```ts\n(.*?)```/s.exec(docs)?.[1] ?? "").replace("./penknife.d.ts", "./schema.d.ts")

test("it and the program in docs/openapi.md compile, and its types know fields, premium marks and mistakes", () => {
  const statements = `
const calls = createCalls("", "")
export async function use(): Promise<string> {
  const { data, error } = await calls.hmac0()
  if (error) {
    const refused: string = error.error
    return refused
  }
  const text: string = data.data.hmac
  const sun = await calls.sunrisesunset0()
  const sunset: string | null | undefined = sun.data?.data.sunset
  const noon: string | undefined = sun.data?.data.solarNoon
  const first = (await calls.linesorterBatch()).data?.data.results[0]
  const sorted: string[] | undefined = first?.data?.sorted
  return text + sunset + noon + sorted
}
const client = createClient<paths, "application/json">({})
// @ts-expect-error a secret is required
client.POST("/v1/hmac", { body: { message: "" } })
// @ts-expect-error no such algorithm
client.POST("/v1/hmac", { body: { message: "", secret: "", algorithm: "crc32" } })
// @ts-expect-error a number
client.GET("/v1/sunrisesunset", { params: { query: { lat: "north", lon: 0 } } })
// @ts-expect-error no such path
client.GET("/v1/nothing")
// @ts-expect-error a plan without premium fields does not get this one
export const premium = async (): Promise<string> => (await calls.sunrisesunset0()).data?.data.solarNoon ?? undefined
`
  const env = "declare const process: { env: Record<string, string | undefined> }"
  expect(client.compile(`${client.text}\n${statements}`, `${env}\n${documented}`)).toBe("")
}, 300_000)

test("the program in docs/openapi.md prints the answer to its call", async () => {
  const service = await startTestService()
  const { key } = await service.createKey("free")
  const program = documented.replace("http://localhost:8080", service.url)
  expect(program).toContain(service.url)
  const [printed, refused] = await Promise.all([key, "pk-x"].map((KEY) => client.run(program, { KEY })))
  expect(printed).toBe("Apple, Inc.\n")
  expect(refused).toContain("API key")
}, 300_000)

// It takes turns with the client of the admin API: both are written, compiled and called in the same way.
test.if(hasTurn(0, 2))(
  "it calls every API, one by one and in batches, and every other path",
  async () => {
    const zone: DnsZone = Object.assign(
      {},
      ...catalog.flatMap(({ examples }) => examples.map(({ given }) => given?.dns)),
    )
    const service = await startTestService({ ports: { dns: createZoneDns(zone) } })
    const { key } = await service.createKey("pro")
    const calls = (await client.load())(service.url, key)
    expect(Object.keys(calls).length).toBeGreaterThan(3 * catalog.length)
    for (const [name, call] of Object.entries(calls)) {
      const { data, error, response } = await call()
      expect([name, response.status, error, typeof data]).toEqual([name, 200, undefined, "object"])
    }
    expect((await calls.linesorterBatch?.())?.data).toMatchObject({ data: { failed: 0 } })
    const stranger = await (await client.load())(service.url, "pk-x").hmac0?.()
    expect([stranger?.response.status, stranger?.data]).toEqual([401, undefined])
    expect(stranger?.error).toMatchObject({ status: "error", data: null })
    await service.stop()
  },
  300_000,
)
