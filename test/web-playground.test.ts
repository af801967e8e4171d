/** The playground sends what was typed, so that the service says what is wrong with it. */
import { expect, test } from "bun:test"
import { catalog, withServedExamples } from "../src/app/prepare.ts"
import { type CatalogDocument, toOfferedApis } from "../src/web/playground/offered-api.ts"
import { findMistakenJson, readParameters } from "../src/web/playground/read-parameters.ts"
import { readAnswer } from "./support/answer.ts"
import { startTestService } from "./support/service.ts"

const service = await startTestService()
const offered = toOfferedApis((await (await fetch(`${service.url}/openapi.json`)).json()) as CatalogDocument)

function apiOf(id: string) {
  const api = offered.find((each) => each.id === id)
  if (!api) throw new Error(`no API ${id}`)
  return api
}

const read = (id: string, typed: Readonly<Record<string, string>>) =>
  readParameters(apiOf(id), (name) => typed[name] ?? "")

test("every API is offered with its parameters and an example", () => {
  expect(offered.map(({ id }) => id).sort()).toEqual(catalog.map(({ id }) => id).sort())
  for (const api of catalog) {
    const { id, input, examples } = withServedExamples(api, "example.com")
    const { parameters, example } = apiOf(id)
    expect(parameters.map(({ name }) => name)).toEqual(Object.keys(input.properties))
    expect(example).toEqual(examples[0]?.input ?? {})
  }
})

const loan = "loanpaymentcalculator"

test.each([
  [
    "blank lines stay, but a line break at the end begins no line",
    "linesorter",
    { lines: "b\n\na\n" },
    { lines: ["b", "", "a"] },
  ],
  ["a blank line alone", "linesorter", { lines: "\n" }, { lines: [""] }],
  ["a required list may be empty", "linesorter", {}, { lines: [] }],
  ["a required text may be empty", "hmac", { secret: " s " }, { message: "", secret: " s " }],
  ["white space stays", "hmac", { message: " a\n", secret: "s" }, { message: " a\n", secret: "s" }],
  ["a query has texts", "sunrisesunset", { lat: "0x10", lon: " 1 " }, { lat: "0x10", lon: " 1 " }],
  ["JSON has numbers", loan, { loanAmount: "1e3", loanTerm: "2" }, { loanAmount: 1000, loanTerm: 2 }],
  ["what is no number", loan, { loanAmount: "0x10", loanTerm: "2 " }, { loanAmount: "0x10", loanTerm: "2 " }],
  ["true", "linesorter", { lines: "a", caseSensitive: "true" }, { lines: ["a"], caseSensitive: true }],
  [
    "a parameter for any value is typed as JSON",
    "jsondiff",
    { from: '{"a": [1]}', to: "null" },
    { from: { a: [1] }, to: null },
  ],
])("%s", (_title, id, typed, sent) => expect(read(id, typed)).toEqual(sent))

test("text that is not JSON in a JSON parameter is found before the call", () => {
  const find = (typed: Readonly<Record<string, string>>) =>
    findMistakenJson(apiOf("jsondiff"), (name) => typed[name] ?? "")
  expect(find({ from: "1", to: "{a: 1}" })).toBe("to")
  expect(find({ from: "1", patch: "[]", patch_type: "json_patch" })).toBeNull()
})

test("a number that REST does not take is refused in the words of REST", async () => {
  const { key } = await service.createKey("pro")
  const body = read("loanpaymentcalculator", { loanAmount: "0x10", interestRate: "1", loanTerm: "1" })
  const { error } = await readAnswer(service.post("/v1/loanpaymentcalculator", body, { key }))
  expect(error).toBe("The 'loanAmount' parameter must be a number, 0 or more.")
})
