/** Lists as CSV, over HTTP and on the command line. */
import { expect, test } from "bun:test"
import { adminClient, createTestAdminKey } from "../support/admin.ts"
import { runLine } from "../support/admin-cli.ts"
import { startTestService } from "../support/service.ts"

const service = await startTestService()
const { key: adminKey } = await createTestAdminKey(service.db)
const admin = adminClient(service.url, adminKey)
const caller = await service.createKey("pro")
for (const id of [76, 77]) {
  const { status } = await service.fetch(`/v1/bluetoothlookup?companyid=${id}`, { key: caller.key })
  if (status !== 200) throw new Error(`a call is answered ${status}`)
}

test("usage is a table with the columns that it is divided by, to be saved as a file", async () => {
  const answer = await admin("GET", "/usage?format=csv&by=account&by=key&from=2025-01-01")
  const type = "text/csv; charset=utf-8; header=present"
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, type])
  expect(answer.headers.get("content-disposition")).toBe('attachment; filename="usage.csv"')
  expect(answer.text).toBe(`account,key,calls,credits\r\n${caller.account},${caller.id},2,2\r\n`)
})

test("without entries there is the row of names alone", async () =>
  expect((await admin("GET", "/usage?format=csv&to=2024-01-01")).text).toBe("calls\r\n"))

test("a list has all its entries, page after page; a name that is a formula is none for a spreadsheet", async () => {
  const names = ["=1+1", "@x", '-"q", 2', "plain"]
  for (const name of names) await admin("POST", "/accounts", { body: { name } })
  const { text } = await admin("GET", "/accounts?format=csv&limit=2")
  const [head = "", ...rows] = text.trimEnd().split("\r\n")
  expect(head).toStartWith("id,name,plan,")
  expect(rows.length).toBe(names.length + 1)
  expect(rows.map((row) => row.slice(row.indexOf(",") + 1)).join()).toContain(`'=1+1,`)
  expect(text).toContain(`,'@x,`)
  expect(text).toContain(`,"'-""q"", 2",`)
})

test.each(["xml", "CSV", ""])("format=%s is a 400", async (format) => {
  const { status, body } = await admin("GET", `/accounts?format=${format}`)
  expect([status, body.parameter]).toEqual([400, "format"])
})

test("a cursor that no page gave is refused before anything is sent", async () =>
  expect((await admin("GET", "/accounts?format=csv&after=x")).status).toBe(400))

test("the command line prints the same from a store and from a service", async () => {
  const line = "usage --by account --by api --csv"
  const days = "--from 2025-01-01"
  const env = { PENKNIFE_ADMIN_KEY: adminKey }
  const results = await Promise.all([
    runLine(`${line} ${days} --db ${service.db}`),
    runLine(`${line} ${days} --server ${service.url}`, { env }),
  ])
  for (const { code, out, err } of results)
    expect({ code, out, err }).toEqual({
      code: 0,
      out: `account,api,calls,credits\r\n${caller.account},bluetoothlookup,2,2\r\n`,
      err: "",
    })
})

test("CSV and JSON at once is wrong usage", async () => {
  const { code, err } = await runLine(`usage --csv --json --db ${service.db}`)
  expect([code, err]).toEqual([2, expect.stringContaining("cannot be used with option '--json'")])
})

test("statements of several customers and months are files with different names", async () => {
  const nameOf = async (path: string) =>
    (await admin("GET", path)).headers.get("content-disposition")?.replace("attachment; filename=", "")
  const { account } = caller
  const monthly = `/accounts/${account}/statements/2025-01?format=csv`
  expect(await nameOf(monthly)).toBe(`"statement-${account}-2025-01.csv"`)
  expect(await nameOf("/statements?month=2025-01&format=csv")).toBe('"statements-2025-01.csv"')
  expect(await nameOf(`/keys?account=${account}&format=csv`)).toBe(`"key-list-${account}.csv"`)
  expect(await nameOf("/accounts?format=csv")).toBe('"account-list.csv"')
})

test("a statement as CSV has account, name, month and price in each line", async () => {
  const { text } = await admin("GET", `/accounts/${caller.account}/statements/2025-01?format=csv`)
  const [head = "", ...rows] = text.trimEnd().split("\r\n")
  const columns = "account,name,month,final,month_plan,month_price,line,id,at,plan,price,"
  expect(head).toStartWith(`${columns}monthly_credits,`)
  expect(head).toEndWith(",granted,adjusted,used")
  expect(rows.length).toBeGreaterThan(1)
  for (const row of rows) expect(row).toMatch(new RegExp(`^${caller.account},[^,]*,2025-01,false,pro,`))
  expect(rows.at(-1)).toEndWith(",,,2")
})

test("a list without pages is CSV on the command line too", async () => {
  const { code, out } = await runLine(`account statements ${caller.account} --csv --db ${service.db}`)
  expect([code, out.split("\r\n")[0]]).toEqual([0, "month,from,to,final"])
  const all = await runLine(`account statements --all --db ${service.db}`)
  expect([all.code, all.out]).toEqual([0, expect.stringContaining("2025-01")])
})
