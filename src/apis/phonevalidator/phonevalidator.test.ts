import { expect, test } from "bun:test"
import fc from "fast-check"
import { phonevalidator } from "./index.ts"

async function validate(number: string, country?: string) {
  const answer = await phonevalidator.run(
    { number, ...(country !== undefined && { country }) },
    {} as Parameters<typeof phonevalidator.run>[1],
  )
  return { ...answer, codes: answer.problems.map(({ code }) => code) }
}

test.each([
  ["+1 (650) 253-0000", undefined, "fixed_line_or_mobile", "+16502530000"],
  ["020 7946 0958", "GB", "fixed_line", "+442079460958"],
  ["00 49 800 1234567", "FR", "toll_free", "+498001234567"],
  ["+390612345678", undefined, "fixed_line", "+390612345678"],
  ["＋８１ ３ １２３４ ５６７８", undefined, "fixed_line", "+81312345678"],
])("%s dialled in %p", async (number, country, type, e164) => {
  expect(await validate(number, country)).toMatchObject({ is_valid: true, codes: [], type, e164 })
})

test.each([
  ["+999123456", undefined, ["calling_code"]],
  ["+49 1", undefined, ["too_short"]],
  ["+44 20 7946 09589999", undefined, ["too_long"]],
  ["555", "US", ["too_short"]],
  ["+1 555 555 5555", undefined, ["not_assigned"]],
])("%s %p: %p", async (number, country, codes) => {
  expect(await validate(number, country)).toMatchObject({ is_valid: false, codes })
})

test.each([
  ["2079460958", undefined, "country"],
  ["2079460958", "ZZ", "country"],
  ["hello", undefined, "number"],
  ["\u0000", "GB", "number"],
  ["__proto__", "GB", "number"],
])("%p %p names %s", (number, country, parameter) => {
  expect(validate(number, country)).rejects.toThrow(`The '${parameter}' parameter `)
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
          type: answer.type,
        })
    }),
    { numRuns: 300 },
  )
})
