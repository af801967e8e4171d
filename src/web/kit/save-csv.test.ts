/** The files of comma-separated values that console and portal make of what they show. */
import { expect, test } from "bun:test"
import { parse } from "csv-parse/sync"
import { toCsv } from "./save-csv.ts"

test("what is saved is what was shown", () => {
  const rows = [
    ["plain", 1_234.5, null],
    ['with "quotes", commas\r\nand lines', -3, "ünï"],
  ] as const
  expect(parse(toCsv(["name", "calls", "note"], rows))).toEqual([
    ["name", "calls", "note"],
    ["plain", "1234.5", ""],
    ['with "quotes", commas\r\nand lines', "-3", "ünï"],
  ])
})

test.each([
  ...'=cmd()|+1|-1+1|@SUM(A1)|\t=1|\n=1|＝1+1|＋1|－1|＠SUM(A1)|=HYPERLINK("http://x")| =1|\u00a0=1'.split(
    "|",
  ),
  ..."\u3000 ＝1|\u200b@SUM(A1)".split("|"),
])("a text that a spreadsheet would run as a formula is harmless: %s", (text) => {
  expect(parse(toCsv(["name"], [[text]]))[1]).toEqual([`'${text}`])
})
