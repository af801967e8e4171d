/** The same generated input has the same data, the same error and the same price on every surface. */
import { afterAll, expect, test } from "bun:test"
import { isDeepStrictEqual } from "node:util"
import fc from "fast-check"
import { type ApiDefinition, choicesOf } from "../src/apis/contract.ts"
import { catalog } from "../src/app/prepare.ts"
import { createZoneDns } from "../src/ports/dns/zone.ts"
import { toFlagTexts } from "../src/surfaces/cli/call.ts"
import { toRootField } from "../src/surfaces/graphql/names.ts"
import { httpLimits } from "../src/surfaces/http/read/limits.ts"
import { isJsonValue } from "../src/values/json-value.ts"
import { type CatalogDocument, toOfferedApis } from "../src/web/playground/offered-api.ts"
import { readParameters } from "../src/web/playground/read-parameters.ts"
import type { Schema } from "./fuzz/operations.ts"
import { valueFor } from "./fuzz/values.ts"
import { readAnswer } from "./support/answer.ts"
import { runCliForTest } from "./support/cli.ts"
import { readGraphql, toQuery, withNulls } from "./support/graphql.ts"
import { connectMcp } from "./support/mcp.ts"
import { startTestService } from "./support/service.ts"
import { inTurn } from "./support/turns.ts"
import { portsFor } from "./support/zone-ports.ts"

type Input = Readonly<Record<string, unknown>>
/** The outcome of a call. The error is left out for a surface that words it differently. */
type Outcome = { readonly data: unknown } | { readonly error: string | null }

interface BatchResult {
  readonly data: unknown
  readonly error: string | null
}

/** How many inputs each API gets. `docs/fuzzing.md` shows how to try more. */
const inputsOfEach = Number(process.env.INPUTS_OF_EACH ?? 2)
const seed = Number(process.env.SEED ?? 26)

const zone = Object.assign({}, ...catalog.flatMap(({ examples }) => examples.map(({ given }) => given?.dns)))
const now = "2025-06-21T10:00:00Z"
const ports = { ...portsFor({ given: { now } }), dns: createZoneDns(zone) }
const service = await startTestService({ ports })
const offered = toOfferedApis((await (await fetch(`${service.url}/openapi.json`)).json()) as CatalogDocument)
/** Shared, since each client compiles the schemas of all tools. */
const tools = await connectMcp(service.url, (await service.createKey("pro")).key)
await tools.client.listTools()
afterAll(() => tools[Symbol.asyncDispose]())

test.each(inTurn(catalog, 8).map((api) => [api.id, api] as const))("%s", async (id, api) => {
  const { surfaces, creditsUsed } = surfacesFor(api)
  const answered = new Map<string, number>()
  const inputs = [api.examples[0]?.input ?? {}, ...fc.sample(inputFor(api), { seed, numRuns: inputsOfEach })]
  for (const input of inputs.filter((one) => fitsAddress(one, api))) {
    const expected = await surfaces.rest(input)
    for (const [name, call] of Object.entries(surfaces)) {
      const outcome = name === "rest" ? expected : await call(input)
      if (outcome === null) continue
      if ("data" in outcome) answered.set(name, (answered.get(name) ?? 0) + 1)
      const wanted = expectedOn(name, outcome, expected, api)
      expect({ id, name, input, outcome }).toEqual({ id, name, input, outcome: wanted })
    }
  }
  // Each has an example among its inputs.
  for (const name of Object.keys(surfaces)) expect([name, answered.get(name) ?? 0]).not.toEqual([name, 0])
  for (const [name, used] of Object.entries(await creditsUsed()))
    expect([name, used]).toEqual([name, (answered.get(name) ?? 0) * api.credits])
})

/** A call by GET whose address is longer than all headers may be gets no answer over REST. */
const fitsAddress = (input: Input, { method }: ApiDefinition): boolean =>
  method !== "GET" || encodeURIComponent(JSON.stringify(input)).length < httpLimits.headerBytes / 2

/**
 * The outcome that a surface must have where REST has `expected`. GraphQL has null for an absent field and its own message for a
 * wrong type. A terminal gets control characters escaped as in JSON.
 */
function expectedOn(name: string, outcome: Outcome, expected: Outcome, api: ApiDefinition): Outcome {
  if (name === "cli" && "error" in expected)
    return { error: expected.error?.replace(/\p{Cc}/gu, (one) => JSON.stringify(one).slice(1, -1)) ?? null }
  if (name !== "graphql") return expected
  if ("data" in expected) return { data: withoutVarying(withNulls(api.output, expected.data), api) }
  return "error" in outcome && outcome.error === null ? outcome : expected
}

/** Input that text can express too: each value has the type of its parameter, but may be too long, too large or nonsense. */
function inputFor({ input, examples, method }: ApiDefinition): fc.Arbitrary<Input> {
  const names = Object.keys(input.properties)
  const values = Object.entries(input.properties).map(([name, schema]) => {
    const samples = examples.flatMap((example) => (name in example.input ? [example.input[name]] : []))
    const choices = choicesOf(schema)
    if (choices) return fc.constantFrom(...choices, "nonsense")
    if (isJsonValue(schema)) return valueFor(schema as Schema, samples)
    // For a parameter that may be text or a number, GraphQL accepts only text.
    const isText = schema.anyOf !== undefined
    return valueFor(schema as Schema, samples).filter((value) =>
      isText
        ? typeof value === "string" && isTypable(value, false)
        : isTypable(value, schema.type === "array"),
    )
  })
  // An address cannot express an empty list.
  const isCarried = (value: Input) =>
    method === "POST" || !Object.values(value).some((part) => Array.isArray(part) && part.length === 0)
  const made = fc
    .tuple(fc.tuple(...values), fc.array(fc.nat(9), { minLength: names.length, maxLength: names.length }))
    .map(([all, dice]) =>
      Object.fromEntries(
        names.flatMap((name, index) => {
          const isLeftOut = (dice[index] ?? 0) < (input.required?.includes(name) ? 1 : 5)
          return isLeftOut ? [] : [[name, all[index]]]
        }),
      ),
    )
  return made.filter(isCarried)
}

/** Whether an address can carry the input: it has no lone surrogates, and only lists have several values. */
function isTypable(value: unknown, isList: boolean): boolean {
  if (isList) return Array.isArray(value) && value.every((item) => isTypable(item, false))
  return typeof value === "string" ? value.isWellFormed() : typeof value !== "object"
}

/** Each surface as a function from input to outcome, with its own account; null if the surface cannot carry the input. */
function surfacesFor(api: ApiDefinition) {
  const accounts = new Map<string, { account: string; key: string }>()
  const keyOf = async (surface: string) => {
    const made = accounts.get(surface) ?? (await service.createKey("pro"))
    accounts.set(surface, made)
    return made.key
  }
  const toData = (data: unknown): Outcome => ({ data: withoutVarying(data, api) })
  const isTextual = api.method === "GET"
  const form = offered.find(({ id }) => id === api.id)
  if (!form) throw new Error(`${api.id} is missing in the playground`)

  const surfaces = {
    async rest(input: Input): Promise<Outcome> {
      const { data, error } = await readAnswer(service.call(api, input, { key: await keyOf("rest") }))
      return error === null ? toData(data) : { error }
    },
    async batch(input: Input): Promise<Outcome> {
      const sent = service.post(`/v1/${api.id}/batch`, { inputs: [input] }, { key: await keyOf("batch") })
      const { results = [] } = ((await readAnswer(sent)).data ?? {}) as { results?: BatchResult[] }
      return typeof results[0]?.error === "string" ? { error: results[0].error } : toData(results[0]?.data)
    },
    async graphql(input: Input): Promise<Outcome> {
      const sent = service.post("/v1/graphql", toQuery(api, input), { key: await keyOf("graphql") })
      const { data, errors } = (await readGraphql(sent)).body
      const field = data?.[toRootField(api.id)]
      if (field !== undefined && field !== null) return toData(field)
      // GraphQL checks the types of variables itself.
      return { error: errors?.[0]?.path ? (errors[0].message ?? null) : null }
    },
    async mcp(input: Input): Promise<Outcome> {
      tools.useKey(await keyOf("mcp"))
      const { isError, text, data } = await tools.call(api.id, input)
      return isError ? { error: text } : toData(data)
    },
    async cli(input: Input): Promise<Outcome | null> {
      const texts = Object.entries(input).map(([name, value]) =>
        toFlagTexts(api.input.properties[name], value),
      )
      // Without flags there is no list, not an empty one.
      if (texts.some((all) => all.length === 0)) return null
      const flags = Object.entries(input).flatMap(([name, value]) =>
        toFlagTexts(api.input.properties[name], value).map((text) => `--${name}=${text}`),
      )
      const { code, out, err } = await runCliForTest(["call", api.id, ...flags], { ports })
      return code === 0 ? toData(JSON.parse(out)) : { error: err.replace(/^penknife: |\n$/g, "") }
    },
    async playground(input: Input): Promise<Outcome | null> {
      const typed = readParameters(form, (name) => toTyped(api, name, input[name]))
      const wanted = isTextual ? textsOf(input) : input
      if (!isDeepStrictEqual(typed, wanted)) return null
      const { data, error } = await readAnswer(service.call(api, typed, { key: await keyOf("playground") }))
      return error === null ? toData(data) : { error }
    },
  }
  return {
    surfaces,
    async creditsUsed() {
      const used = [...accounts].map(
        async ([name, { account }]) => [name, (await service.accounts.show(account)).balance.used] as const,
      )
      return Object.fromEntries(await Promise.all(used))
    },
  }
}

/** The fields that are the same in each run. */
function withoutVarying(data: unknown, { examples }: ApiDefinition): object {
  const varying = new Set(examples.flatMap(({ varying = [] }) => varying))
  return Object.fromEntries(Object.entries(data ?? {}).filter(([name]) => !varying.has(name)))
}

/** The text to type into the field of a parameter. */
const toTyped = ({ input }: ApiDefinition, name: string, value: unknown): string =>
  value === undefined ? "" : toFlagTexts(input.properties[name], value).join("\n")

const textsOf = (input: Input): Input =>
  Object.fromEntries(
    Object.entries(input).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map(String) : String(value),
    ]),
  )
