/** The command audit-mail, and how it shows the answer of mailaudit. */
import { expect, test } from "bun:test"
import { mailaudit } from "../src/apis/catalog.ts"
import type { DnsZone } from "../src/apis/contract.ts"
import { toReport } from "../src/surfaces/cli/audit-mail.ts"
import type { AuditReport } from "../src/values/audit-report.ts"
import { runCliForTest } from "./support/cli.ts"
import { startTestMock } from "./support/mock.ts"
import { toRequest } from "./support/service.ts"
import { portsFor } from "./support/zone-ports.ts"

const audit: Required<AuditReport> = {
  domain: "firm.example",
  grade: "C",
  score: 71,
  limited_by: ["dmarc"],
  checks: [
    {
      ...{ id: "spf", title: "SPF", status: "pass", points: 12, max_points: 12 },
      ...{ why: "It ends with -all.", advice: null },
    },
    {
      ...{ id: "dmarc", title: "DMARC", status: "fail", points: 0, max_points: 15 },
      ...{
        why: "There is no record.",
        advice: "Publish one with a policy, first none, and then quarantine or reject.",
      },
    },
    {
      ...{ id: "dane", title: "DANE", status: "not_applicable", points: 0, max_points: 0 },
      ...{ why: "No DNSSEC.", advice: null },
    },
    {
      ...{ id: "x", title: "New", status: "later", points: 1.25, max_points: 5 },
      ...{ why: "a\u001b[31mb", advice: null },
    },
  ],
  fixes: [
    {
      ...{ check: "dmarc", points: 15, action: "add", file: null, note: "Then read the reports." },
      line: '_dmarc.firm.example. 3600 IN TXT "v=DMARC1; p=none"',
    },
    {
      ...{ check: "spf", points: 0.5, line: null, action: null, note: "Serve it." },
      file: { url: "https://mta-sts.firm.example/x", text: "a\nb\n" },
    },
  ],
}

test("the report has the grade, each check with a word, and what to change", () =>
  expect(toReport(audit, { columns: null, colours: false })).toBe(`firm.example  grade C, 71 of 100 points
No better grade because of: DMARC

ok    SPF  12/12
      It ends with -all.
FAIL  DMARC  0/15
      There is no record.
      To do: Publish one with a policy, first none, and then quarantine or reject.
-     DANE
      No DNSSEC.
later  New  1.3/5
      a\\u001b[31mb

What to change

+15  DMARC
      Then read the reports.
Add:
_dmarc.firm.example. 3600 IN TXT "v=DMARC1; p=none"

+0.5  SPF
      Serve it.
https://mta-sts.firm.example/x
a
b
`))

test("the report breaks sentences at the width of the terminal, but no line for the zone file", () => {
  const lines = toReport(audit, { columns: 50, colours: false }).split("\n")
  expect(lines.filter((line) => line.length > 50)).toEqual(audit.fixes.flatMap(({ line }) => line ?? []))
  expect(lines).toContain("      To do: Publish one with a policy, first")
})

test("the report has colours on a terminal, and the same words", () => {
  const text = toReport(audit, { columns: null, colours: true })
  expect(text).toContain("\u001b[32mok  \u001b[39m")
  expect(Bun.stripANSI(text)).toBe(toReport(audit, { columns: null, colours: false }))
})

const dns: DnsZone = {
  "firm.example": [{ MX: [10, "mx.firm.example"] }, { TXT: "v=spf1 mx -all" }],
  "mx.firm.example": [{ A: "198.51.100.25" }],
  "_dmarc.firm.example": [{ TXT: "v=DMARC1; p=none; rua=mailto:d@firm.example" }],
}
const ports = portsFor({ given: { dns } })
const run = (...argv: readonly string[]) => runCliForTest(["audit-mail", ...argv], { ports })

test("the command prints the report, and fails below the wanted grade", async () => {
  const { out } = await run("firm.example", "--json", "--fail-below", "F")
  const data: AuditReport = JSON.parse(out)
  const { grade } = data
  expect(["C", "D", "E", "F"]).toContain(grade)
  expect(await run("firm.example", "--fail-below", grade)).toMatchObject({ code: 0, err: "" })
  const below = await run("FIRM.example")
  expect(below).toMatchObject({
    code: 1,
    err: `penknife: firm.example has grade ${grade}, which is below B\n`,
  })
  expect(below.out).toStartWith(`firm.example  grade ${grade}, ${data.score} of 100 points\n`)
  for (const { title } of data.checks) expect(below.out).toContain(title)
})

test("the command refuses what is no domain or no grade", async () => {
  for (const argv of [
    ["a b"],
    ["firm.example", "--fail-below", "G"],
    ["firm.example", "--selector", "é"],
    [],
  ]) {
    const { code, out, err } = await run(...argv)
    expect({ code, out }).toEqual({ code: 2, out: "" })
    expect(err).not.toBe("")
  }
})

test("the command: a DNS that does not answer is an error, not a grade", async () => {
  const silent = portsFor({
    given: { dns: { "firm.example": ["TIMEOUT"], "_dmarc.firm.example": ["TIMEOUT"] } },
  })
  const { code, err } = await runCliForTest(["audit-mail", "firm.example"], { ports: silent })
  expect(code).toBe(1)
  expect(err).toContain("DNS")
})

test("the test double answers each example, byte for byte the same again", async () => {
  const mock = await startTestMock()
  const ask = async (input: Parameters<typeof toRequest>[1]) => {
    const { path, init } = toRequest(mailaudit, input)
    return (await mock.fetch(path, { ...init, key: "mock-pro" })).text()
  }
  for (const { input, output } of mailaudit.examples) {
    const first = await ask(input)
    const { data }: { data: object } = JSON.parse(first)
    expect(data).toEqual(output)
    expect(await ask(input)).toBe(first)
  }
})
