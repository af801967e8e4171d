import { describe, expect, test } from "bun:test"
import companies from "./companies.json"
import { readCompanies } from "./company-list.ts"

describe("readCompanies", () => {
  const names = ["Ericsson AB", null, null, "L'Oréal: #1"]
  const expected = { date: null, names, last: null }

  test("the SIG's YAML", async () => {
    const text = `company_identifiers:
 - value: 0x0003
   name: 'L''Oréal: #1'
 - value: 0x0000
   name: "Ericsson AB"
`
    expect(await readCompanies(text)).toEqual(expected)
  })

  test("the same as JSON, with a byte order mark or without", async () => {
    const list = [
      { value: 3, name: "L'Oréal: #1" },
      { value: 0, name: " Ericsson AB " },
    ]
    const text = JSON.stringify({ company_identifiers: list }, null, 2)
    expect(await readCompanies(text)).toEqual(expected)
    expect(await readCompanies(`\ufeff${text}`)).toEqual(expected)
  })

  test("a list of code and name", async () =>
    expect(
      await readCompanies('[{"code": 3, "name": "L\'Oréal: #1"}, {"code": 0, "name": "Ericsson AB"}]'),
    ).toEqual(expected))

  test("both ends of the range", async () => {
    const read = await readCompanies('[{"code": 65535, "name": "last"}, {"code": 0, "name": "first"}]')
    expect(read).toEqual({ date: null, names: ["first"], last: "last" })
    const next = await readCompanies('[{"code": 65534, "name": "last but one"}]')
    expect([next.names.length, next.names[65534], next.last]).toEqual([65535, "last but one", null])
  })

  const good = '{"code": 1, "name": "A"}'
  const refused: readonly [name: string, text: string, message: string | RegExp][] = [
    ["nothing", "", "expected a list of companies"],
    ["some other document", '{"companies": []}', "expected a list of companies"],
    ["an empty list", "[]", "the list of companies is empty"],
    ["an entry that is no object", `[${good}, "B"]`, "entry 2: expected an object"],
    ["a code over 16 bits", `[${good}, {"code": 65536, "name": "B"}]`, "entry 2: the code 65536 is not"],
    ["a negative code", '[{"code": -1, "name": "B"}]', "entry 1: the code -1 is not"],
    ["a fraction", '[{"code": 1.5, "name": "B"}]', "entry 1: the code 1.5 is not"],
    ["a code as text", '[{"code": "0x4C", "name": "B"}]', 'entry 1: the code "0x4C" is not'],
    ["no code", '[{"name": "B"}]', "entry 1: the code undefined is not"],
    ["an empty name", '[{"code": 1, "name": " "}]', "entry 1 (code 1): the name is missing or empty"],
    ["no name", '[{"code": 1}]', "entry 1 (code 1): the name is missing or empty"],
    ["a code twice", `[${good}, {"code": 1, "name": "B"}]`, "entry 2 (B): the code 1 was already given to A"],
    ["words", `{"date": "March 2027", "company_identifiers": [${good}]}`, "must be YYYY-MM-DD or YYYY-MM"],
    ["no such day", `{"date": "2027-02-30", "company_identifiers": [${good}]}`, "must be YYYY-MM-DD"],
    ["broken JSON", '[\n{"code": 1,\n"name": }', /line 3/],
    ["broken YAML", "company_identifiers:\n - value: 1\n   name: 'A\n - value: 2", /line 4/],
  ]
  for (const [name, text, message] of refused)
    test(`refuses ${name}`, async () => await expect(readCompanies(text)).rejects.toThrow(message))
})

test("the built-in list is whole, and as the reader would make it", async () => {
  const { date, names, last } = companies
  const list = [...names, ...Array(65535 - names.length).fill(null), last].flatMap((name, code) =>
    name === null ? [] : [{ code, name }],
  )
  expect(list).toHaveLength(3918)
  expect(names).toHaveLength(4180)
  expect(await readCompanies(JSON.stringify(list))).toEqual({ ...companies, date: null })
  expect(date).toBe("2026-01")
})
