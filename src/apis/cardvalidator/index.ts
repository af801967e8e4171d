import { Type } from "@sinclair/typebox"
import { defineProblems, verdictOf } from "../../values/problems.ts"
import { defineApi, nullableText, secret } from "../contract.ts"
import { field, storedExamples } from "../shared.ts"
import answers from "./answers.json"
import stored from "./examples.json"
import rupay from "./rupay.json"

const { problemList, newProblems } = defineProblems({
  scheme: "warning: the number begins like those of no known card scheme",
  length: "error: too long or too short for its scheme, or for any card",
  check_digit: "error: the check digit does not fit the rest (Luhn, ISO/IEC 7812-1)",
  no_check_digit: "warning: the same for UnionPay, whose older numbers have no check digit",
})

/** ISO/IEC 7812-1: a primary account number has at most 19 digits; the shortest in use have 12. */
const lengths = { least: 12, most: 19 }

export const cardvalidator = defineApi({
  id: "cardvalidator",
  title: "Card number validator",
  category: "identity",
  keywords: [
    "credit card",
    "debit card",
    "Luhn",
    "PAN",
    "Visa",
    "Mastercard",
    "American Express",
    "payment",
    "mask",
  ],
  description:
    "Checks the number of a payment card: its scheme, length and check digit. Returns the number masked. It does not ask any bank whether the card exists, and stores no number.",
  method: "POST",
  credits: 1,
  singleValues: ["number"],
  input: Type.Object({
    number: secret(
      field.text("The number of the card. Spaces and hyphens are ignored.", {
        maxLength: 32,
        pattern: "^[\\s-]*[0-9][0-9\\s-]*$",
        "x-requirement":
          "must be a card number of at most 32 characters: digits; spaces and hyphens are ignored",
      }),
    ),
  }),
  output: Type.Object({
    ...field.verdict(problemList),
    scheme: nullableText("The scheme, such as `visa` or `american-express`; null if several or none fit."),
    scheme_name: nullableText("The name of the scheme; null if `scheme` is."),
    possible_schemes: field.texts("All schemes that have numbers with this beginning."),
    length: field.integer("How many digits the number has."),
    masked: field.text(
      "The number in groups as on the card, with dots for all digits but the last four. If it has fewer than 12 digits, all are dots.",
    ),
    security_code: field.nullableGroup("The security code of the scheme's cards; null if `scheme` is.", {
      name: field.text("Its name, such as `CVV`."),
      length: field.integer("How many digits it has."),
    }),
  }),
  examples: storedExamples(stored, answers),
  async run({ number: written }) {
    const number = written.replace(/[\s-]/g, "")
    const { default: creditCardType } = await import("credit-card-type")
    const start = Number(number.slice(0, 6))
    const isRupay = rupay.ranges.some(([first = 0, last = 0]) => start >= first && start <= last)
    const possible = [...creditCardType(number), ...(isRupay ? [rupay.scheme] : [])]
    const [first] = possible
    const scheme = possible.length === 1 && first !== undefined ? first : null
    const [problems, add] = newProblems()
    if (possible.length === 0)
      add("scheme", "number", "The number begins like those of no known card scheme.")
    const isLong = number.length >= lengths.least && number.length <= lengths.most
    if (!isLong || (scheme !== null && !scheme.lengths.includes(number.length)))
      add("length", "number", `No card of this scheme has ${number.length} digits.`)
    if (!isLuhn(number)) {
      const code = scheme?.type === "unionpay" ? "no_check_digit" : "check_digit"
      add(code, "last digit", "The check digit does not fit the other digits.")
    }
    return {
      ...verdictOf(problems),
      scheme: scheme?.type ?? null,
      scheme_name: scheme?.niceType ?? null,
      possible_schemes: possible.map(({ type }) => type),
      length: number.length,
      masked: toMasked(number, scheme?.gaps ?? [4, 8, 12]),
      security_code: scheme && { name: scheme.code.name, length: scheme.code.size },
    }
  },
})

/** Whether the last digit is the check digit of the others: every second digit from the right counts double. */
function isLuhn(number: string): boolean {
  const sum = [...number].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (1 + (index % 2))
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return sum % 10 === 0
}

function toMasked(number: string, gaps: readonly number[]): string {
  const shown = number.length < lengths.least ? 0 : 4
  const masked = [...number].map((digit, index) => (index < number.length - shown ? "•" : digit))
  return masked.map((character, index) => (gaps.includes(index) ? ` ${character}` : character)).join("")
}
