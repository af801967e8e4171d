/** The tables of docs/spfvalidator.md say what the source does. */
import { expect, test } from "bun:test"
import { join } from "node:path"
import { type IssueKind, issueKinds } from "../../src/apis/spfvalidator/issue-kinds.ts"
import { limitMeanings, limits } from "../../src/apis/spfvalidator/limits.ts"
import { toRiskScore } from "../../src/apis/spfvalidator/risk.ts"
import { input } from "../../src/apis/spfvalidator/schema.ts"

const text = await Bun.file(join(import.meta.dir, "../../docs/spfvalidator.md")).text()

/** The rows of the table under a heading, without its head. */
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
  const kinds: Readonly<Record<string, IssueKind>> = issueKinds
  expect(rows("Issues")).toEqual(
    Object.entries(kinds).map(([code, { severity, breaks = "", meaning, reference }]) => [
      code,
      severity,
      breaks,
      meaning,
      reference,
    ]),
  )
})

test("every bound", () => {
  expect(rows("Bounds").map(([name, limit, meaning]) => [name, limit?.replaceAll(",", ""), meaning])).toEqual(
    Object.entries(limits).map(([name, limit]) => [
      name,
      String(limit),
      limitMeanings[name as keyof typeof limits],
    ]),
  )
})

test("every parameter", () => {
  expect(rows("Parameters").map(([name]) => name)).toEqual(Object.keys(input.properties))
})

test("every base of the risk score", () => {
  const score = (row: string) => {
    const qualifier = /`([-~?+])all`/.exec(row)?.[1] as "-" | "~" | "?" | "+" | undefined
    const hasRecord = row !== "no record"
    return toRiskScore({ hasRecord, effectiveAll: qualifier ?? null, lookupTerms: 0, hasPermerror: false })
  }
  const table = rows("Risk score")
  expect(table).toHaveLength(6)
  for (const [row = "", value] of table) expect([row, score(row)]).toEqual([row, Number(value)])
})
