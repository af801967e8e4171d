/** Lists that an operator renews with --data: what is used, what is refused, and the command that checks them. */
import { expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { dataLists } from "../src/apis/catalog.ts"
import { catalog } from "../src/app/prepare.ts"
import { listsOf } from "../src/app/served-apis.ts"
import { runCliForTest } from "./support/cli.ts"
import { folderOf } from "./support/own-apis.ts"
import { startTestService } from "./support/service.ts"

const companies = (name: string, date?: string) =>
  JSON.stringify({ ...(date && { date }), company_identifiers: [{ value: 76, name }] })

const registry = (name: string, network: string) =>
  `Address Block,Name,RFC,Allocation Date,Globally Reachable\n${network},${name},[RFC1],2027-03,False\n`

test("a service answers from newer disposable domains and special purposes, and 'data check' prints their dates", async () => {
  const data = folderOf({
    "disposable-domains.conf": "# date: 2027-03-01\nnewer.example\n",
    "special-purpose-addresses.csv": registry("Newer", "8.8.8.0/24") + registry("Newer too", "4000::/16"),
  })
  const service = await startTestService({ flags: { data } })
  const { key } = await service.createKey("pro")
  const ask = async (path: string): Promise<unknown> => {
    const { data: answer }: { data: unknown } = JSON.parse(
      await (await service.fetch(`/v1/${path}`, { key })).text(),
    )
    return answer
  }
  expect(await ask("emailvalidator?email=a@b.newer.example")).toMatchObject({
    is_disposable: true,
    data_date: "2027-03-01",
  })
  expect(await ask("ipcalculator?address=8.8.8.8")).toMatchObject({
    special: { name: "Newer", network: "8.8.8.0/24", rfc: "RFC 1", is_globally_reachable: false },
    data_date: "2027-03",
  })
  expect(await ask("ipcalculator?address=10.0.0.1")).toMatchObject({ special: null })
  const lists = JSON.parse((await runCliForTest(["data", "check", data, "--json"])).out)
  expect(lists).toContainEqual({
    list: "disposable-domains",
    file: "disposable-domains.conf",
    date: "2027-03-01",
  })
  const file = "special-purpose-addresses.csv"
  expect(lists).toContainEqual({ list: "special-purpose-addresses", file, date: "2027-03" })
})

test("a service answers from the lists of --data, and its documentation tells their date", async () => {
  const data = folderOf({ "bluetooth-companies.json": companies("A newer company", "2027-03"), ".keep": "" })
  const service = await startTestService({ flags: { data } })
  const { key } = await service.createKey("free")
  const answer = await service.fetch("/v1/bluetoothlookup?companyid=76", { key })
  expect(await answer.json()).toMatchObject({ data: { company: "A newer company" } })
  const document = await (await fetch(`${service.url}/openapi/bluetoothlookup.json`)).text()
  expect(document).toContain("The list is the SIG's of 2027-03.")
  expect(JSON.parse(document).paths["/v1/bluetoothlookup"].get["x-data-date"]).toBe("2027-03")
})

const json = "bluetooth-companies.json"
test.each<[string, Record<string, string> | null, string]>([
  ["that is missing", null, "cannot be read: name a folder"],
  ["that is empty", { ".x": "" }, "has no lists. A list is a file such as bluetooth-companies.json."],
  [
    "with another file",
    { "companies.json": "[]" },
    "'companies.json' is not a known list. Name a file bluetooth-companies",
  ],
  [
    "with another ending",
    { "bluetooth-companies.csv": "" },
    "'bluetooth-companies.csv' is not a known list. Name it bluetooth-companies.json or bluetooth-companies.yaml",
  ],
  [
    "with a line that is no domain",
    { "disposable-domains.txt": "mail.example\n<html>" },
    "disposable-domains.txt: line 2: '<html>' is not a domain such as mail.example",
  ],
  [
    "with half of the special purposes",
    { "special-purpose-addresses.csv": registry("IPv4", "10.0.0.0/8") },
    "special-purpose-addresses.csv: expected networks of IPv4 and of IPv6",
  ],
  [
    "with two files for a list",
    { [json]: companies("A"), "bluetooth-companies.yaml": companies("B") },
    "there are two files for 'bluetooth-companies'",
  ],
  ["with a list that is broken", { [json]: "[]]" }, "bluetooth-companies.json: "],
  [
    "with a code twice",
    { [json]: '[{"code":1,"name":"A"},{"code":1,"name":"B"}]' },
    "entry 2 (B): the code 1 was already given to A",
  ],
])("a folder %s is refused with what to change", async (_, content, problem) => {
  const folder = content ? folderOf(content) : join(folderOf({ "a/x": "" }), "missing")
  const check = await runCliForTest(["data", "check", folder])
  expect({ code: check.code, err: check.err }).toEqual({ code: 2, err: expect.stringContaining(problem) })
  const call = await runCliForTest(["call", "bluetoothlookup", "--companyid", "76", "--data", folder])
  expect({ code: call.code, err: call.err }).toEqual({ code: 2, err: check.err })
})

test("a folder with a file that is far too large is refused with what to change", async () => {
  const folder = folderOf({ "bluetooth-companies.json": "" })
  writeFileSync(join(folder, "bluetooth-companies.json"), Buffer.alloc(33 * 1024 * 1024, " "))
  expect((await runCliForTest(["data", "check", folder])).err).toContain("33554432 are allowed")
})

test("'data check' prints the lists with their dates, those inside too", async () => {
  const folder = folderOf({
    "bluetooth-companies.yaml": "date: 2027-03-01\ncompany_identifiers:\n  - {value: 76, name: A}\n",
  })
  const { code, out } = await runCliForTest(["data", "check", folder, "--json"])
  const inside = { file: null, date: expect.stringMatching(/^20\d\d(?:-\d\d|[a-z])/) }
  expect({ code, lists: JSON.parse(out) }).toEqual({
    code: 0,
    lists: listsOf(catalog).map(({ name }) =>
      name === "bluetooth-companies"
        ? { list: name, file: "bluetooth-companies.yaml", date: "2027-03-01" }
        : { list: name, ...inside },
    ),
  })
  const known = catalog.flatMap(({ lists = [] }) => lists).map(({ name }) => name)
  for (const name of Object.keys(dataLists)) expect(known).toContain(name)
})

const renewed = ["time-zones", "phone-metadata", "disposable-domains", "mac-vendors", "bluetooth-companies"]
const dates = new Map(listsOf(catalog).map(({ name, date }) => [name, date]))
const maxDays = 120

/** The lists that were too old on the day of the newest release. The day of the test does not count. */
function tooOld(changelog: string, listDates: ReadonlyMap<string, string | null>): string[] {
  const [, version = "", release = ""] = /^## \[(\d+\.\d+\.\d+)\] - (\d{4}-\d\d-\d\d)$/m.exec(changelog) ?? []
  // 0.1.0 came before this rule.
  if (version === "0.1.0") return []
  const age = (date: string) => (Date.parse(release) - Date.parse(date)) / 86_400_000
  return renewed.filter((name) => !(age(listDates.get(name) ?? "") <= maxDays))
}

test("no list that changes often, which 'bun run data' renews, is older than 120 days at the newest release", async () => {
  for (const name of renewed)
    expect([name, dates.get(name)]).toEqual([name, expect.stringMatching(/^20\d\d-\d\d/)])
  expect(tooOld(await Bun.file("CHANGELOG.md").text(), dates)).toEqual([])
})

test("the day of the release counts for the age of a list", () => {
  const of = (date: string) => new Map(renewed.map((name) => [name, date]))
  const changelog = "## [Unreleased]\n\n## [0.3.0] - 2027-05-01\n\n## [0.2.0] - 2026-12-01\n"
  expect(tooOld(changelog, of("2027-01-01"))).toEqual([])
  expect(tooOld(changelog, of("2026-12-31"))).toEqual(renewed)
  expect(tooOld(changelog, new Map([...of("2027-03"), ["mac-vendors", null]]))).toEqual(["mac-vendors"])
})
