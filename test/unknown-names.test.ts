/** A sent parameter that does not exist is named where a required one is missing, on every surface, and no value is. */
import { afterAll, expect, test } from "bun:test"
import { catalog } from "../src/app/prepare.ts"
import { readAnswer } from "./support/answer.ts"
import { runCliForTest } from "./support/cli.ts"
import { readGraphql } from "./support/graphql.ts"
import { connectMcp } from "./support/mcp.ts"
import { startTestService } from "./support/service.ts"

const service = await startTestService()
const { key } = await service.createKey("pro")
const tools = await connectMcp(service.url, key)
afterAll(() => tools[Symbol.asyncDispose]())

const get = async (address: string) =>
  String((await readAnswer(service.fetch(`/v1/${address}`, { key }))).error)
const post = async (id: string, body: unknown) =>
  String((await readAnswer(service.post(`/v1/${id}`, body, { key }))).error)

const hint = "(there is no parameter 'phone': did you mean 'number'?)."

test("on REST, in a batch, in GraphQL, over MCP and on the command line", async () => {
  expect(await get("phonevalidator?phone=%2B442079460958")).toEndWith(` ${hint}`)
  const batch = await readAnswer(
    service.post("/v1/phonevalidator/batch", { inputs: [{ phone: "1" }] }, { key }),
  )
  expect((batch.data?.results as { error: string }[] | undefined)?.[0]?.error).toEndWith(hint)
  expect((await tools.call("phonevalidator", { phone: "1" })).text).toEndWith(hint)
  const { err } = await runCliForTest(["call", "phonevalidator", "--phone", "1"])
  expect(err).toBe("penknife: unknown option '--phone'\n(Did you mean --number?)\n(add --help for help)\n")
  const { body } = await readGraphql(
    service.post("/v1/graphql", { query: '{ phonevalidator(input: {phone: "1"}) { is_valid } }' }, { key }),
  )
  // GraphQL's own validation names both: the field that does not exist, and the one that is missing.
  expect(body.errors?.map(({ message }) => message).sort()).toEqual([
    'Field "PhonevalidatorInput.number" of required type "String!" was not provided.',
    'Field "phone" is not defined by type "PhonevalidatorInput".',
  ])
})

test("on the command line one name is told, and none where nothing is missing", async () => {
  const { err: near } = await runCliForTest(["call", "phonevalidator", "--numbr", "1"])
  expect(near.match(/Did you mean.*/g)).toEqual(["Did you mean --number?)"])
  const { err: complete } = await runCliForTest(["call", "phonevalidator", "--number", "1", "--xyz", "2"])
  expect(complete).toBe("penknife: unknown option '--xyz'\n(add --help for help)\n")
})

test.each([
  [
    "vatvalidator?vat=1&contry=DE",
    "'vat': did you mean 'number'? there is no parameter 'contry': did you mean 'country'?",
  ],
  [
    "sunrisesunset?latitude=1&longitude=2",
    "'latitude': did you mean 'lat'? there is no parameter 'longitude': did you mean 'lon'?",
  ],
  ["sunrisesunset?longitude=2", "'longitude': did you mean 'lon'?"],
  [
    "ibanvalidator?iban_number=1&customer=x",
    "'iban_number': did you mean 'iban'? there is no parameter 'customer'.",
  ],
  ["ibanvalidator?IBAN=DE89370400440532013000", "'IBAN': did you mean 'iban'?"],
  ["emailvalidator?mail=a%40b.example&format=json", "'mail': did you mean 'email'?"],
  ["ipcalculator?ip=10.0.0.0&prefix=8", "'ip': did you mean 'address'?"],
])("%s", async (address, words) => expect(await get(address)).toEndWith(`(there is no parameter ${words}).`))

test("nothing is named where nothing is missing, and neither is what can be a secret in the place of a name", async () => {
  expect(await get("gtinvalidator?code=4006381333931&colour=red")).toBe("null")
  for (const name of ["4111111111111111", "eyJhbGciOiJIUzI1NiJ9", "x".repeat(30), "a'b", "sk_live_51H8xYz"])
    expect(await post("cardvalidator", { [name]: "x" })).not.toContain(name)
  const message = await post("cardvalidator", { card: "4111111111111111", cvc: "737" })
  expect(message).toContain("'card'")
  expect(message).not.toMatch(/4111|737/)
})

test("each API names them", async () => {
  for (const api of catalog.filter(({ input }) => input.required?.length)) {
    const error =
      api.method === "GET" ? await get(`${api.id}?nosuchthing=1`) : await post(api.id, { nosuchthing: 1 })
    expect(error).toContain("no parameter 'nosuchthing': did you mean '")
    const { err } = await runCliForTest(["call", api.id, "--nosuchthing", "1"])
    expect(err).toMatch(/ '--nosuchthing'\n\(Did you mean --\w+\?\)\n/)
  }
})
