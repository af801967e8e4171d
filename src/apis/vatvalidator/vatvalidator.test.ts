import { expect, test } from "bun:test"
import fc from "fast-check"
import { askApi } from "../../../test/support/run-api.ts"
import written, { forms } from "./forms.json"
import { vatvalidator } from "./index.ts"
import * as validators from "./validators.ts"

const validate = (number: string, country?: string) =>
  askApi(vatvalidator, { number, ...(country !== undefined && { country }) })

test.each([
  // Published by the companies themselves or by tax offices.
  ["ATU13585627", "AT"],
  ["BE 0897.223.571", "BE"],
  ["CHE-116.281.710 MWST", "CH"],
  ["DE136695976", "DE"],
  ["EL094259216", "EL"],
  ["GB 980 7806 84", "GB"],
  ["XI 980 7806 84", "XI"],
  ["NL4495445B01", "NL"],
  ["NO995525828MVA", "NO"],
  ["GBGD499", "GB"],
  ["XIHA500", "XI"],
  // The first remainder of these digits is 10.
  ["BG541606583", "BG"],
])("%s is valid in %s", async (number, country) =>
  expect(await validate(number)).toMatchObject({ is_valid: true, codes: [], country }),
)

test.each([
  ["DE136695977", undefined, ["check_digits"]],
  ["DE13669597", undefined, ["length"]],
  ["DE13669597A", undefined, ["format"]],
  ["LV32867300677", undefined, ["check_digits"]],
  ["SK1105201916", undefined, ["component"]],
  // The check letter fits, but no number begins with 12.
  ["CY12911473W", undefined, ["component"]],
  ["NL365229544B00", undefined, ["component"]],
  ["136695976", "US", ["country"]],
  ["ZZ1", undefined, ["country"]],
])("%s %p: %p", async (number, country, codes) =>
  expect(await validate(number, country)).toMatchObject({ is_valid: false, codes, kind: null }),
)

// The VAT Number Construction Rules of the European Commission (VIES, version 15).
test.each([
  // A number that is no person's, one with a day of birth, and one of a foreigner.
  ["BG6431481314", "individual"],
  ["BG7523169263", "individual"],
  ["BG7111042925", "individual"],
  // The digit 6 is not part of the sum.
  ["CZ638882368", "individual"],
  // The third digit must be 2, 3, 4, 7, 8 or 9, not the first.
  ["SK5093339119", "company"],
  ["SK1194201910", "company"],
  // Personal codes without a day of birth: an example of stdnum for Python 2.2, and accounts of the demo of Smart-ID.
  ["LV32867300679", "individual"],
  ["LV32999999901", "individual"],
  ["LV32999988807", "individual"],
])("%s is valid, of a kind %s, though stdnum takes some of them for wrong", async (number, kind) =>
  expect(await validate(number)).toMatchObject({ is_valid: true, codes: [], kind, number }),
)

test.each([
  // Months of births are 01 to 12, 21 to 32 and 41 to 52.
  ["BG2769200240"],
  ["BG0937768640"],
  ["CZ608943382"],
  ["SK8705001327"],
  ["SK2102885048"],
  // The check digit would be 11.
  ["SI69940771"],
  // The check digits are at most 97.
  ["BE0582339498"],
  // Enterprise numbers begin with 0 or 1 (stdnum for Python, commit 7ca9b6c).
  ["BE2000021323"],
  ["BE9897223551"],
  // The check digits of these fit, but no number begins with 0 (stdnum for Python, de/vat.py, dk/cvr.py and mt/vat.py).
  ["DE039540572"],
  ["DK09262814"],
  ["MT09743419"],
  // A letter among the seven digits of a Spanish number (Orden EHA/451/2008).
  ["ESK416320GC"],
  ["ESM399329HA"],
  // Departments have 000 to 499, health authorities 500 to 999 (stdnum/gb/vat.py).
  ["GBGD500"],
  ["GBHA499"],
  ["GBED293"],
  ["XIHD308"],
  // A day of birth in 2771.
  ["LV04127198770"],
  ["LV32867300677"],
  // A 31st, which is a day, of a month 86.
  ["LV31867300674"],
])("%s is not valid", async (number) =>
  expect(await validate(number)).toMatchObject({ is_valid: false, kind: null }),
)

test.each([
  ["DE136695976", "FR", "The number begins with DE, but 'country' is FR."],
  ["FR61954506077", "DE", "The number begins with FR, but 'country' is DE."],
  ["EL094259216", "DE", "The number begins with EL, but 'country' is DE."],
  ["XI980780684", "GB", "The number begins with XI, but 'country' is GB."],
])("%s with the country %s: the two disagree", async (number, country, message) => {
  const answer = await validate(number, country)
  expect(answer).toMatchObject({ number, is_valid: false, country, kind: null })
  expect(answer.problems).toMatchObject([{ code: "country", message }])
  expect(answer.problems).toHaveLength(1)
})

test.each([
  ["GR094259216", "EL", "EL094259216"],
  ["EL094259216", "GR", "EL094259216"],
  ["116.281.710 MWST", "CH", "CHE116281710MWST"],
  ["E116281710MWST", "CH", "CHE116281710MWST"],
  ["BE (0)897.223.571", undefined, "BE0897223571"],
  // As long as a number with its separators may be: only letters and digits count.
  ["C H E - 1 1 6 . 2 8 1 . 7 1 0   M W S T", undefined, "CHE116281710MWST"],
  ["DE\u2011136\u2013695\u00a0976", undefined, "DE136695976"],
])("%s with the country %p is %s", async (number, country, wanted) => {
  expect(vatvalidator.input.properties.number.maxLength).toBeGreaterThan(number.length)
  expect(number).toMatch(new RegExp(String(vatvalidator.input.properties.number.pattern)))
  expect(await validate(number, country)).toMatchObject({ number: wanted, is_valid: true, problems: [] })
})

test("the message of each problem says the form that is expected, and no country is told to have another's", async () => {
  for (const [code, { form }] of Object.entries(forms)) {
    const country = code === "GR" ? "EL" : code
    for (const number of [`${country}1`, `${country}A`, `${country}000000000`, `${country}1234567`]) {
      const { problems } = await validate(number)
      for (const { message } of problems) expect(message).toEndWith(`. The form is ${country} and ${form}.`)
    }
  }
})

test("a number without its country is refused", () =>
  expect(validate("136695976")).rejects.toThrow("The 'country' parameter is required for a number"))

test("a valid number is valid again as it is answered, and with its country beside it", async () => {
  const digits = fc.stringMatching(/^[1-9]\d{8}$/)
  await fc.assert(
    fc.asyncProperty(fc.constantFrom("DE", "EL", "PT", "BG", "GB", "FI"), digits, async (country, text) => {
      const number = country === "FI" ? text.slice(1) : text
      const answer = await validate(number, country)
      expect(answer.number).toBe(`${country}${number}`)
      expect(await validate(answer.number)).toEqual(answer)
      expect(await validate(answer.number.toLowerCase(), country)).toEqual(answer)
    }),
    { numRuns: 200 },
  )
})

test("each country with a form has its validators, and no other has", () =>
  expect(Object.keys(validators).sort()).toEqual(Object.keys(written.forms).sort()))
