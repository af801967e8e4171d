/**
 * Rules for every API, over every surface: those of the catalog, and those of an operator's folder. A new API in the list is
 * tested without further code.
 */
import { afterAll, describe, expect, test } from "bun:test"
import { join } from "node:path"
import type { TObject, TSchema } from "@sinclair/typebox"
import { Value } from "@sinclair/typebox/value"
import { parse as parseCsv } from "csv-parse/sync"
import { XMLParser } from "fast-xml-parser"
import { parse as parseYaml } from "yaml"
import { categories } from "../src/apis/categories.ts"
import { type ApiDefinition, type Dns, type Example, isPremium } from "../src/apis/contract.ts"
import { catalog as builtIn } from "../src/app/prepare.ts"
import { toFlagTexts } from "../src/surfaces/cli/call.ts"
import { toRootField } from "../src/surfaces/graphql/names.ts"
import { readAnswer } from "./support/answer.ts"
import { runCliForTest } from "./support/cli.ts"
import { startExampleService } from "./support/example-service.ts"
import { readGraphql, toQuery, withNulls } from "./support/graphql.ts"
import { connectMcp } from "./support/mcp.ts"
import { loadOwn } from "./support/own-apis.ts"
import { runExample } from "./support/run-example.ts"
import type { TestService } from "./support/service.ts"
import { hasTurn } from "./support/turns.ts"
import { portsFor } from "./support/zone-ports.ts"

const ownFolder = join(import.meta.dir, "../examples/apis")
const own = await loadOwn(ownFolder, { taken: builtIn.map(({ id }) => id) })
afterAll(own.end)
expect(own.problems).toEqual([])
const catalog = [...builtIn, ...own.definitions]
const isOwn = ({ id }: ApiDefinition) => own.definitions.some((api) => api.id === id)

const cases = catalog.flatMap((api) =>
  api.examples.map((example) => ({ api, example, title: `${api.id}: ${example.name}` })),
)

/**
 * A service for the catalog's examples and one for those of the operator's folder, with MCP clients, which compile the schemas of
 * all APIs.
 */
const places = { builtIn: await startPlace(), own: await startPlace({ apis: ownFolder }) }

async function startPlace(flags = {}) {
  const { service, prepareFor } = await startExampleService(flags)
  const agents = await connectAgents(service)
  afterAll(agents.close)
  return { service, agents, prepareFor }
}

/** The service of an example, and its MCP clients, with the clock and the DNS that it needs. */
function placeFor(example: Example) {
  const isOwn = own.definitions.some(({ examples }) => examples.includes(example))
  const place = isOwn ? places.own : places.builtIn
  place.prepareFor(example)
  return place
}

async function connectAgents({ url, createKey }: TestService) {
  const { key } = await createKey("pro")
  const clients = await Promise.all([connectMcp(url, key), connectMcp(url, key, "/mcp/search")])
  const [tools, search] = clients
  // A client checks the structured content against the tool's output schema once it knows the tools.
  await tools.client.listTools()
  return { tools, search, close: () => Promise.all(clients.map((one) => one[Symbol.asyncDispose]())) }
}

describe.each(catalog.map((api) => [api.id, api] as const))("the definition of %s", (id, api) => {
  test("has an id that is valid in paths, GraphQL and the command line", () => {
    expect(id).toMatch(/^[a-z][a-z0-9]*$/)
    expect(catalog.filter((other) => other.id === id)).toHaveLength(1)
  })

  test("describes itself and every field, and has an example", () => {
    expect(api.title.length).toBeGreaterThan(3)
    expect(api.description.length).toBeGreaterThan(20)
    if (!isOwn(api)) {
      expect(categories as readonly unknown[]).toContain(api.category)
      expect(api.keywords?.length).toBeGreaterThan(2)
    }
    expect(api.credits).toBeGreaterThanOrEqual(1)
    expect(api.examples.length).toBeGreaterThanOrEqual(1)
    for (const [path, schema] of fieldsOf(api.input, "input").concat(fieldsOf(api.output, "output")))
      expect([path, schema.description]).toEqual([path, expect.stringMatching(/\S.{3,}/)])
  })

  test("names the list that it uses, and its answers have the date or the version", () => {
    const [list] = api.lists ?? []
    const { data_date, data_version } = api.output.properties
    // The contract names the fields of bluetoothlookup; phonevalidator uses a package of the program.
    if (["bluetoothlookup", "phonevalidator"].includes(api.id))
      expect([data_date, list && "list"]).toEqual([undefined, "list"])
    else
      expect([data_date !== undefined, data_version !== undefined]).toEqual([
        !!list && !list.version,
        !!list?.version,
      ])
    for (const { output } of api.examples) {
      if (data_date) expect(output.data_date).toBe(list?.date)
      if (data_version) expect(output.data_version).toBe(list?.version)
    }
  })

  test("is frozen deeply", () => {
    for (const [, schema] of fieldsOf(api.output, "output")) expect(Object.isFrozen(schema)).toBe(true)
    expect(() => Object.assign(api.input.properties, { x: 1 })).toThrow(TypeError)
  })
})

test.each(cases.map((item) => [item.title, item] as const))(
  "%s: the answer fits the output schema and has no other field, and the DNS is asked only if the definition says so",
  async (_title, { api, example }) => {
    let questions = 0
    const ports = portsFor(example)
    const dns: Dns = {
      resolve(name, type) {
        questions++
        return ports.dns.resolve(name, type)
      },
      exchange(name, type, options) {
        questions++
        return ports.dns.exchange(name, type, options)
      },
    }
    const data = await runExample(api, example, { ...ports, dns })
    expect([...Value.Errors(closed(api.output), data)].map(({ path, message }) => [path, message])).toEqual(
      [],
    )
    const renew = "If the new answer is right, 'bun run generate' stores it."
    expect(withoutVarying(data, example), renew).toEqual(withoutVarying(example.output, example))
    // An example without a DNS zone shows input for which there is nothing to ask.
    expect(questions > 0).toBe(api.asksDns === true && example.given?.dns !== undefined)
  },
)

describe.each(cases.map((item) => [item.title, item] as const))("%s", (_title, { api, example }) => {
  /** The formats agree on any data: src/encode has generated ones. So only the first example of an API is sent in each. */
  const isFirst = example === api.examples[0]

  test(`REST gives it${isFirst ? " in four formats" : ""}, charges each call once, and forbids caching`, async () => {
    const { service } = placeFor(example)
    const { account, key } = await service.createKey("pro")
    const json = await service.call(api, example.input, { key })
    expect(json.status).toBe(200)
    expect(json.headers.get("content-type")).toBe("application/json")
    expect(json.headers.get("cache-control")).toBe("no-store")
    const envelope = await readAnswer(json)
    expect(Object.keys(envelope)).toEqual(["status", "error", "data"])
    expect(envelope).toMatchObject({ status: "ok", error: null })
    expect(withoutVarying(envelope.data, example)).toEqual(withoutVarying(example.output, example))
    expect((await service.accounts.show(account)).balance.used).toBe(api.credits)

    if (!isFirst) return
    const text = async (format: string) => (await service.call(api, example.input, { key, format })).text()
    const yaml = parseYaml(await text("yaml"))
    expect(withoutVarying(yaml.data, example)).toEqual(withoutVarying(envelope.data, example))
    expect(comparable(readXml(await text("xml")), example)).toEqual(comparable(asXml(envelope.data), example))
    expect(comparable(readCsv(await text("csv")), example)).toEqual(comparable(asCsv(envelope.data), example))
    expect((await service.accounts.show(account)).balance.used).toBe(4 * api.credits)
    const credits = 4 * api.credits
    expect(await service.accounts.usage(account, 1)).toMatchObject([{ api: api.id, calls: 4, credits }])
  })

  test.each(plansFor(api, example))("batch and GraphQL give and charge as REST does on %s", async (plan) => {
    const { service } = placeFor(example)
    const { account, key } = await service.createKey(plan)
    const rest = await readAnswer(service.call(api, example.input, { key }))
    const batch = await readAnswer(service.post(`/v1/${api.id}/batch`, { inputs: [example.input] }, { key }))
    const { body } = await readGraphql(service.post("/v1/graphql", toQuery(api, example.input), { key }))
    const results = batch.data?.results as { data: object }[]
    const data = withFixed(rest.data, example)
    expect(Object.keys(data)).not.toHaveLength(0)
    expect(withFixed(results[0]?.data, example)).toEqual(data)
    expect(body.errors).toBeUndefined()
    const field = body.data?.[toRootField(api.id)] as object
    expect<unknown>(withFixed(field, example)).toEqual(withNulls(api.output, data))
    const credits = 3 * api.credits
    expect(await service.accounts.usage(account, 1)).toMatchObject([{ api: api.id, calls: 3, credits }])
  })

  test.each(plansFor(api, example))("MCP gives and charges the same as REST on the plan %s", async (plan) => {
    const { service, agents } = placeFor(example)
    const { tools, search } = agents
    const { account, key } = await service.createKey(plan)
    const { data } = await readAnswer(service.call(api, example.input, { key }))
    for (const client of [tools, search]) client.useKey(key)
    const called = await tools.call(api.id, example.input)
    const found = await search.call("call_api", { id: api.id, input: example.input })
    for (const answer of [called, found]) {
      expect([answer.isError, answer.text]).toEqual([false, expect.any(String)])
      expect(withFixed(answer.data, example)).toEqual(withFixed(data, example))
      expect(answer.meta).toMatchObject({ "penknife/credits": { charged: api.credits, plan } })
    }
    const credits = 3 * api.credits
    expect(await service.accounts.usage(account, 1)).toMatchObject([{ api: api.id, calls: 3, credits }])
  })

  test("a plan without premium gets no premium field, in any format", async () => {
    const { service } = placeFor(example)
    const { key } = await service.createKey("free")
    const { data } = await readAnswer(service.call(api, example.input, { key }))
    expect(Value.Check(withoutPremium(api.output), data)).toBe(true)
    const hidden = premiumNames(api.output)
    for (const format of isFirst ? ["json", "xml", "yaml", "csv"] : ["json"]) {
      const answer = await (await service.call(api, example.input, { key, format })).text()
      for (const name of hidden) expect(answer).not.toMatch(new RegExp(`\\b${name}\\b`))
    }
  })

  test.if(isFirst)("the command line prints the same data", async () => {
    const args = Object.entries(example.input).flatMap(([name, value]) =>
      toFlagTexts(api.input.properties[name], value).flatMap((text) => [`--${name}`, text]),
    )
    const folder = isOwn(api) ? ["--apis", ownFolder] : []
    const { code, out, err } = await runCliForTest(["call", api.id, ...args, ...folder], {
      ports: portsFor(example),
    })
    expect({ code, err }).toEqual({ code: 0, err: "" })
    expect(withoutVarying(JSON.parse(out), example)).toEqual(withoutVarying(example.output, example))
  })
})

/**
 * The plans on which an example is sent over every surface: the first of each API on one plan, with each commit. REST gives all
 * on both, and same-everywhere.test.ts compares the surfaces with generated input.
 */
function plansFor(api: ApiDefinition, example: Example): readonly string[] {
  if (example !== api.examples[0]) return []
  return ["pro", "free"].filter((_, plan) => hasTurn(catalog.indexOf(api) + plan, 2))
}

const withoutVarying = (data: object | null, { varying = [] }: Example): Record<string, unknown> =>
  Object.fromEntries(Object.entries(data ?? {}).filter(([name]) => !varying.includes(name)))

/** Fields that vary from run to run are only compared as null or not null. */
function withFixed(data: object | null | undefined, { varying = [] }: Example): Record<string, unknown> {
  const entries = Object.entries(data ?? {})
  return Object.fromEntries(
    entries.map(([name, value]) => [name, varying.includes(name) && value !== null ? "varying" : value]),
  )
}

/** Every field below an object schema, with its path. */
function fieldsOf(schema: TSchema, path: string): [string, TSchema][] {
  const own = Object.entries((schema.properties ?? {}) as Record<string, TSchema>)
  const inner = schema.type === "array" ? fieldsOf(schema.items, `${path}[]`) : []
  return own
    .flatMap(([name, child]): [string, TSchema][] => [
      [`${path}.${name}`, child],
      ...fieldsOf(child, `${path}.${name}`),
    ])
    .concat(inner)
}

/** The schema without unknown fields. */
const closed = (schema: TSchema): TSchema =>
  mapObjects(schema, (object) => ({ ...object, additionalProperties: false }))

/** The schema of an answer on a plan without premium fields. */
const withoutPremium = (schema: TObject): TSchema =>
  mapObjects(schema, (object) => {
    const properties = Object.entries(object.properties).filter(([, child]) => !isPremium(child))
    const names = properties.map(([name]) => name)
    return {
      ...object,
      properties: Object.fromEntries(properties),
      required: (object.required ?? []).filter((name) => names.includes(name)),
      additionalProperties: false,
    } as TObject
  })

function mapObjects(schema: TSchema, change: (object: TObject) => TObject): TSchema {
  if (schema.type === "array") return { ...schema, items: mapObjects(schema.items, change) }
  if (schema.type !== "object") return schema
  const changed = change(schema as TObject)
  const properties = Object.entries(changed.properties).map(([name, one]) => [name, mapObjects(one, change)])
  return { ...changed, properties: Object.fromEntries(properties) }
}

/** Names of premium fields that no other field of the schema shares. */
function premiumNames(output: TObject): string[] {
  const fields = fieldsOf(output, "")
  const last = (path: string) => path.slice(path.lastIndexOf(".") + 1)
  const open = fields
    .filter(([path, schema]) => !isPremium(schema) && !underPremium(path, fields))
    .map(([path]) => last(path))
  return fields
    .filter(([, schema]) => isPremium(schema))
    .map(([path]) => last(path))
    .filter((name) => !open.includes(name))
}

const underPremium = (path: string, fields: [string, TSchema][]): boolean =>
  fields.some(([other, schema]) => isPremium(schema) && path.startsWith(other) && path !== other)

/** The entries that do not vary from run to run. */
function comparable(data: unknown, { varying = [] }: Example): unknown {
  const entries = Object.entries(data as object).filter(
    ([name]) => !varying.some((field) => name.split(/[.[]/)[0] === field),
  )
  return Object.fromEntries(entries)
}

function readXml(text: string): unknown {
  const parser = new XMLParser({
    ignoreAttributes: false,
    parseTagValue: false,
    trimValues: false,
    ignoreDeclaration: true,
    // For character references, such as that of a carriage return.
    htmlEntities: true,
  })
  return leaves(parser.parse(text).response.data)
}

function leaves(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(leaves)
  if (typeof value !== "object" || value === null) return value
  if ((value as Record<string, unknown>)["@_xsi:nil"] === "true") return null
  return Object.fromEntries(Object.entries(value).map(([name, child]) => [name, leaves(child)]))
}

function asXml(value: unknown): unknown {
  if (value === null) return null
  if (Array.isArray(value)) return value.length === 1 ? asXml(value[0]) : value.map(asXml)
  if (typeof value !== "object") return String(value)
  const entries = Object.entries(value).filter(([, child]) => !(Array.isArray(child) && child.length === 0))
  return entries.length === 0 ? "" : Object.fromEntries(entries.map(([name, child]) => [name, asXml(child)]))
}

function readCsv(text: string): unknown {
  expect(text.startsWith("key,value\r\n")).toBe(true)
  const rows = parseCsv(text, { columns: true }) as { key: string; value: string }[]
  return Object.fromEntries(rows.map(({ key, value }) => [key, value]))
}

function asCsv(value: unknown, path = ""): Record<string, string> {
  if (typeof value !== "object" || value === null) return { [path]: value === null ? "" : String(value) }
  const children = Object.entries(value).map(([name, child]) => {
    if (Array.isArray(value)) return asCsv(child, `${path}[${name}]`)
    return asCsv(child, path === "" ? name : `${path}.${name}`)
  })
  return Object.assign({}, ...children)
}
