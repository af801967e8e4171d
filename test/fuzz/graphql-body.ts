import fc from "fast-check"
import type { ApiDefinition } from "../../src/apis/contract.ts"
import { toQuery } from "../support/graphql.ts"
import type { Schema } from "./operations.ts"
import { anyValue, objectOf } from "./values.ts"

/** Bodies of GraphQL requests: one API with variables, several APIs in one query, introspection, documents of random pieces. */
export function graphqlBody(catalog: readonly ApiDefinition[]): fc.Arbitrary<string> {
  const inVariables = fc.oneof(...catalog.map((api) => inputOf(api).map((input) => toQuery(api, input))))
  const inDocument = fc
    .array(fc.oneof(...catalog.map((api) => fieldOf(api))), { minLength: 1, maxLength: 3 })
    .map((fields) => ({ query: `{ ${fields.map((field, index) => `a${index}: ${field}`).join(" ")} }` }))
  const others = fc.constantFrom(...questions).map((query) => ({ query }))
  const pieced = fc
    .array(fc.constantFrom(...pieces), { maxLength: 14 })
    .map((all) => ({ query: all.join(" ") }))
  const request = fc.oneof(
    { weight: 6, arbitrary: inVariables },
    { weight: 6, arbitrary: inDocument },
    { weight: 2, arbitrary: others },
    { weight: 2, arbitrary: pieced },
  )
  const more = fc.oneof(
    { weight: 12, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: anyValue.map((variables) => ({ variables })) },
    { weight: 1, arbitrary: anyValue.map((operationName) => ({ operationName })) },
    { weight: 1, arbitrary: anyValue.map((query) => ({ query })) },
    { weight: 1, arbitrary: anyValue.map((input) => ({ variables: { input } })) },
  )
  return fc.tuple(request, more).map(([base, rest]) => JSON.stringify({ ...base, ...rest }))
}

const inputOf = ({ input, examples }: ApiDefinition): fc.Arbitrary<Record<string, unknown>> =>
  objectOf(
    input as Schema,
    examples.map((example) => example.input),
  )

function fieldOf(api: ApiDefinition): fc.Arbitrary<string> {
  const { query } = toQuery(api, {})
  const selection = query.slice(query.indexOf("(input: $input)"), -1)
  return inputOf(api).map((input) => `${api.id}${selection.replace("$input", () => toLiteral(input))}`)
}

/** A JSON value as a GraphQL literal, whose member names have no quotes. */
function toLiteral(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toLiteral).join(", ")}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(
    ([name, part]) => `${name.replace(/\W/g, "_") || "_"}: ${toLiteral(part)}`,
  )
  return `{${members.join(", ")}}`
}

const questions = [
  "{ __typename }",
  "{ __schema { types { name fields { name type { name ofType { name } } } } } }",
  '{ __type(name: "HmacInput") { inputFields { name type { kind } } } }',
  "mutation { __typename }",
  "subscription { __typename }",
  "{ ...A } fragment A on Query { ...A }",
  "query A { __typename } query B { __typename }",
  'query ($a: Boolean = true) { bluetoothlookup(input: {companyid: "76"}) @skip(if: $a) { company } }',
  "query ($a: String) { bluetoothlookup(input: {companyid: $a}) { company } }",
  'query ($a: String = "76") { bluetoothlookup(input: {companyid: $a}) { company } }',
  "query ($a: [String] = [null]) { linesorter(input: {lines: $a}) { sorted } }",
  "{ bluetoothlookup(input: null) { company } }",
  "{ bluetoothlookup { company } }",
  '{ a: bluetoothlookup(input: {companyid: "1"}) { company } a: bluetoothlookup(input: {companyid: "2"}) { company } }',
]

const pieces = [
  ..."{ } ( ) [ ] : ... $a ! = | query mutation ...A hmac 1e999 - 99999999999999999999 __typename # on null".split(
    " ",
  ),
  ...[
    "@skip(if: true)",
    "fragment A on Query",
    'input: {message: "m", secret: "s"}',
    '"""x"""',
    '"\\u{110000}"',
  ],
  ..."\u0000\ufeff",
]
