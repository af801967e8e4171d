import { expect, test } from "bun:test"
import { parse } from "csv-parse/sync"
import fc from "fast-check"
import { anyEnvelope, everything, failure, toJsonValue } from "../../test/data/envelope-samples.ts"
import { toCsvRow } from "./csv.ts"
import { encodeEnvelope } from "./formats.ts"
import type { Envelope } from "./tree.ts"

const encodeCsv = (envelope: Envelope) => encodeEnvelope("csv", envelope)

const encodeData = (data: object): string => encodeCsv({ status: "ok", error: null, data })

test("form: a row for each leaf, in order, with CRLF", () =>
  expect(
    encodeData({
      loanAmount: 250000,
      formatted: { loanAmount: "$250,000.00" },
      sorted: ["b", "a"],
      list: [{ x: 1, y: [true] }, [null, [2]]],
      big: 1e21,
      minusZero: -0,
      none: [],
      nothing: {},
    }),
  ).toBe(
    [
      "key,value",
      "loanAmount,250000",
      'formatted.loanAmount,"$250,000.00"',
      ..."sorted[0],b sorted[1],a list[0].x,1 list[0].y[0],true list[1][0], list[1][1][0],2".split(" "),
      ..."big,1e+21 minusZero,0".split(" "),
      "",
    ].join("\r\n"),
  ))

test("form: null is an empty field, an empty string is quotes", () =>
  expect(encodeData({ company: null, spf_record: "" })).toBe('key,value\r\ncompany,\r\nspf_record,""\r\n'))

test("form: an error is two rows", () => {
  expect(encodeCsv({ status: "error", error: "No such path.", data: null })).toBe(
    "key,value\r\nstatus,error\r\nerror,No such path.\r\n",
  )
  expect(encodeCsv(failure)).toEndWith(
    `\r\nerror,"The 'companyid' parameter must be a number from 0 to 65535, or hexadecimal."\r\n`,
  )
})

test("form: no leaf, no row", () => {
  expect(encodeData({})).toBe("key,value\r\n")
  expect(encodeCsv({ status: "ok", error: null, data: null })).toBe("key,value\r\n")
})

test.each([
  [" x", '" x"'],
  ["x ", '"x "'],
  ["\tx", '"\tx"'],
  ["a,b", '"a,b"'],
  ['a"b', '"a""b"'],
  ["a\rb", '"a\rb"'],
  ["a\nb", '"a\nb"'],
  ["a\r\nb", '"a\r\nb"'],
  ["a b", "a b"],
  ["=1+1", "=1+1"],
  ["a;b", "a;b"],
  ["\uD83Dx", "\uFFFDx"],
])("form: field %j is written %j", (text, field) =>
  expect(encodeData({ text })).toBe(`key,value\r\ntext,${field}\r\n`),
)

test("read back: every leaf, under its path", () => {
  expectSameLeaves(everything)
  expectSameLeaves(failure)
})

test("read back: every leaf of any envelope", () =>
  fc.assert(fc.property(anyEnvelope, expectSameLeaves), { numRuns: 150 }))

function expectSameLeaves(envelope: Envelope): void {
  const rows: (string | null)[][] = parse(encodeCsv(envelope), {
    record_delimiter: ["\r\n", "\n", "\r"],
    cast: (value, { quoting }) => (value === "" && !quoting ? null : value),
  })
  const { data, error } = toJsonValue(envelope, (text) => text.toWellFormed())
  const expected = envelope.status === "error" ? leavesOf({ status: "error", error }) : leavesOf(data)
  expect(rows).toEqual([["key", "value"], ...expected])
}

/** The path and the text of each value that is neither an object nor an array. */
function leavesOf(value: unknown, path = ""): [string, string | null][] {
  if (typeof value === "object" && value !== null) {
    const toPath = (key: string) => (Array.isArray(value) ? `${path}[${key}]` : `${path && `${path}.`}${key}`)
    return Object.entries(value).flatMap(([key, member]) => leavesOf(member, toPath(key)))
  }
  return [[path, typeof value === "string" || value === null ? value : JSON.stringify(value)]]
}

test("a row has its fields as RFC 4180 writes them", () => {
  expect(toCsvRow(["a", 'say "x", y', "two\nlines", "", null, undefined, 0, -1.5, true])).toBe(
    'a,"say ""x"", y","two\nlines","",,,0,-1.5,true\r\n',
  )
  expect(toCsvRow([["hmac", "x"], { a: 1 }])).toBe('"[""hmac"",""x""]","{""a"":1}"\r\n')
  expect(toCsvRow(["\ud800"])).toBe("\ufffd\r\n")
})

test.each([
  ..."=1+1|+1|-1|@SUM(A1)|\t=1|\r=1|\n=1|＝1+1|＋1|－1|＠SUM(A1)| =1|\u00a0=1|\u3000 ＝1".split("|"),
  ..."\ufeff+1|\u200b@SUM(A1)".split("|"),
])("the text %j is no formula for a spreadsheet", (text) =>
  expect(toCsvRow([text]).replaceAll('"', "")).toBe(`'${text}\r\n`),
)
