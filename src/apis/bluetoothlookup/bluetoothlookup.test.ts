import { describe, expect, test } from "bun:test"
import { Value } from "@sinclair/typebox/value"
import fc from "fast-check"
import { formatCompanyId, parseCompanyId } from "./company-id.ts"
import { bluetoothlookup, createBluetoothlookup } from "./index.ts"

describe("companyid", () => {
  const accepted: readonly [text: string, id: number][] = [
    ["0", 0],
    ["76", 76],
    ["00076", 76],
    ["65535", 65535],
    ["0x0", 0],
    ["0x4C", 76],
    ["0x4c", 76],
    ["0X004c", 76],
    ["0xFFFF", 65535],
    ["0XfFfF", 65535],
  ]
  for (const [text, id] of accepted) {
    test(`${text} is ${id}`, () => {
      expect(parseCompanyId(text)).toBe(id)
      expect(Value.Check(bluetoothlookup.input, { companyid: text })).toBe(true)
    })
  }

  const refused = [
    ..."|4C|0x|x4C|0xG|-1|-0|+76|65536|99999|0x10000|0x-1| 76|76 |76\n|1e3|7.0|7_6|0b1|0o7|NaN|Infinity|٧٦|７６".split(
      "|",
    ),
    "9".repeat(10_000),
    "0".repeat(10_000),
    `0x${"F".repeat(10_000)}`,
  ]
  for (const text of refused) {
    test(`${JSON.stringify(text.slice(0, 20))}, ${text.length} long, is refused`, () => {
      expect(parseCompanyId(text)).toBeNull()
      expect(Value.Check(bluetoothlookup.input, { companyid: text })).toBe(false)
    })
  }

  test("every identifier is read back from every way of writing it", () => {
    for (let id = 0; id <= 65535; id++) {
      const hex = formatCompanyId(id)
      expect(hex).toMatch(/^0x[0-9A-F]{4}$/)
      const texts = [String(id), hex, hex.toLowerCase(), `0X${id.toString(16)}`]
      expect(texts.map(parseCompanyId)).toEqual([id, id, id, id])
    }
  })

  test("any other text is refused, never misread", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."0123456789abcxX+-. eF"), maxLength: 8 }), (text) => {
        const id = parseCompanyId(text)
        if (id === null) return
        expect(id).toBeLessThanOrEqual(65535)
        expect([id.toString(), `0x${id.toString(16)}`]).toContain(
          text.toLowerCase().replace(/^(0x)?0+(?=[0-9a-f])/, "$1"),
        )
      }),
      { seed: 20250101, numRuns: 2000 },
    )
  })
})

describe("bluetoothlookup", () => {
  test("the ends of the list and the gaps in it", () => {
    expect(lookUp("0")).toEqual({ companyId: 0, companyIdHex: "0x0000", found: true, company: "Ericsson AB" })
    expect(lookUp("0x0E30")).toMatchObject({
      companyId: 3632,
      found: true,
      company: "Primax Electronics Ltd.",
    })
    for (const [companyid, companyIdHex] of [
      ["1048", "0x0418"],
      ["3633", "0x0E31"],
      ["65535", "0xFFFF"],
    ] as const) {
      expect(lookUp(companyid)).toEqual({
        companyId: Number(companyid),
        companyIdHex,
        found: false,
        company: null,
      })
    }
  })

  test("another list takes the place of the embedded one", () => {
    const companies = Array.from({ length: 65536 }, (_, code) => (code === 65535 ? "Last" : null))
    const { run } = createBluetoothlookup(companies)
    expect(run({ companyid: "0xffff" }, context)).toMatchObject({ found: true, company: "Last" })
    expect(run({ companyid: "76" }, context)).toMatchObject({ found: false, company: null })
    expect(lookUp("76")).toMatchObject({ found: true, company: "Apple, Inc." })
  })

  test("unchecked input is refused by name as well", () => {
    expect(() => lookUp("4C")).toThrow("The 'companyid' parameter must be a number from 0 to 65535")
  })
})

const closed = () => {
  throw new Error("no port is needed")
}
const context = {
  ports: {
    clock: { now: closed, monotonicMs: closed },
    random: { bytes: closed },
    dns: { resolve: closed },
    timer: { turn: closed, after: closed },
  },
}

function lookUp(companyid: string) {
  return bluetoothlookup.run({ companyid }, context)
}
