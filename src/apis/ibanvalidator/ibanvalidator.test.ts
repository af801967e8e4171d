import { expect, test } from "bun:test"
import fc from "fast-check"
import { askApi } from "../../../test/support/run-api.ts"
import { createIbanvalidator, ibanvalidator } from "./index.ts"
import registry from "./registry.json"
import { embeddedRegistry, readRegistry } from "./registry.ts"
import examples from "./registry-examples.json"

const validate = (iban: string) => askApi(ibanvalidator, { iban })

test.each(examples)("the registry's example %s is valid", async (iban) =>
  expect(await validate(iban)).toMatchObject({ is_valid: true, codes: [], is_in_registry: true }),
)

test("each country has an example, and a structure as long as its identifiers say", () => {
  expect(examples.map((iban) => iban.slice(0, 2))).toEqual(registry.countries.map(([code = ""]) => code))
  for (const iban of examples) {
    const { length, bank, branch, name } = embeddedRegistry.countries.get(iban.slice(0, 2)) ?? {}
    expect([name, length]).toEqual([expect.any(String), iban.length])
    for (const [start = -1, end = -1] of [bank, branch].filter((range) => range != null)) {
      expect(start).toBeLessThan(end)
      expect(end).toBeLessThan(iban.length - 4)
    }
  }
})

/** A BBAN of a country, any one that its structure allows. */
const countryAndBban = fc.constantFrom(...examples.map((iban) => iban.slice(0, 2))).chain((code) => {
  const letters = { n: "0123456789", a: "ABCXYZ", c: "019ABZ" } as const
  const kinds = [...(embeddedRegistry.countries.get(code)?.kinds ?? "")] as (keyof typeof letters)[]
  return fc
    .tuple(...kinds.map((kind) => fc.constantFrom(...letters[kind])))
    .map((bban) => code + bban.join(""))
})

test("the expected check digits make any BBAN valid, and one wrong character is always found", () =>
  fc.assert(
    fc.asyncProperty(countryAndBban, fc.nat(), fc.nat(), async (text, place, shift) => {
      const { expected_check_digits } = await validate(`${text.slice(0, 2)}00${text.slice(2)}`)
      const iban = `${text.slice(0, 2)}${expected_check_digits}${text.slice(2)}`
      expect(await validate(iban)).toMatchObject({ is_valid: true, is_in_registry: true })
      expect((await validate(iban.replace(/.{4}/g, "$& ").toLowerCase())).iban).toBe(iban)
      const at = 2 + (place % (iban.length - 2))
      const other = ((Number.parseInt(iban.charAt(at), 36) + 1 + (shift % 35)) % 36).toString(36)
      const changed = iban.slice(0, at) + other + iban.slice(at + 1)
      expect(await validate(changed)).toMatchObject({ is_valid: false })
    }),
    { numRuns: 300 },
  ))

test.each([
  "IBAN DE89370400440532013000",
  "iban: DE89 3704 0044 0532 0130 00",
  "IBAN:DE89.3704.0044.0532.0130.00",
  "DE89\u20113704\u20130044-0532 0130\u00a000",
])("%s is read", async (text) => {
  expect(text).toMatch(new RegExp(String(ibanvalidator.input.properties.iban.pattern)))
  expect(await validate(text)).toMatchObject({ iban: "DE89370400440532013000", is_valid: true })
})

test("the word IBAN is taken off once, before an IBAN", async () => {
  for (const text of ["IBAN", "IBANIBAN", "IBAN IBAN DE89"])
    expect((await validate(text)).is_valid).toBe(false)
  for (const text of ["DE89: 3704", "DE89,3704", "IBAN;DE89"])
    expect(text).not.toMatch(new RegExp(String(ibanvalidator.input.properties.iban.pattern)))
})

test.each([
  ["DE8937O400440532013000", "structure", "not the letter O. The digit 0 was probably meant."],
  ["DE8937040044053201300O", "structure", "not the letter O. The digit 0 was probably meant."],
  ["DEI9370400440532013000", "structure", "not the letter I. The digit 1 was probably meant."],
  ["DE8X370400440532013000", "structure", "must be a digit in Germany, not the letter X."],
  ["GB29 0WBK 6016 1331 9268 19", "structure", "not the digit 0. The letter O was probably meant."],
  // An account in Malta may have letters, so that the check digits alone show it.
  ["MT84 MALT O110 0001 2345 MTLC AST0 01S", "structure", "The digit 0 was probably meant."],
  ["MT84 MALT 0110 0001 2345 MTLC ASTO 01S", "check_digits", "the digit 0 in the place of the letter O."],
])("a letter and a digit that look alike are named: %s: %s", async (text, code, message) => {
  expect((await validate(text)).problems).toMatchObject([{ code, message: expect.stringContaining(message) }])
})

test.each([
  ["AO06004400006729503010102", ["country"]],
  ["GF1420041010050500013M02606", ["country"]],
  ["D", ["country"]],
  ["DE", ["length"]],
  ["DE8937040044053201300", ["length"]],
  ["DE893704004405320130000", ["length"]],
  ["DEA9370400440532013000", ["structure"]],
  ["NL91A1NA0417164300", ["structure"]],
  ["DE88370400440532013000", ["check_digits"]],
  // 97 more than the right digits fit the remainder too, but they are from 02 to 98 (ISO 13616-1, 6.1).
  ["HU00117730161111101800000000", ["check_digits"]],
  ["ES2921000418460200051332", ["national_check_digits"]],
])("what is wrong: %s", async (iban, codes) =>
  expect(await validate(iban)).toMatchObject({ codes, is_valid: codes[0] === "national_check_digits" }),
)

const written = (...countries: unknown[]) => JSON.stringify({ date: "2027-03", countries })
const newland = ["QQ", "Newland", "4!a6!n", "1-4", ""]

test("a newer registry replaces the built-in one, and a file with the built-in one reads the same", async () => {
  const api = createIbanvalidator(readRegistry(written(newland)))
  const right = await askApi(api, { iban: "QQ00ABCD123456" })
  expect(right).toMatchObject({ country_name: "Newland", data_date: "2027-03", account: "123456" })
  expect(await askApi(api, { iban: "DE89370400440532013000" })).toMatchObject({ is_in_registry: false })
  expect(readRegistry(JSON.stringify(registry))).toEqual(embeddedRegistry)
})

test.each([
  ["[]", "expected an object with"],
  [written(), "expected an object with"],
  [written(["QQ"]), "entry 1: expected five texts"],
  [written(newland, newland), "entry 2: the country QQ was there before"],
  [written(["Q1", "Newland", "4!a", "", ""]), "entry 1: 'Q1' is not the two letters"],
  [written(["QQ", " ", "4!a", "", ""]), "entry 1 (QQ): the name is missing"],
  [written(["QQ", "Newland", "4a", "", ""]), "entry 1 (QQ): '4a' is not a structure"],
  [written(["QQ", "Newland", "99!n99!n", "", ""]), "an IBAN has at most 34 characters, not 202"],
  [written(["QQ", "Newland", "4!a", "1-5", ""]), "entry 1 (QQ): '1-5' is not a place"],
  [JSON.stringify({ date: "March", countries: [newland] }), "the date of the list must be YYYY-MM-DD"],
])("a newer registry: %s is refused", (text, message) => expect(() => readRegistry(text)).toThrow(message))
