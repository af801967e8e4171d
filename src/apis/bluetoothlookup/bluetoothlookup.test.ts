import { expect, test } from "bun:test"
import { Value } from "@sinclair/typebox/value"
import fc from "fast-check"
import { processorMs } from "../../../test/support/processor-time.ts"
import { runApi } from "../../../test/support/run-api.ts"
import { formatCompanyId, parseCompanyId } from "./company-list.ts"
import { bluetoothlookup, createBluetoothlookup } from "./index.ts"

test.each([
  [0, "0 0x0 00 000000 0x00000"],
  [76, "76 00076 0000000076 0x4C 0x4c 0X004c 0x0000004c"],
  [65535, "65535 0000065535 0xFFFF 0XfFfF 0x00000FFFF"],
])("companyid: %d is written %s", (id, texts) => {
  for (const text of texts.split(" ")) {
    expect([text, parseCompanyId(text)]).toEqual([text, id])
    expect(Value.Check(bluetoothlookup.input, { companyid: text })).toBe(true)
  }
})

const refused = [
  ..."|4C|0x|x4C|0xG|-1|-0|+76|65536|0000065536|100000|99999|0x10000|0x000010000|0x-1| 76|76 |76\n|1e3|7.0|7_6|0b1|0o7|NaN|Infinity|٧٦|７６".split(
    "|",
  ),
  "9".repeat(10_000),
  `${"0".repeat(10_000)}x`,
  `0x${"F".repeat(10_000)}`,
]
for (const text of refused)
  test(`companyid: ${JSON.stringify(text.slice(0, 20))}, ${text.length} long, is refused`, () => {
    expect(parseCompanyId(text)).toBeNull()
    expect(Value.Check(bluetoothlookup.input, { companyid: text })).toBe(false)
  })

test("companyid: a JSON number is taken from 0 to 65535", () => {
  for (const companyid of [0, 76, 65535]) {
    expect(Value.Check(bluetoothlookup.input, { companyid })).toBe(true)
    expect(lookUp(companyid)).toMatchObject({ companyId: companyid })
  }
  for (const companyid of [-1, 65536, 7.5, Number.NaN, null, true])
    expect(Value.Check(bluetoothlookup.input, { companyid })).toBe(false)
})

test("companyid: any number of leading zeros is read", () => {
  const zeros = "0".repeat(10_000)
  expect([zeros, `${zeros}76`, `0x${zeros}4C`].map(parseCompanyId)).toEqual([0, 76, 76])
})

test("companyid: two million zeros take time linear in their number", async () => {
  const zeros = "0".repeat(2_000_000)
  const turnsMs: number[] = []
  for (let turn = 0; turn < 20; turn++) {
    const taken = processorMs(() =>
      expect([`${zeros}x`, `0x${zeros}g`, `${zeros}-1`].map(parseCompanyId)).toEqual([null, null, null]),
    )
    turnsMs.push(await taken)
  }
  // About 5 ms. With a pattern that tries again for each zero it is about 200. A busy machine delays some turns, not each.
  expect(Math.min(...turnsMs)).toBeLessThan(100)
})

test("companyid: every identifier is read back from every way of writing it", () => {
  for (let id = 0; id <= 65535; id++) {
    const hex = formatCompanyId(id)
    expect(hex).toMatch(/^0x[0-9A-F]{4}$/)
    const texts = [String(id), hex, hex.toLowerCase(), `0X${id.toString(16)}`]
    expect(texts.map(parseCompanyId)).toEqual([id, id, id, id])
  }
})

test("companyid: any text is refused or read as the number it shows", () =>
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(..."0123456789abcxX+-. eF"), maxLength: 8 }), (text) => {
      const id = parseCompanyId(text)
      if (id === null) return
      expect(id).toBeLessThanOrEqual(65535)
      expect([id.toString(), `0x${id.toString(16)}`]).toContain(
        text.toLowerCase().replace(/^(0x)?0+(?=[0-9a-f])/, "$1"),
      )
    }),
    { numRuns: 2000 },
  ))

test("bluetoothlookup: the ends of the list and the gaps in it", () => {
  expect(lookUp("0")).toEqual({ companyId: 0, companyIdHex: "0x0000", found: true, company: "Ericsson AB" })
  expect(lookUp("0x1053")).toMatchObject({ companyId: 4179, found: true, company: "Sensorworx, Inc." })
  const unassigned = { found: false, company: null }
  expect(lookUp("1048")).toEqual({ companyId: 1048, companyIdHex: "0x0418", ...unassigned })
  expect(lookUp("4180")).toEqual({ companyId: 4180, companyIdHex: "0x1054", ...unassigned })
  expect(lookUp("65534")).toEqual({ companyId: 65534, companyIdHex: "0xFFFE", ...unassigned })
})

test("bluetoothlookup: 65535 has the name that the SIG gives it", () =>
  expect(lookUp("65535")).toEqual({
    companyId: 65535,
    companyIdHex: "0xFFFF",
    found: true,
    company:
      "Bluetooth SIG Specification Reserved Default Vendor ID for Remote Devices Without Device ID Service Record.",
  }))

test("bluetoothlookup: the description says of when the list is, or that the operator chose it", () => {
  expect(bluetoothlookup.description).toContain("The list is the SIG's of 2026-01.")
  const other = createBluetoothlookup({ date: null, names: ["A"], last: null })
  expect(other.description).toContain("The operator of this service has chosen the list.")
  expect(other.description).not.toContain("2026")
  expect(lookUp("0", other)).toEqual({ companyId: 0, companyIdHex: "0x0000", found: true, company: "A" })
  expect(other.lists).toEqual([{ name: "bluetooth-companies", date: null }])
})

test("bluetoothlookup: another list replaces the built-in one", () => {
  const other = createBluetoothlookup({ date: null, names: [null, "One"], last: "Last" })
  expect(lookUp("0xffff", other)).toMatchObject({ found: true, company: "Last" })
  expect(lookUp("1", other)).toMatchObject({ found: true, company: "One" })
  expect(lookUp("65534", other)).toMatchObject({ found: false, company: null })
  expect(lookUp("76", other)).toMatchObject({ found: false, company: null })
  expect(lookUp("76")).toMatchObject({ found: true, company: "Apple, Inc." })
})

test("bluetoothlookup: the run itself refuses bad input by name too", () =>
  expect(() => lookUp("4C")).toThrow("The 'companyid' parameter must be a number from 0 to 65535"))

const lookUp = (companyid: string | number, api = bluetoothlookup) => runApi(api, { companyid })
