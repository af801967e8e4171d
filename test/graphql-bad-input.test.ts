/** GraphQL requests that must be refused: each with its code, for nothing, in little time. */
import { expect, test } from "bun:test"
import { Type } from "@sinclair/typebox"
import { type ApiDefinition, defineApi } from "../src/apis/contract.ts"
import { catalog } from "../src/app/prepare.ts"
import { startCatalogService, testApi } from "./support/catalog-service.ts"
import { readGraphql } from "./support/graphql.ts"
import { startTestService } from "./support/service.ts"

const service = await startTestService()
const { account, key } = await service.createKey("pro")

const send = (body: unknown, headers?: Record<string, string>) =>
  readGraphql(service.post("/v1/graphql", body, { key, ...(headers && { headers }) }))
const ask = (query: unknown, more: object = {}) => send({ query, ...more })

/** A refusal is an error with a code and no data, and quotes no more than a little of what was sent. */
function expectRefusal({ status, body, codes }: Awaited<ReturnType<typeof send>>, code: string, words = "") {
  expect({ status, codes: [...new Set(codes)], keys: Object.keys(body) }).toEqual({
    status: 400,
    codes: [code],
    keys: ["errors"],
  })
  expect(body.errors?.[0]?.message).toContain(words)
  expect(JSON.stringify(body).length).toBeLessThan(20_000)
}

const lookUp = (rest = `(input: {companyid: "1"}) { company }`) => `{ bluetoothlookup${rest} }`
const repeat = (count: number, part: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => part(i)).join(" ")

const aliases = (count: number) => repeat(count, (i) => `a${i}:__typename`)
const doubling = (i: number) => `fragment F${i} on Query { a { ...F${i + 1} } b { ...F${i + 1} } }`

test.each([
  ["none", null, "body"],
  ["empty", "", "body"],
  ["an array", "[]", "body"],
  ["a string", '"{ __typename }"', "body"],
  ["no JSON", "{query: 1}", "body"],
  ["a query as it is", "{ __typename }", "body"],
  ["invalid UTF-8", new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), "body"],
  ["a hundred thousand brackets", "[".repeat(100_000), "body"],
  ["over the limit", { query: "{ __typename }", variables: { x: "x".repeat(3_000_000) } }, "body"],
  ["no query", {}, "query"],
  ["null", { query: null }, "query"],
  ["an empty query", { query: "" }, "query"],
  ["a query that is no string", { query: { a: 1 } }, "query"],
  ["an operationName that is no string", { query: "{ a }", operationName: 1 }, "operationName"],
  ["variables that are no object", { query: "{ a }", variables: [1] }, "variables"],
  ["variables as text", { query: "{ a }", variables: "{}" }, "variables"],
  ["extensions that are no object", { query: "{ a }", extensions: 1 }, "extensions"],
])("bodies: %s", async (_name, body, parameter) => {
  expectRefusal(await send(body), "BAD_REQUEST", `'${parameter}'`)
})

test.each(["text/plain", "application/graphql", "application/x-www-form-urlencoded"])(
  "bodies: %s",
  async (t) => {
    const body = new TextEncoder().encode('{"query": "{ __typename }"}')
    const answer = await send(body, { "content-type": t })
    expectRefusal(answer, "BAD_REQUEST", "Content-Type: application/json")
  },
)

test("bodies: multipart is an upload", async () => {
  const form = new FormData()
  form.set("operations", '{"query": "{ __typename }"}')
  form.set("0", new Blob(["x"]), "x.txt")
  expectRefusal(await send(form, {}), "FILE_UPLOAD_NOT_SUPPORTED")
})

test("bodies: a BOM before the body or the query is allowed", async () => {
  for (const body of ['\ufeff{"query": "{ __typename }"}', '{"query": "\ufeff{ __typename }"}']) {
    expect((await send(body)).body).toEqual({ data: { __typename: "Query" } })
  }
})

test.each([
  ["blank", " \n"],
  ["cut short", "{ bluetoothlookup(input: {companyid: "],
  ["no GraphQL", "SELECT * FROM companies"],
  ["a lone surrogate", '{ bluetoothlookup(input: {companyid: "\ud800"}) { company } }'],
  ["a null character", "{ \0 }"],
])("queries that cannot be parsed: %s", async (_name, query) => {
  expectRefusal(await ask(query), "GRAPHQL_PARSE_FAILED", "Syntax Error")
})

test.each([
  ["an unknown field", "{ nothing }", "nothing"],
  ["an unknown result field", lookUp(`(input: {companyid: "1"}) { name }`), "name"],
  ["a missing input", lookUp(" { company }"), "input"],
  ["a missing input field", lookUp("(input: {}) { company }"), "companyid"],
  ["an unknown input field", lookUp(`(input: {companyid: "1", x: 1}) { company }`), '"x"'],
  ["a wrong type", lookUp("(input: {companyid: 1}) { company }"), "String"],
  ["null for what is required", lookUp("(input: {companyid: null}) { company }"), "String!"],
  ["no choice of fields", lookUp(`(input: {companyid: "1"})`), "selection of subfields"],
  ["a circle", "{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }", "within itself"],
  ["an unknown fragment", "{ ...Nothing }", "Nothing"],
  ["an unknown directive", "{ __typename @nothing }", "@nothing"],
  ["an unknown variable", lookUp("(input: {companyid: $id}) { company }"), "$id"],
  ["fields that contradict", "{ __schema { a: types { name } a: queryType { name } } }", "conflict"],
  ["2,500 mistakes", `query(${"$a:Int,".repeat(2_500)}) { __typename }`, "only one variable"],
  [
    "an introspection without end",
    `{ __schema { types { fields { type { fields { type { fields { type { fields { name } } } } } } } } } }`,
    "introspection depth",
  ],
])("queries that do not fit the schema: %s", async (_name, query, words) => {
  expectRefusal(await ask(query), "GRAPHQL_VALIDATION_FAILED", words)
})

test.each([
  ["1 MB", `{ ${" ".repeat(1_000_000)} __typename }`],
  ["20 kB in UTF-8 only", `{ a: hmac(input: {message: "${"é".repeat(10_000)}", secret: "s"}) { hmac } }`],
  ["10,000 aliases", `{ ${aliases(10_000)} }`],
  ["51 aliases", `{ ${aliases(51)} }`],
  ["51 aliases in a fragment", `{ ...A } fragment A on Query { ${aliases(51)} }`],
  ["500 levels", "{ a ".repeat(500) + "}".repeat(500)],
  ["9,000 levels", "{a".repeat(9_000)],
  ["11 levels", "{ a ".repeat(11) + "}".repeat(11)],
  ["11 levels through fragments", `{ a { ...A } } fragment A on X ${"{ a ".repeat(10)}${"}".repeat(10)}`],
  ["a list of 9,000 levels", `{ a(x: ${"[".repeat(9_000)}) }`],
  ["501 fields", `{ ${"__typename ".repeat(501)} }`],
  [
    "510 fields in a fragment",
    `{ ${"...A ".repeat(51)} } fragment A on Query { ${"__typename ".repeat(10)} }`,
  ],
  [
    "51 fields with parameters under one name",
    `{ ${'hmac(input: {message: "a", secret: "s"}) { hmac } '.repeat(51)} }`,
  ],
  [
    "51 fields with parameters under one name in fragments",
    `{ ...F0 } ${repeat(51, (i) => `fragment F${i} on Query { ${i < 50 ? `...F${i + 1}` : ""} __type(name: "Query") { name } }`)}`,
  ],
  ["51 directives", `{ __typename ${"@skip(if: false) ".repeat(51)} }`],
  ["100 fragments, each with the next one twice", `{ ...F0 } ${repeat(100, doubling)}`],
])("queries that are too much: %s", async (_name, query) => {
  expectRefusal(await ask(query), "QUERY_TOO_COMPLEX", "The query ")
})

test("queries: a query at the limits is answered", async () => {
  const nested = repeat(50, (i) => `a${i}: bluetoothlookup(input: {companyid: "x"}) { a: found b: found }`)
  expectRefusal(await ask(`{ ${nested} }`), "QUERY_TOO_COMPLEX", "50 aliases")
  expect((await ask(`{ ${aliases(50)} ${"__typename ".repeat(450)} }`)).status).toBe(200)
  const deep =
    '{ __type(name: "Query") { fields { type { ofType { ofType { ofType { ofType { ofType { name } } } } } } } } }'
  expect((await ask(deep)).status).toBe(200)
})

test.each(["mutation", "subscription"])("queries: a %s is not supported, with any content", async (kind) => {
  for (const query of [`${kind} { __typename }`, `${kind} X { anything(at: "all") }`]) {
    expectRefusal(await ask(query), "OPERATION_NOT_SUPPORTED", kind)
  }
})

test.each([
  ["two operations without a name", "query A { __typename } query B { __typename }", {}],
  ["a name that no operation has", "query A { __typename }", { operationName: "B" }],
  ["no operation", "fragment A on Query { __typename }", {}],
  ["a type definition", "type A { a: Int }", {}],
])("queries: %s", async (_name, query, more) => {
  expectRefusal(await ask(query, more), "BAD_REQUEST", "operation")
})

const query = `query($id: String!) ${lookUp("(input: {companyid: $id}) { company }")}`
const whole = "query($input: BluetoothlookupInput!) { bluetoothlookup(input: $input) { company } }"
const sorting = "query($input: LinesorterInput!) { linesorter(input: $input) { sorted } }"
test.each([
  ["missing", query, {}, "$id"],
  ["null", query, { id: null }, "$id"],
  ["a number for a string", query, { id: 76 }, "String"],
  ["an input without its field", whole, { input: {} }, "companyid"],
  ["an input with an unknown field", whole, { input: { companyid: "1", x: 1 } }, '"x"'],
  ["a long value", whole, { input: "x".repeat(100_000) }, "$input"],
  ["one wrong", whole, { input: { companyid: "x".repeat(100_000), id: 1 } }, 'Field "id" is not'],
  ["many mistakes", sorting, { input: { lines: Array(5_000).fill(1) } }, "'$input.lines[0]'"],
  [
    "a hundred thousand lines and one",
    sorting,
    { input: { lines: Array(100_001).fill("a") } },
    "'$input' must have at most 100,000 items in its lists",
  ],
])("variables that do not fit: %s", async (_name, text, variables, words) => {
  expectRefusal(await ask(text, { variables }), "BAD_REQUEST", words)
})

test("null in a variable with a default, where null does not fit, is the field's own error", async () => {
  const inner = `query($id: String = "76") { bluetoothlookup(input: {companyid: $id}) { company } }`
  const whole = `query($in: BluetoothlookupInput = {companyid: "76"}) { bluetoothlookup(input: $in) { company } }`
  for (const [query, variables] of [
    [inner, { id: null }],
    [whole, { in: null }],
  ] as const) {
    const { status, codes, body } = await ask(query, { variables })
    expect([status, codes, body.data]).toEqual([200, ["BAD_USER_INPUT"], { bluetoothlookup: null }])
    expect(body.errors?.[0]?.message).toStartWith("The 'input' parameter must not be null")
  }
})

test("input that only the API can judge is the field's own error in a 200", async () => {
  const answer = await ask(lookUp(`(input: {companyid: "65536"}) { company }`))
  expect([answer.status, answer.codes]).toEqual([200, ["BAD_USER_INPUT"]])
  const term = await ask(
    "{ loanpaymentcalculator(input: {loanAmount: 1, interestRate: 1, loanTerm: 51}) { loanTerm } }",
  )
  expect(term.body.errors?.[0]?.message).toStartWith("The 'loanTerm' parameter must be ")
  expect(term.body.data).toEqual({ loanpaymentcalculator: null })
})

const described = { description: "A value." }
const path = "a+b:c.d/e\\f"
const list = Type.Array(Type.Object({ "g/h": Type.Number(described) }), described)
/** An API whose names GraphQL cannot spell. */
const odd: ApiDefinition = defineApi({
  ...testApi("odd-names"),
  input: Type.Object({
    "max-age": Type.Integer(described),
    "2fa": Type.Optional(Type.Object({ "x.y": Type.String(described) }, described)),
  }),
  output: Type.Object({
    "max-age": Type.Integer(described),
    "2fa": Type.String(described),
    [path]: Type.Object({ "na me!": list }, described),
  }),
  run: ({ "max-age": age, "2fa": inner }) => {
    return { "max-age": age, "2fa": inner?.["x.y"] ?? "none", [path]: { "na me!": [{ "g/h": 1.5 }] } }
  },
})
const input = Type.Object({ file: Type.Uint8Array(described) })
const upload: ApiDefinition = { ...odd, id: "upload", title: "Upload", takesFile: true, input }
const untrue: ApiDefinition = { ...odd, id: "untrue", run: () => ({ "max-age": 1, "2fa": {} }) }
const broken: ApiDefinition = {
  ...odd,
  id: "broken",
  run() {
    throw new Error("secret detail")
  },
}
const [hmac] = catalog
if (!hmac) throw new Error("the catalog is empty")
const own = startCatalogService([odd, upload, broken, untrue, hmac])
const askOwn = (text: string, key: string) => readGraphql(own.post("/v1/graphql", { query: text }, key))

test("names of definitions that GraphQL cannot use are changed in the schema and mapped back for the API", async () => {
  const { key } = await own.createKey("pro")
  const { body } = await askOwn(
    `{ oddnames(input: {max_age: 5, _2fa: {x_y: "in"}}) { max_age _2fa a_b_c_d_e_f { name { g_h } } } }`,
    key,
  )
  const oddnames = { max_age: 5, _2fa: "in", a_b_c_d_e_f: { name: [{ g_h: 1.5 }] } }
  expect(body).toEqual({ data: { oddnames } })
})

test("a query naming an API that takes a file is refused, also when it names others", async () => {
  const { account, key } = await own.createKey("pro")
  for (const text of [
    `{ upload(input: {file: "x"}) { max_age } hmac(input: {message: "m", secret: "s"}) { hmac } }`,
    "{ ...A } fragment A on Query { again: upload }",
  ]) {
    const answer = await askOwn(text, key)
    expectRefusal(answer, "FILE_UPLOAD_NOT_SUPPORTED", "upload")
  }
  expect((await own.accounts.show(account)).balance.used).toBe(0)
  expect((await askOwn(`{ __type(name: "Query") { fields { name } } }`, key)).body.data).toEqual({
    __type: { fields: ["oddnames", "broken", "untrue", "hmac"].map((name) => ({ name })) },
  })
})

test("an error of an API hides its cause, costs nothing and does not change the other fields", async () => {
  const { account, key } = await own.createKey("pro")
  const { status, body, codes } = await askOwn(
    `{ broken(input: {max_age: 1}) { max_age } hmac(input: {message: "m", secret: "s"}) { hmac } }`,
    key,
  )
  expect([status, codes]).toEqual([200, ["INTERNAL_SERVER_ERROR"]])
  expect(body.data).toEqual({ broken: null, hmac: { hmac: expect.any(String) } })
  expect(JSON.stringify(body)).not.toContain("secret detail")
  expect((await own.accounts.show(account)).balance.used).toBe(1)
  expect(own.logged).toEqual(["internal"])
  const wrong = await askOwn("{ untrue(input: {max_age: 1}) { max_age _2fa } }", key)
  expect(wrong.codes).toEqual(["INTERNAL_SERVER_ERROR"])
  expect(wrong.body.data).toEqual({ untrue: { max_age: 1, _2fa: null } })
  expect(own.logged).toEqual(["internal", "internal"])
})

test("nothing in this file was charged", async () => {
  expect((await service.accounts.show(account)).balance.used).toBe(0)
})
