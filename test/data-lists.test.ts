/** Lists that an operator renews with --data: what is used, what is refused, and the command that checks them. */
import { describe, expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { dataReaders } from "../src/apis/catalog.ts"
import { catalog } from "../src/app/prepare.ts"
import { runCliForTest } from "./support/cli.ts"
import { folderOf } from "./support/own-apis.ts"
import { startTestService } from "./support/service.ts"

const companies = (name: string, date?: string) =>
  JSON.stringify({ ...(date && { date }), company_identifiers: [{ value: 76, name }] })

test("a service answers from the lists of --data, and its documentation tells their date", async () => {
  const data = folderOf({
    "bluetooth-companies.json": companies("A newer company", "2027-03"),
    ".keep": "",
  })
  const service = await startTestService({ flags: { data } })
  const { key } = await service.createKey("free")
  const answer = await service.fetch("/v1/bluetoothlookup?companyid=76", { key })
  expect(await answer.json()).toMatchObject({ data: { company: "A newer company", data_date: "2027-03" } })
  const document = await (await fetch(`${service.url}/openapi/bluetoothlookup.json`)).text()
  expect(document).toContain("The list is the SIG's of 2027-03.")
})

describe("a folder is refused with what to change", () => {
  const many = join(folderOf({ "a/x": "" }), "missing")
  test.each([
    ["that is missing", many, "cannot be read: name a folder"],
    [
      "that is empty",
      folderOf({ ".x": "" }),
      "has no list. A list is a file such as bluetooth-companies.json.",
    ],
    [
      "with another file",
      folderOf({ "companies.json": "[]" }),
      "'companies.json' is not a list that is known. Name a file bluetooth-companies",
    ],
    [
      "with another ending",
      folderOf({ "bluetooth-companies.csv": "" }),
      "'bluetooth-companies.csv' is not a list that is known",
    ],
    [
      "with two files for a list",
      folderOf({ "bluetooth-companies.json": companies("A"), "bluetooth-companies.yaml": companies("B") }),
      "there are two files for 'bluetooth-companies'",
    ],
    [
      "with a list that is broken",
      folderOf({ "bluetooth-companies.json": "[]]" }),
      "bluetooth-companies.json: ",
    ],
    [
      "with a code twice",
      folderOf({ "bluetooth-companies.json": '[{"code":1,"name":"A"},{"code":1,"name":"B"}]' }),
      "entry 2 (B): the code 1 was already given to A",
    ],
  ])("%s", async (_, folder, problem) => {
    const check = await runCliForTest(["data", "check", folder])
    expect({ code: check.code, err: check.err }).toEqual({ code: 2, err: expect.stringContaining(problem) })
    const call = await runCliForTest(["call", "bluetoothlookup", "--companyid", "76", "--data", folder])
    expect({ code: call.code, err: call.err }).toEqual({ code: 2, err: check.err })
  })

  test("with a file that is far too large", async () => {
    const folder = folderOf({ "bluetooth-companies.json": "" })
    writeFileSync(join(folder, "bluetooth-companies.json"), Buffer.alloc(33 * 1024 * 1024, " "))
    expect((await runCliForTest(["data", "check", folder])).err).toContain("33554432 are allowed")
  })
})

test("'data check' prints the lists with their dates, those inside too", async () => {
  const folder = folderOf({
    "bluetooth-companies.yaml": "date: 2027-03-01\ncompany_identifiers:\n  - {value: 76, name: A}\n",
  })
  const { code, out } = await runCliForTest(["data", "check", folder, "--json"])
  const inside = { file: null, date: expect.stringMatching(/^20\d\d-\d\d/) }
  expect({ code, lists: JSON.parse(out) }).toEqual({
    code: 0,
    lists: catalog
      .flatMap(({ lists = [] }) => lists)
      .map(({ name }) =>
        name === "bluetooth-companies"
          ? { list: name, file: "bluetooth-companies.yaml", date: "2027-03-01" }
          : { list: name, ...inside },
      ),
  })
  const known = catalog.flatMap(({ lists = [] }) => lists).map(({ name }) => name)
  for (const name of Object.keys(dataReaders)) expect(known).toContain(name)
})
