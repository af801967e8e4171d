import fc from "fast-check"
import type { ApiDefinition } from "../../src/apis/contract.ts"
import { graphqlBody } from "./graphql-body.ts"
import { mutation } from "./mutations.ts"
import type { Operation, Parameter } from "./operations.ts"
import { anyValue, objectOf, valueFor } from "./values.ts"
import type { WireRequest } from "./wire.ts"

/** A request and the operation that it was made from. */
export interface FuzzRequest extends WireRequest {
  readonly operation: Operation
  /** The name of its key; null when a mutation has changed the key. */
  readonly key: string | null
}

export interface FuzzKeys {
  /** Keys by name. A key with twice the weight is used twice as often. */
  readonly [name: string]: { readonly key: string; readonly weight: number }
}

/** Requests that are made from one valid or almost valid request, since making one takes longer than mutating it. */
export const variants = 5

/**
 * Lists of requests from the operations of a document. Each list has one request several times, three in four with up to
 * three mutations.
 */
export function requestsOf(
  operations: readonly Operation[],
  catalog: readonly ApiDefinition[],
  keys: FuzzKeys,
  host: string,
): fc.Arbitrary<FuzzRequest[]> {
  const bases = operations.map((operation) => ({
    weight: weightOf(operation),
    arbitrary: baseOf(operation, catalog, keys, host),
  }))
  const changes = fc.array(mutation, { maxLength: 3 })
  return fc
    .tuple(fc.oneof(...bases), fc.array(changes, { minLength: variants, maxLength: variants }))
    .map(([base, lists]) =>
      lists
        .map((mutations) => mutations.reduce((request, mutate) => changed(request, mutate(request)), base))
        .map((request) => ({ ...request, key: keyNameOf(request, keys) })),
    )
}

/** How often an operation is used: rarely where an answer takes long (metrics) or does little (paths without a key). */
function weightOf({ id, path }: Operation): number {
  if (id === "graphql") return 30
  if (!path.startsWith("/v1/")) return 1
  return 20
}

const changed = (request: Base, change: Partial<WireRequest>): Base => ({ ...request, ...change })

type Base = Omit<FuzzRequest, "key">

function baseOf(operation: Operation, catalog: readonly ApiDefinition[], keys: FuzzKeys, host: string) {
  const key = fc.oneof(
    ...Object.values(keys).map(({ weight, key }) => ({ weight, arbitrary: fc.constant(key) })),
  )
  return fc
    .record({
      key,
      query: orShown(queryOf(operation.parameters), [shownQuery(operation.parameters)]),
      body: orShown(bodyOf(operation, catalog), (operation.body?.samples ?? []).map(toJson)),
      chunked: fc.nat(9),
    })
    .map(({ chunked, ...parts }) => toBase(operation, host, { ...parts, chunked: chunked === 0 }))
}

interface BaseParts {
  readonly key: string
  readonly query: string
  readonly body: string | null
  readonly chunked: boolean
}

const toBase = (operation: Operation, host: string, { key, query, body, chunked }: BaseParts): Base => ({
  operation,
  method: operation.method,
  target: `${operation.path}${query && `?${query}`}`,
  headers: [
    ["host", host],
    ["x-api-key", key],
    ...(body === null ? [] : [["content-type", "application/json"] as const]),
  ],
  body: body === null ? null : Buffer.from(body),
  chunked: chunked && body !== null,
})

/**
 * The request of each operation that the document shows, with the first of the keys; and the same without a key, with another
 * method and with another path, so that each refusal that does not hang on the input comes from each operation.
 */
export function shownRequests(operations: readonly Operation[], keys: FuzzKeys, host: string) {
  const [[name, { key }] = ["", { key: "" }]] = Object.entries(keys)
  return operations.flatMap((operation) => {
    const sample = operation.body?.samples[0]
    const body = sample === undefined ? null : toJson(sample)
    const query = shownQuery(operation.parameters)
    const shown = { ...toBase(operation, host, { key, query, body, chunked: false }), key: name }
    const headers = shown.headers.filter(([header]) => header !== "x-api-key")
    return [
      shown,
      { ...shown, headers, key: null },
      { ...shown, method: "DELETE" },
      { ...shown, target: shown.target.replace(operation.path, `${operation.path}/x`) },
    ]
  })
}

/** One in five as the document shows it, so that few requests are enough for an answer with success from each operation. */
function orShown<T>(generated: fc.Arbitrary<T>, shown: readonly T[]): fc.Arbitrary<T> {
  if (shown.length === 0) return generated
  return fc.oneof({ weight: 4, arbitrary: generated }, { weight: 1, arbitrary: fc.constantFrom(...shown) })
}

/** The first example of each required parameter: they fit together. */
function shownQuery(parameters: readonly Parameter[]): string {
  const required = parameters.filter((one) => one.in === "query" && one.required)
  return required
    .flatMap(({ name, samples: [sample] }) =>
      [sample].flat().map((value) => `${name}=${encode(typeof value === "string" ? value : toJson(value))}`),
    )
    .join("&")
}

export function queryOf(parameters: readonly Parameter[]): fc.Arbitrary<string> {
  const pairs = parameters
    .filter((one) => one.in === "query")
    .map(({ name, schema, required, samples }) => {
      const value = fc.oneof(
        { weight: 8, arbitrary: valueFor(schema, samples) },
        { weight: 1, arbitrary: anyValue },
      )
      const pairOf = (v: unknown) => `${name}=${encode(typeof v === "string" ? v : JSON.stringify(v))}`
      // Each item of a list has the list's name.
      const present = value.map((v) => [v].flat().map(pairOf).join("&"))
      // Parameters may exclude one another. Every format, but mostly no format at all.
      const weight = name === "format" ? 2 : required ? 12 : 1
      return fc.oneof({ weight, arbitrary: present }, { weight: 1, arbitrary: fc.constant("") })
    })
  return fc.tuple(...pairs).map((list) => list.filter((pair) => pair !== "").join("&"))
}

export const encode = (text: string | undefined): string => encodeURIComponent((text ?? "").toWellFormed())

function bodyOf({ id, body }: Operation, catalog: readonly ApiDefinition[]): fc.Arbitrary<string | null> {
  if (body === null) return fc.constant(null)
  if (id === "graphql") return graphqlBody(catalog)
  const { inputs } = body.schema.properties ?? {}
  if (!inputs?.items) return objectOf(body.schema, body.samples).map(toJson)
  const input = objectOf(
    inputs.items,
    (body.samples as { inputs: unknown[] }[]).flatMap((one) => one.inputs),
  )
  const list = fc.oneof(
    {
      weight: 12,
      arbitrary: fc.array(fc.oneof({ weight: 9, arbitrary: input }, { weight: 1, arbitrary: anyValue }), {
        maxLength: 4,
      }),
    },
    // More inputs than a batch may have.
    { weight: 1, arbitrary: fc.constant(Array.from({ length: 201 }, () => ({}))) },
    { weight: 1, arbitrary: anyValue },
  )
  return list.map((all) => toJson({ inputs: all }))
}

/** JSON that keeps -0, which JSON.stringify writes as 0. */
export const toJson = (value: unknown): string =>
  JSON.stringify(value, (_, part) => (Object.is(part, -0) ? "-0" : part)).replaceAll('"-0"', "-0")

function keyNameOf({ headers }: WireRequest, keys: FuzzKeys): string | null {
  const sent = headers.filter(([name]) => name.toLowerCase() === "x-api-key").map(([, value]) => value)
  const [only] = sent
  return Object.keys(keys).find((name) => sent.length === 1 && keys[name]?.key === only) ?? null
}
