/** Blanks around single values are stripped by every API on every surface; texts of a POST keep theirs. */
import { afterAll, expect, test } from "bun:test"
import type { TSchema } from "@sinclair/typebox"
import fc from "fast-check"
import type { ApiDefinition, Example } from "../src/apis/contract.ts"
import { catalog } from "../src/app/prepare.ts"
import { prepareApi } from "../src/call/prepared-api.ts"
import { toFlagTexts } from "../src/surfaces/cli/call.ts"
import { toRootField } from "../src/surfaces/graphql/names.ts"
import { isJsonValue } from "../src/values/json-value.ts"
import { readAnswer } from "./support/answer.ts"
import { runCliForTest } from "./support/cli.ts"
import { startExampleService } from "./support/example-service.ts"
import { readGraphql, toQuery, withNulls } from "./support/graphql.ts"
import { connectMcp } from "./support/mcp.ts"
import { portsFor } from "./support/zone-ports.ts"

/** The texts of a POST in which blanks count: all that its definition does not call single values. */
const textsOf = ({ method, input, singleValues = [] }: ApiDefinition): readonly string[] =>
  Object.entries(input.properties)
    .filter(([name, { type, items }]) => {
      const isText = type === "string" || (type === "array" && items?.type === "string")
      return method === "POST" && isText && !singleValues.includes(name)
    })
    .map(([name]) => name)

const { service, prepareFor } = await startExampleService()
const { key } = await service.createKey("pro")
const tools = await connectMcp(service.url, key)
await tools.client.listTools()
afterAll(() => tools[Symbol.asyncDispose]())

const withExamples = catalog.flatMap((api) => {
  const example = api.examples.find(({ input }) => Object.keys(padded(api, input)).length > 0)
  return example ? [[api.id, api, example] as const] : []
})

test.each(withExamples)("%s strips them on every surface", async (_id, api, example) => {
  prepareFor(example)
  const input = { ...example.input, ...padded(api, example.input) }
  const wanted = asFixed((await readAnswer(service.call(api, example.input, { key }))).data, example)
  expect(wanted).not.toEqual({})
  const { data } = await readAnswer(service.call(api, input, { key }))
  expect(asFixed(data, example)).toEqual(wanted)
  const batch = await readAnswer(service.post(`/v1/${api.id}/batch`, { inputs: [input] }, { key }))
  expect(asFixed((batch.data?.results as { data: object }[] | undefined)?.[0]?.data, example)).toEqual(wanted)
  const { body } = await readGraphql(service.post("/v1/graphql", toQuery(api, input), { key }))
  const field = asFixed(body.data?.[toRootField(api.id)] as object, example)
  expect<unknown>(field).toEqual(asFixed(withNulls(api.output, wanted) as object, example))
  expect(asFixed((await tools.call(api.id, input)).data, example)).toEqual(wanted)
  const flags = Object.entries(input).flatMap(([name, value]) =>
    toFlagTexts(api.input.properties[name], value).map((text) => `--${name}=${text}`),
  )
  const { out, err } = await runCliForTest(["call", api.id, ...flags], { ports: portsFor(example) })
  expect(err).toBe("")
  expect(asFixed(JSON.parse(out), example)).toEqual(wanted)
})

test("any blanks are stripped from single values, and none from texts", () => {
  const blanks = fc.stringMatching(/^[ \t\n\r\u00a0\u2003\ufeff]{0,5}$/)
  fc.assert(
    fc.property(fc.nat(catalog.length - 1), blanks, blanks, (index, before, after) => {
      const api = catalog[index] as ApiDefinition
      const { readInput } = prepareApi(api)
      const kept = textsOf(api)
      for (const { input } of api.examples) {
        const pad = (value: unknown) => (typeof value === "string" ? before + value + after : value)
        const all = Object.fromEntries(
          Object.entries(input).map(([name, value]) => [
            name,
            Array.isArray(value) ? value.map(pad) : pad(value),
          ]),
        )
        const limits = Object.values(api.input.properties).map(({ maxLength = 1e9 }) => maxLength)
        if (JSON.stringify(all).length > Math.min(...limits)) continue
        const [read, plain] = [all, input].map((values) => readInput({ kind: "typed", values }))
        for (const name of Object.keys(input)) {
          const isKept = kept.includes(name) || isJsonValue(api.input.properties[name] as TSchema)
          const wanted = isKept ? all[name] : plain?.[name]
          expect([api.id, name, read?.[name]]).toEqual([api.id, name, wanted])
        }
      }
    }),
  )
})

test.each(catalog)("a short text of $id is a single value: blanks do not count in it", (api) => {
  const lengths = textsOf(api).map((name) => [name, api.input.properties[name]?.maxLength ?? 1e9])
  expect(lengths.filter(([, length]) => Number(length) <= 1_000)).toEqual([])
})

test("a number in a query may have blanks around it, and blanks alone are no value", async () => {
  const address = "/v1/geodistance?points=1,2&points=%203,4%20"
  expect((await service.fetch(address, { key })).status).toBe(200)
  expect((await service.fetch("/v1/ipcalculator?address=10.0.0.0&prefix=%208", { key })).status).toBe(200)
  for (const address of ["ipcalculator?address=%20", "ipcalculator?address=10.0.0.0&prefix=%20"])
    expect((await service.fetch(`/v1/${address}`, { key })).status).toBe(400)
})

/** The texts of an input that are single values, with blanks around them. */
function padded(api: ApiDefinition, input: Example["input"]) {
  const texts = textsOf(api)
  const pad = (value: unknown) => `\u00a0\t${value} \n`
  return Object.fromEntries(
    Object.entries(input).flatMap(([name, value]): [string, unknown][] => {
      const type = api.input.properties[name]?.type
      if (texts.includes(name)) return []
      if (type === "string") return [[name, pad(value)]]
      return type === "array" && Array.isArray(value) ? [[name, value.map(pad)]] : []
    }),
  )
}

const asFixed = (data: object | null | undefined, { varying = [] }: Example): Record<string, unknown> =>
  Object.fromEntries(Object.entries(data ?? {}).filter(([name]) => !varying.includes(name)))
