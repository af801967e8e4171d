import { expect, test } from "bun:test"
import fc from "fast-check"
import { PhoneNumberFormat, PhoneNumberType, PhoneNumberUtil } from "google-libphonenumber"
import { askApi } from "../../../test/support/run-api.ts"
import { phonevalidator } from "./index.ts"
import nationalFormats from "./national-formats.json"

const validate = (number: string, country?: string) =>
  askApi(phonevalidator, { number, ...(country !== undefined && { country }) })

test.each([
  ["+1 (650) 253-0000", undefined, "fixed_line_or_mobile", "+16502530000"],
  ["020 7946 0958", "GB", "fixed_line", "+442079460958"],
  ["00 49 800 1234567", "FR", "toll_free", "+498001234567"],
  ["+390612345678", undefined, "fixed_line", "+390612345678"],
  ["＋８１ ３ １２３４ ５６７８", undefined, "fixed_line", "+81312345678"],
])("%s dialled in %p", async (number, country, kind, e164) =>
  expect(await validate(number, country)).toMatchObject({ is_valid: true, codes: [], kind, e164 }),
)

test.each([
  ["+999123456", undefined, ["calling_code"]],
  ["+49 1", undefined, ["too_short"]],
  ["+44 20 7946 09589999", undefined, ["too_long"]],
  ["555", "US", ["too_short"]],
  ["+1 555 555 5555", undefined, ["not_assigned"]],
])("%s %p: %p", async (number, country, codes) =>
  expect(await validate(number, country)).toMatchObject({ is_valid: false, codes }),
)

test.each([
  ["2079460958", undefined, "country"],
  ["2079460958", "ZZ", "country"],
  ["hello", undefined, "number"],
  ["\u0000", "GB", "number"],
  ["__proto__", "GB", "number"],
])("%p %p names %s", (number, country, parameter) =>
  expect(validate(number, country)).rejects.toThrow(`The '${parameter}' parameter `),
)

// RFC 3966 §3 and §6: visual separators, parameters in any order and case, and a context for numbers that are not global.
test.each([
  ["tel:+1-201-555-0123", undefined, "+12015550123", null],
  ["TEL:+1-(201)-555.0123;EXT=12-3;isub=4", undefined, "+12015550123", "123"],
  ["tel:555-0123;phone-context=+1-201", undefined, "+12015550123", null],
  ["tel:020-7946-0958;phone-context=example.com", "GB", "+442079460958", null],
  ["tel://+44%2020%207946%200958", undefined, "+442079460958", null],
])("%s in %p is %s with the extension %p", async (number, country, e164, extension) =>
  expect(await validate(number, country)).toMatchObject({ is_valid: true, codes: [], e164, extension }),
)

test("a tel: address without a country is refused as its number is, and an empty one as no number", () => {
  expect(validate("tel:7042;phone-context=example.com")).rejects.toThrow(
    "The 'country' parameter is required",
  )
  for (const text of ["tel:", "tel:;ext=1", "tel:x;phone-context=+"])
    expect(validate(text, "GB")).rejects.toThrow("The 'number' parameter must be a telephone number")
})

test("the rfc3966 form of any valid number is the same number", async () => {
  const text = fc.stringMatching(/^\+(?:1201|4420|4915|33[1-9]|61[2-9])\d{7,9}(?: ext\. ?\d{1,4})?$/)
  await fc.assert(
    fc.asyncProperty(text, async (number) => {
      const { formats, ...answer } = await validate(number)
      if (formats !== null) expect(await validate(formats.rfc3966)).toEqual({ formats, ...answer })
    }),
    { numRuns: 200 },
  )
})

// ITU-T E.161: the letters of each key.
test.each([
  ["1-800-FLOWERS", "US", "+18003569377", null],
  ["+1 (800) Go-Fed-Ex", undefined, "+18004633339", null],
  ["0800 abc defg", "GB", "+448002223334", null],
  ["1-800-FLOWERS ext. 12", "US", "+18003569377", "12"],
  ["1 800 GOFEDEX x 7", "US", "+18004633339", "7"],
])("%s dialled in %p is %s with the extension %p", async (number, country, e164, extension) =>
  expect(await validate(number, country)).toMatchObject({
    e164,
    extension,
    codes: expect.arrayContaining(["letters"]),
  }),
)

test.each(["hello", "12 hello", "0800 ab", "+1 800 FL@WERS", "FLOWERS 1-800", "0800 привет"])(
  "%s is no number",
  (number) =>
    expect(validate(number, "US")).rejects.toThrow("The 'number' parameter must be a telephone number"),
)

test("invisible characters around and inside a number are left out", async () => {
  for (const hidden of ["\u202a", "\u202c", "\u200e", "\u2068", "\u2069", "\u200b", "\ufeff", "\u00ad"]) {
    const answer = await validate(`${hidden}+1 650${hidden} 253 0000${hidden}`)
    expect(answer).toMatchObject({ is_valid: true, codes: [], e164: "+16502530000" })
  }
})

/** Each example of Google's numbering plans, with the region that it is of; null for those of no country. */
const plans = PhoneNumberUtil.getInstance()
const planned = plans.getSupportedRegions().flatMap((region) =>
  Object.values(PhoneNumberType).flatMap((type) => {
    const example = typeof type === "number" ? plans.getExampleNumberForType(region, type) : null
    return example ? [example] : []
  }),
)

test("national forms, also of numbers that cannot be dialled from other countries, are those of Google", async () => {
  let withoutInternational = 0
  for (const example of planned) {
    const answer = await validate(plans.format(example, PhoneNumberFormat.E164))
    if (!answer.is_valid) continue
    const national = plans.format(example, PhoneNumberFormat.NATIONAL)
    expect([answer.e164, answer.national]).toEqual([answer.e164, national])
    if (nationalFormats.some(([country]) => country === answer.country)) withoutInternational++
  }
  expect(withoutInternational).toBeGreaterThan(100)
  // 444 1 444 is dialled as it is in Turkey (ITU-T E.164 has no form of it for other countries).
  expect((await validate("+904441444")).national).toBe("444 1 444")
  expect((await validate("+904441444 ext. 5")).national).toBe("444 1 444 ext. 5")
})

test("any text is answered or refused; what E.164 and the other forms say is the same number", async () => {
  const text = fc.oneof(
    fc.string({ unit: fc.constantFrom(..."+0123456789 -()x;=."), maxLength: 250 }),
    fc.string({ maxLength: 40 }),
  )
  await fc.assert(
    fc.asyncProperty(text, async (number) => {
      const answer = await validate(number, "GB").catch((error: Error) => error)
      if (answer instanceof Error) expect(answer.name).toBe("InputRejected")
      else if (answer.is_valid && answer.e164 !== null)
        expect(await validate(answer.e164)).toMatchObject({
          is_valid: true,
          e164: answer.e164,
          kind: answer.kind,
        })
    }),
    { numRuns: 300 },
  )
})
