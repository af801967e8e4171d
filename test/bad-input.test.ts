/** Wrong input is a 400 that names what to change, in the format asked for, and costs nothing. */
import { expect, test } from "bun:test"
import { readAnswer } from "./support/answer.ts"
import { readGraphql } from "./support/graphql.ts"
import { connectMcp } from "./support/mcp.ts"
import { startTestService } from "./support/service.ts"

const service = await startTestService()
const { account, key } = await service.createKey("pro")

const post = (api: string, body: unknown, headers?: Record<string, string>) =>
  service.post(`/v1/${api}`, body, { key, ...(headers && { headers }) })

async function refusal(response: Response | Promise<Response>) {
  const answer = await response
  const { status, error, data } = await readAnswer(answer)
  expect({ status, data }).toEqual({ status: "error", data: null })
  return [answer.status, String(error)] as const
}

/** A refusal that names a parameter, in a few words. */
async function expectRefusalOf(parameter: string, response: Promise<Response>) {
  const [status, error] = await refusal(response)
  expect(status).toBe(400)
  expect(error).toStartWith(`The '${parameter}' parameter `)
  expect(error.length).toBeLessThan(400)
}

const loan = '{"loanAmount": 1000, "interestRate": 5, "loanTerm": 1'

test.each([
  ["no body", null],
  ["an empty body", ""],
  ["an array", "[]"],
  ["a string", '"x"'],
  ["a number", "5"],
  ["null", "null"],
  ["no JSON", "{message: 1}"],
  ["cut short", '{"message": "x"'],
  ["two values", "{}{}"],
  ["invalid UTF-8", new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
  ["a hundred thousand brackets", "[".repeat(100_000)],
])("bodies: %s", async (_name, body) => {
  const [status, error] = await refusal(post("hmac", body))
  expect([status, error]).toEqual([400, expect.stringMatching(/^The 'body' parameter must be /)])
  expect(error.length).toBeLessThan(200)
})

test("bodies: 3 MB, declared or not, is 413", async () => {
  const big = `{"message": "${"x".repeat(3_000_000)}", "secret": "s"}`
  // Sent in chunks, since a transformed stream has no known length.
  const chunks = new Blob([big]).stream().pipeThrough(new TransformStream())
  for (const body of [big, chunks]) {
    const [status, error] = await refusal(post("hmac", body))
    expect([status, error]).toEqual([413, "The request 'body' must have at most 2,097,152 bytes."])
  }
})

test.each([{}, { "content-type": "text/plain" }, { "content-type": "application/x-www-form-urlencoded" }])(
  "bodies: a Content-Type that is not JSON is 415: %p",
  async (headers) => {
    const body = new TextEncoder().encode('{"message": "m", "secret": "s"}')
    const [status, error] = await refusal(post("hmac", body, headers as Record<string, string>))
    expect([status, error]).toEqual([415, expect.stringContaining("Content-Type: application/json")])
  },
)

test.each([
  ["hmac", "{}", "message"],
  ["hmac", '{"message": "m"}', "secret"],
  ["hmac", '{"message": "m", "secret": ""}', "secret"],
  ["hmac", '{"message": 5, "secret": "s"}', "message"],
  ["hmac", '{"message": null, "secret": "s"}', "message"],
  ["hmac", '{"message": "m", "secret": "s", "algorithm": "sha3"}', "algorithm"],
  ["hmac", '{"message": "m", "secret": "s", "algorithm": "SHA256"}', "algorithm"],
  ["hmac", '{"message": "m", "secret": "s", "encoding": "base32"}', "encoding"],
  ["hmac", '{"message": "\\ud800", "secret": "s"}', "message"],
  ["hmac", '{"__proto__": {"message": "m"}, "secret": "s"}', "message"],
  ["linesorter", '{"lines": "a"}', "lines"],
  ["linesorter", '{"lines": ["a", 1]}', "lines"],
  ["linesorter", '{"lines": ["a", "\\udfff"]}', "lines"],
  ["linesorter", `{"lines": [${'"a",'.repeat(10_000)}"a"]}`, "lines"],
  ["linesorter", '{"lines": [], "order": "up"}', "order"],
  ["linesorter", '{"lines": [], "caseSensitive": "true"}', "caseSensitive"],
  ["loanpaymentcalculator", '{"loanAmount": "5", "interestRate": 5, "loanTerm": 1}', "loanAmount"],
  ["loanpaymentcalculator", '{"loanAmount": 1e999, "interestRate": 5, "loanTerm": 1}', "loanAmount"],
  ["loanpaymentcalculator", '{"loanAmount": -1, "interestRate": 5, "loanTerm": 1}', "loanAmount"],
  ["loanpaymentcalculator", '{"loanAmount": 1, "interestRate": 100.1, "loanTerm": 1}', "interestRate"],
  ["loanpaymentcalculator", '{"loanAmount": 1, "interestRate": 5, "loanTerm": 1.5}', "loanTerm"],
  ["loanpaymentcalculator", '{"loanAmount": 1, "interestRate": 5, "loanTerm": 51}', "loanTerm"],
  ["loanpaymentcalculator", `${loan}, "downpayment": 1000.01}`, "downpayment"],
  ["loanpaymentcalculator", `${loan}, "downpayment": -1}`, "downpayment"],
  ["danevalidator", "{}", "record"],
  ["danevalidator", '{"record": ""}', "record"],
  ["danevalidator", '{"record": "not a record"}', "record"],
  ["danevalidator", '{"record": "_443._tcp.example.com. 3600 IN TLSA 3 1"}', "record"],
  ["danevalidator", '{"record": "_443._tcp.example.com. 3600 IN TLSA x 1 1 00"}', "record"],
])("parameters in a body: %s %p names %s", async (api, body, parameter) => {
  await expectRefusalOf(parameter, post(api, body))
})

test.each([
  ["bluetoothlookup", "", "companyid"],
  ...["", "7".repeat(10_000), ..."-1 65536 0x 0x10000 4C 7%206 1e3 7.6 0b1 %00 76%00".split(" ")].map(
    (value) => ["bluetoothlookup", `companyid=${value}`, "companyid"] as const,
  ),
  ["bluetoothlookup", "companyid=1&companyid=1", "companyid"],
  ["bluetoothlookup", "companyid=%ff", "companyid"],
  ["bluetoothlookup", "companyid=1&format=%ff", "format"],
  ["sunrisesunset", "lat=91&lon=%ff", "lat"],
  ["sunrisesunset", "lon=%ff&lat=%fe", "lat"],
  ["bluetoothlookup", "companyid=1&format=html", "format"],
  ["bluetoothlookup", "companyid=1&format=json&format=xml", "format"],
  ...["91", "-90.5", "", "NaN", "1,5", "Infinity", "0x10", "%2B5", "1e999"].map(
    (value) => ["sunrisesunset", `lat=${value}&lon=1`, "lat"] as const,
  ),
  ["sunrisesunset", "lat=1&lat=2&lon=1", "lat"],
  ["sunrisesunset", "lat=1", "lon"],
  ["sunrisesunset", "lat=1&lon=180.5", "lon"],
  ...["02-30-2025", "2025-02-03", "13-01-2025", "2-3-2025", "", "02-29-2025"].map(
    (value) => ["sunrisesunset", `lat=1&lon=1&date=${value}`, "date"] as const,
  ),
])("parameters in a query: %s?%s names %s", async (api, query, parameter) => {
  await expectRefusalOf(parameter, service.fetch(`/v1/${api}?${query}`, { key }))
})

test("a refusal comes in the format asked for", async () => {
  const text = async (format: string) =>
    (await service.fetch(`/v1/bluetoothlookup?companyid=x&format=${format}`, { key })).text()
  expect(await text("xml")).toMatch(/<status>error<\/status><error>The .companyid. parameter/)
  expect(await text("xml")).toContain('<data xsi:nil="true"')
  expect(await text("yaml")).toMatch(/^status: "?error"?\nerror: /)
  expect(await text("csv")).toMatch(/^key,value\r\nstatus,error\r\nerror,/)
})

test("a parameter of the paid plans is also checked on the free plan", async () => {
  const free = await service.createKey("free")
  const answer = await service.fetch("/v1/sunrisesunset?lat=1&lon=1&date=02-30-2025", { key: free.key })
  expect((await refusal(answer))[1]).toStartWith("The 'date' parameter ")
})

test("nothing in this file was charged", async () =>
  expect((await service.accounts.show(account)).balance.used).toBe(0))

test("an optional parameter that is null counts as left out, on every surface", async () => {
  const { key } = await service.createKey("pro")
  const post = (path: string, body: unknown) => service.post(`/v1/${path}`, body, { key })
  const input = { message: "m", secret: "s", algorithm: null, encoding: null }
  const { data } = await readAnswer(post("hmac", { message: "m", secret: "s" }))
  expect(await readAnswer(post("hmac", input))).toMatchObject({ status: "ok", data })
  const batch = await readAnswer(post("hmac/batch", { inputs: [input] }))
  expect(batch.data).toMatchObject({ succeeded: 1, results: [{ data }] })
  const query = '{ hmac(input: {message: "m", secret: "s", algorithm: null}) { hmac algorithm encoding } }'
  const { body } = await readGraphql(post("graphql", { query }))
  expect(body.data).toEqual({ hmac: data })
  await using mcp = await connectMcp(service.url, key)
  expect(await mcp.call("hmac", input)).toMatchObject({ isError: false, data })
})
