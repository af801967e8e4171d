import { expect, test } from "bun:test"
import fc from "fast-check"
import { gtinvalidator } from "./index.ts"

async function validate(code: string) {
  const answer = await gtinvalidator.run({ code }, {} as Parameters<typeof gtinvalidator.run>[1])
  return { ...answer, codes: answer.problems.map(({ code }) => code) }
}

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
])("%s is a valid %s", async (code, kind) => {
  expect(await validate(code)).toMatchObject({ is_valid: true, kind, codes: [] })
})

test.each([
  ["1234567", ["length"]],
  ["12345678901", ["length"]],
  ["X234567890", ["characters"]],
  ["978030640615X", ["characters"]],
  ["4006381333932", ["check_digit"]],
  ["0378-5954", ["check_digit"]],
  ["9786900000005", ["isbn_range"]],
])("%s: %p", async (code, codes) => {
  expect(await validate(code)).toMatchObject({ codes, is_valid: codes[0] === "isbn_range" })
})

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
      expect(changed.is_valid).toBe(false)
    }),
    { numRuns: 300 },
  )
})

test("a number that was converted is valid, and converts to the same numbers", async () => {
  await fc.assert(
    fc.asyncProperty(digits, async (body) => {
      const { expected_check_digit: check } = await validate(`${body}0`)
      const { converted } = await validate(`${body}${check}`)
      for (const code of Object.values(converted)) {
        if (code !== null) expect(await validate(code)).toMatchObject({ is_valid: true, converted })
      }
    }),
    { numRuns: 200 },
  )
})
