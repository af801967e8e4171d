import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { anyEnvelope, everything, failure } from "../../test/data/envelope-samples.ts"
import { contentTypes, encodeEnvelope, formats, isFormat } from "./formats.ts"

test("a format is known only by its name in lower case", () => {
  expect(formats).toEqual(["json", "xml", "yaml", "csv"])
  expect(formats.every(isFormat)).toBe(true)
  for (const text of ["JSON", "", "html", "toString", "__proto__"]) expect(isFormat(text)).toBe(false)
})

test("content types are the registered ones", () =>
  expect(contentTypes).toEqual({
    json: "application/json",
    xml: "application/xml; charset=utf-8",
    yaml: "application/yaml",
    csv: "text/csv; charset=utf-8; header=present",
  }))

test("half a surrogate pair stays readable in JSON for a UTF-8 reader", () => {
  const bytes = new TextEncoder().encode(encodeEnvelope("json", everything))
  expect(JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)).data.awkward).toContain(
    "lone \uD83D and \uDE00 and \uDE00\uD83D",
  )
})

test("the JSON envelope is its three members, in order", () => {
  expect(encodeEnvelope("json", { status: "ok", error: null, data: { hmac: "ab" } })).toBe(
    '{"status":"ok","error":null,"data":{"hmac":"ab"}}',
  )
  expect(JSON.parse(encodeEnvelope("json", failure))).toEqual(failure)
})

describe.each([...formats])("%s", (format) => {
  test("a failure carries its message", () =>
    expect(encodeEnvelope(format, failure)).toContain("must be a number from 0 to 65535, or hexadecimal."))

  test("survives UTF-8", () => {
    const survives = (text: string) =>
      text === new TextDecoder("utf-8", { ignoreBOM: true }).decode(new TextEncoder().encode(text))
    expect(survives(encodeEnvelope(format, everything))).toBe(true)
    fc.assert(
      fc.property(anyEnvelope, (envelope) => survives(encodeEnvelope(format, envelope))),
      { numRuns: 150 },
    )
  })

  test("a member that is undefined is absent", () => {
    const without = { status: "ok", error: null, data: { a: 1, c: { e: "" } } } as const
    const withUndefined = { ...without, data: { a: 1, b: undefined, c: { d: undefined, e: "" } } }
    expect(encodeEnvelope(format, withUndefined)).toBe(encodeEnvelope(format, without))
  })

  test("leaves a frozen envelope unchanged", () => {
    const data = Object.freeze({ list: Object.freeze([1]) })
    const envelope = Object.freeze({ status: "ok", error: null, data })
    expect(encodeEnvelope(format, envelope)).toBe(encodeEnvelope(format, envelope))
  })
})
