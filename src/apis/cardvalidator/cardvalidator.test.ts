import { expect, test } from "bun:test"
import fc from "fast-check"
import { askApi } from "../../../test/support/run-api.ts"
import { cardvalidator } from "./index.ts"

const validate = (number: string) => askApi(cardvalidator, { number })

// Test numbers that the schemes and their processors publish.
test.each([
  ["4242424242424242", "visa"],
  ["5555555555554444", "mastercard"],
  ["2223003122003222", "mastercard"],
  ["371449635398431", "american-express"],
  ["6011111111111117", "discover"],
  ["30569309025904", "diners-club"],
  ["3566002020360505", "jcb"],
  ["6200000000000005", "unionpay"],
])("%s is a valid number of %s", async (number, scheme) =>
  expect(await validate(number)).toMatchObject({ is_valid: true, scheme, codes: [] }),
)

test.each([
  ["4242424242424241", ["check_digit"]],
  ["424242424242424", ["length"]],
  ["0000000000000000", ["scheme"]],
  ["4", ["length", "check_digit"]],
])("%s: %p", async (number, codes) =>
  expect(await validate(number)).toMatchObject({ codes, is_valid: codes[0] === "scheme" }),
)

// NPCI gives RuPay the numbers from 652150 to 653149, which begin as Discover's do.
test.each([
  ["6521500000000009", ["discover", "rupay"], null],
  ["6531490000000000", ["discover", "rupay"], null],
  ["6531500000000000", ["discover"], "discover"],
  ["5085000000000000", ["maestro", "rupay"], null],
])("%s may be of %p", async (number, possible_schemes, scheme) =>
  expect(await validate(number)).toMatchObject({ possible_schemes, scheme }),
)

test("a wrong check digit of UnionPay is a warning, since older numbers have none", async () =>
  expect(await validate("6200000000000006")).toMatchObject({
    is_valid: true,
    codes: ["no_check_digit"],
    problems: [{ severity: "warning" }],
  }))

test("no answer has more than the last four digits, and any changed digit is found", async () => {
  const digits = fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: 1, maxLength: 31 })
  await fc.assert(
    fc.asyncProperty(digits, fc.nat(), fc.integer({ min: 1, max: 9 }), async (body, at, shift) => {
      const numbers = Array.from({ length: 10 }, (_, check) => `${body}${check}`)
      const answers = await Promise.all(numbers.map(validate))
      const right = answers.findIndex(({ codes }) => !codes.some((code) => code.endsWith("check_digit")))
      const { masked, problems } = answers[right] ?? answers[0] ?? (await validate(body))
      expect(masked.replace(/\D/g, "").length).toBe(body.length < 11 ? 0 : 4)
      if (body.length > 4) expect(JSON.stringify(problems)).not.toContain(body)
      const place = at % body.length
      const other = (Number(body[place]) + shift) % 10
      const changed = await validate(body.slice(0, place) + other + body.slice(place + 1) + right)
      expect(changed.codes).toContain(changed.scheme === "unionpay" ? "no_check_digit" : "check_digit")
    }),
    { numRuns: 150 },
  )
})
