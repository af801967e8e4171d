import { expect, test } from "bun:test"
import fc from "fast-check"
import { askApi } from "../../../test/support/run-api.ts"
import { gtinvalidator } from "./index.ts"

const validate = (code: string) => askApi(gtinvalidator, { code })

test.each([
  // Examples of the standards: GS1, ISO 2108, ISO 3297, ISO 10957.
  ["96385074", "gtin8"],
  ["036000291452", "gtin12"],
  ["4006381333931", "gtin13"],
  ["10614141000415", "gtin14"],
  ["0-306-40615-2", "isbn10"],
  ["080442957x", "isbn10"],
  ["979-10-90636-07-1", "isbn13"],
  ["979-0-2600-0043-8", "ismn"],
  ["2434-561X", "issn"],
  ["9770317847001", "issn13"],
  ["07838604", "upce"],
  ["M-2306-7118-7", "ismn"],
  ["978\u20113\u201316\u2013148410\u20130", "isbn13"],
])("%s is a valid %s", async (code, kind) =>
  expect(await validate(code)).toMatchObject({ is_valid: true, kind, codes: [] }),
)

test.each([
  ["1234567", ["length"]],
  ["12345678901", ["length"]],
  ["X234567890", ["characters"]],
  ["978030640615X", ["characters"]],
  ["X23456789012", ["characters"]],
  ["M23067118", ["length"]],
  ["4006381333932", ["check_digit"]],
  ["0378-5954", ["check_digit"]],
  ["9786900000005", ["isbn_range"]],
])("%s: %p", async (code, codes) =>
  expect(await validate(code)).toMatchObject({ codes, is_valid: codes[0] === "isbn_range" }),
)

const digits = fc
  .constantFrom(7, 11, 12, 13, 9)
  .chain((length) =>
    fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: length, maxLength: length }),
  )

test("the expected check digit makes any number valid; another digit, or two exchanged that are not 5 apart, are found", async () => {
  await fc.assert(
    fc.asyncProperty(digits, fc.nat(), fc.integer({ min: 1, max: 9 }), async (body, at, shift) => {
      const { expected_check_digit: check } = await validate(`${body}0`)
      const code = `${body}${check}`
      expect(await validate(code)).toMatchObject({ is_valid: true })
      const place = at % body.length
      const other = (Number(body[place]) + shift) % 10
      const changed = await validate(body.slice(0, place) + other + body.slice(place + 1) + check)
      // One in ten of eight digits that begin with 0 is a UPC-E.
      expect(changed.is_valid && changed.kind !== "upce").toBe(false)
    }),
    { numRuns: 300 },
  )
})

test("a number that was converted is valid, and converts to the same numbers", () =>
  fc.assert(
    fc.asyncProperty(digits, async (body) => {
      const { expected_check_digit: check } = await validate(`${body}0`)
      const { converted } = await validate(`${body}${check}`)
      for (const code of Object.values(converted))
        if (code !== null) expect(await validate(code)).toMatchObject({ is_valid: true, converted })
    }),
    { numRuns: 200 },
  ))

// GS1 General Specifications §5.2.2.4.2, a number for each of the ways to leave zeros out.
test.each([
  ["07838604", "078000003864"],
  ["04252614", "042100005264"],
  ["01234531", "012300000451"],
  ["01234543", "012340000053"],
  ["01234565", "012345000065"],
])("%s is the UPC-E of %s", async (code, gtin12) => {
  const answer = await validate(code)
  expect(answer).toMatchObject({ is_valid: true, formatted: code })
  expect(answer.converted).toMatchObject({ gtin12, gtin13: `0${gtin12}` })
  expect((await validate(gtin12)).is_valid).toBe(true)
})

test("only eight digits after a 0 are read as UPC-E, and those that are a GTIN-8 too say so", async () => {
  for (let number = 0; number < 2_000; number++) {
    const code = String(number * 4_999).padStart(8, "0")
    const { kind, codes, is_valid, expected_check_digit: check } = await validate(code)
    if (kind === "upce") expect([code[0], is_valid, check]).toEqual(["0", true, code[7]])
    else expect(codes).not.toContain("also_gtin8")
  }
  expect((await validate("01234565")).codes).toEqual(["also_gtin8"])
})

// ISO 10957 §4.3: the first digits say how long the publisher's number is. Examples of stdnum for Python (stdnum/ismn.py).
test.each([
  ["9790060115615", "979-0-060-11561-5"],
  ["M230671187", "979-0-2306-7118-7"],
  ["9790345246805", "979-0-3452-4680-5"],
  ["9790000000008", "979-0-000-00000-8"],
  ["9790500000003", "979-0-50000-000-3"],
  ["9790899999995", "979-0-899999-99-5"],
  ["9790900000009", "979-0-9000000-0-9"],
])("the hyphens of the ISMN %s", async (code, formatted) => {
  const digits = (await validate(code.slice(0, -1) + 0)).expected_check_digit
  expect((await validate(code.slice(0, -1) + digits)).formatted).toStartWith(formatted.slice(0, -1))
})

test("the expected check digit is a digit, an X or null for any code", async () => {
  const code = fc.stringMatching(/^[0-9X]{1,15}$/)
  await fc.assert(
    fc.asyncProperty(code, async (text) => {
      const { expected_check_digit: check, is_valid } = await validate(text)
      expect(check === null || /^[0-9X]$/.test(check)).toBe(true)
      if (is_valid) expect(text).toEndWith(String(check))
    }),
  )
})
