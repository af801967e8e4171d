import { expect, test } from "bun:test"
import { toCsvRow } from "./csv-table.ts"

test("a row has its fields as RFC 4180 writes them", () => {
  expect(toCsvRow(["a", 'say "x", y', "two\nlines", "", null, undefined, 0, -1.5, true])).toBe(
    'a,"say ""x"", y","two\nlines","",,,0,-1.5,true\r\n',
  )
  expect(toCsvRow([["hmac", "x"], { a: 1 }])).toBe('"[""hmac"",""x""]","{""a"":1}"\r\n')
  expect(toCsvRow(["\ud800"])).toBe("\ufffd\r\n")
})

test.each(["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1+1", "＋1", "－1", "＠SUM(A1)"])(
  "the text %j is no formula for a spreadsheet",
  (text) => {
    expect(toCsvRow([text]).replaceAll('"', "")).toBe(`'${text}\r\n`)
  },
)
