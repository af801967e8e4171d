/** The tables of docs/spfvalidator.md agree with the source. */
import { expect, test } from "bun:test"
import { join } from "node:path"
import { issueKinds } from "../../src/apis/spfvalidator/issues.ts"
import { limits } from "../../src/apis/spfvalidator/record.ts"
import { toRiskScore } from "../../src/apis/spfvalidator/validate.ts"

const text = await Bun.file(join(import.meta.dir, "../../docs/spfvalidator.md")).text()

/** The rows of the table under a heading, without the head. */
function rows(heading: string): string[][] {
  const [section = ""] = text.split(`\n## ${heading}\n`)[1]?.split("\n## ") ?? []
  const lines = section.split("\n").filter((line) => line.startsWith("|"))
  return lines.slice(2).map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

test("every issue code", () => {
  const described = expect.stringMatching(/^\S.+\.$/)
  expect(rows("Issues")).toEqual(
    Object.entries(issueKinds).map(([code, { severity, causes, reference }]) => [
      code,
      severity,
      causes ?? "",
      described,
      reference.replace("RFC 7208 ", ""),
    ]),
  )
})

test("every limit", () => {
  const described = expect.stringMatching(/^\S.+\.$/)
  expect(rows("Limits")).toEqual(
    Object.entries(limits).map(([name, limit]) => [name, limit.toLocaleString("en-US"), described]),
  )
})

test("every base of the risk score", () => {
  const score = (row: string) => {
    const qualifier = /`([-~?+])all`/.exec(row)?.[1] as "-" | "~" | "?" | "+" | undefined
    const hasRecord = row !== "no record"
    const effectiveAll = qualifier ?? null
    return toRiskScore({ hasRecord, effectiveAll, lookupTerms: 0, hasPermerror: false, hasTemperror: false })
  }
  const table = rows("Risk score")
  expect(table).toHaveLength(6)
  for (const [row = "", value] of table) expect([row, score(row)]).toEqual([row, Number(value)])
})
