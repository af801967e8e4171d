/** Every example of the catalog and of the specification, over REST and the command line, against the executable. */
import { describe, expect, test } from "bun:test"
import { catalog } from "../../src/app/prepare.ts"
import { readAnswer } from "../support/answer.ts"
import { postWith } from "../support/keyed-request.ts"
import { toRequest } from "../support/service.ts"
import { tempDir } from "../support/temp.ts"
import { seedOne } from "./accounts.ts"
import { run, serveForFile } from "./support.ts"

const { db, call, used } = await seedOne(tempDir())
const server = await serveForFile(db)
const timeless = catalog.flatMap((api) =>
  api.examples
    .filter((example) => !example.given)
    .map((example) => ({ api, example, title: `${api.id}: ${example.name}` })),
)

test.each(timeless.map((item) => [item.title, item] as const))("%s", async (_title, { api, example }) => {
  const { path, init } = toRequest(api, example.input)
  const answer = await call(server.url, path, init)
  expect(await answer.json()).toEqual({ status: "ok", error: null, data: example.output })

  const args = Object.entries(example.input).flatMap(([name, value]) =>
    [value].flat().flatMap((item) => [`--${name}`, String(item)]),
  )
  const { code, out, err } = await run(["call", api.id, ...args])
  expect({ code, err, data: JSON.parse(out) }).toEqual({ code: 0, err: "", data: example.output })
})

describe("the specification", () => {
  const post = async (api: string, body: object) =>
    (await readAnswer(call(server.url, `/v1/${api}`, postWith(body)))).data

  test("a loan of 32,000 at 8.5 % over 6 years", async () => {
    const data = await post("loanpaymentcalculator", { loanAmount: 32_000, interestRate: 8.5, loanTerm: 6 })
    expect(data).toMatchObject({ monthly_payment: 568.91, total_interest_paid: 8961.4, downpayment: 0 })
    expect(data).toMatchObject({ formatted: { loanAmount: "$32,000.00", monthlyPayment: "$568.91" } })
    const schedule = data?.amortization_schedule as object[]
    expect(schedule).toHaveLength(72)
    expect(schedule[2]).toMatchObject({ month: 3, remaining_balance: 30965.99 })
    expect(schedule[71]).toMatchObject({ month: 72, remaining_balance: 0 })
  })

  test("a TLSA record 3 1 1", async () => {
    const record = `_443._tcp.example.com. 3600 IN TLSA 3 1 1 ${"ab".repeat(32)}`
    expect(await post("danevalidator", { record })).toMatchObject({
      raw_record: record,
      parsed: {
        name: "_443._tcp.example.com.",
        port: 443,
        protocol: "tcp",
        hostname: "example.com",
        ttl: 3600,
        class: "IN",
      },
      interpretation: {
        usage: { name: "DANE-EE" },
        selector: { name: "SPKI" },
        matching: { name: "SHA-256" },
        security_level: "Recommended",
        recommendation: expect.stringMatching(/recommended configuration/i),
      },
      validation: {
        is_valid: true,
        certificate_data_format: "Valid hexadecimal",
        certificate_data_length_valid: true,
      },
    })
  })

  test("upper-case lines interleave with lower-case ones", async () => {
    expect(await post("linesorter", { lines: ["banana", "Apple", "cherry", "apple", "Banana"] })).toEqual({
      sorted: ["Apple", "apple", "banana", "Banana", "cherry"],
      lineCount: 5,
      order: "asc",
      caseSensitive: false,
    })
  })

  test("company 76, decimal and hexadecimal", async () => {
    for (const companyid of ["76", "0x004C", "0X4c"]) {
      const answer = call(server.url, `/v1/bluetoothlookup?companyid=${companyid}`)
      expect((await readAnswer(answer)).data).toEqual({
        companyId: 76,
        companyIdHex: "0x004C",
        found: true,
        company: "Apple, Inc.",
      })
    }
  })
})

test("what was charged is what succeeded", async () => {
  const before = await used()
  for (const id of ["x", "1"]) await call(server.url, `/v1/bluetoothlookup?companyid=${id}`)
  expect(await used()).toBe(before + 1)
})
