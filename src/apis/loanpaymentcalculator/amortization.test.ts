import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { type Amortization, amortize, type Rational, scale, toRational } from "./index.ts"

/** The same schedule in exact fractions, month by month: interest is added to the balance and the payment subtracted. */
function amortizeByFractions(principal: Rational, rate: Rational, payments: number): Amortization {
  const { numerator: a, denominator: b } = rate
  const n = BigInt(payments)
  const [grown, plain] = [(a + b) ** n, b ** n]
  // P r (1+r)^n / ((1+r)^n - 1). Later balances have the same denominator times b^k.
  const [payment, unit] = a === 0n ? [1n, n] : [a * grown, b * (grown - plain)]
  const amount = (numerator: bigint, denominator: bigint) => {
    const doubled = 2n * numerator * principal.numerator
    const halves = denominator * principal.denominator
    return floorDivide(doubled + halves, 2n * halves)
  }

  const months = []
  let [balance, power] = [unit, 1n]
  for (let month = 0; month < payments; month++) {
    power *= b
    const interest = balance * a
    const paidBack = payment * power - interest
    balance = balance * b - paidBack
    months.push({
      interest: amount(interest, unit * power),
      principal: amount(paidBack, unit * power),
      balance: amount(balance, unit * power),
    })
  }
  return {
    monthlyPayment: amount(payment, unit),
    totalInterest: amount(n * payment - unit, unit),
    totalPayment: amount(n * payment, unit),
    interestRatio:
      principal.numerator === 0n
        ? 0n
        : floorDivide(20_000n * (n * payment - unit) + n * payment, 2n * n * payment),
    months,
  }
}

const floorDivide = (a: bigint, b: bigint): bigint => (a >= 0n ? a / b : -((-a + b - 1n) / b))

function compare(loanAmount: number, interestRate: number, payments: number) {
  const principal = scale(toRational(loanAmount), 100n)
  const monthlyRate = scale(toRational(interestRate), 1n, 1200n)
  const ours = amortize({ principal, monthlyRate, payments })
  const theirs = amortizeByFractions(principal, monthlyRate, payments)
  // Compared as text: toEqual of this many objects is slow.
  expect(toText(ours)).toBe(toText(theirs))
  expect(ours.months).toHaveLength(payments)
  expect(ours.months.at(-1)?.balance).toBe(0n)
}

function toText({ months, ...totals }: Amortization): string {
  const rows = months.map(({ interest, principal, balance }) => `${interest} ${principal} ${balance}`)
  return [...Object.values(totals), ...rows].join("\n")
}

const money = fc.oneof(
  fc.integer({ min: 0, max: 2_000_000 }),
  fc.integer({ min: 0, max: 100_000_000 }).map((cents) => cents / 100),
  fc.integer({ min: 0, max: 100_000 }).map((mills) => mills / 1000),
  fc.double({ min: 0, max: 1e12, noNaN: true }),
)
const rate = fc.oneof(
  fc.constantFrom(0, 100, 50, 25, 12, 6, 1.2),
  fc.integer({ min: 0, max: 2000 }).map((hundredths) => hundredths / 100),
  fc.integer({ min: 0, max: 100_000 }).map((thousandths) => thousandths / 1000),
)
const anyRate = fc.oneof(rate, fc.double({ min: 0, max: 100, noNaN: true }))

describe("agrees with exact fractions", () => {
  test("terms up to 5 years, any rate", () =>
    fc.assert(
      fc.property(money, anyRate, fc.integer({ min: 1, max: 5 }), (loanAmount, interestRate, years) => {
        compare(loanAmount, interestRate, years * 12)
      }),
      { numRuns: 80 },
    ))

  test("terms up to 50 years", () =>
    fc.assert(
      fc.property(money, rate, fc.integer({ min: 1, max: 50 }), (loanAmount, interestRate, years) => {
        compare(loanAmount, interestRate, years * 12)
      }),
      { numRuns: 25 },
    ))

  test("any number of payments", () =>
    fc.assert(
      fc.property(money, rate, fc.integer({ min: 1, max: 40 }), (loanAmount, interestRate, payments) => {
        compare(loanAmount, interestRate, payments)
      }),
      { numRuns: 100 },
    ))

  const corners: readonly [name: string, loanAmount: number, interestRate: number, years: number][] = [
    ["nothing borrowed", 0, 8.5, 2],
    ["the smallest amount", 5e-324, 100, 1],
    ["a rate just above 0 takes principal below the half cent, payments above", 0.06, 1e-300, 1],
    ["the smallest rate", 0.06, 5e-324, 1],
    ["the largest amount at the largest rate", Number.MAX_VALUE, 100, 50],
    ["the largest amount at the smallest rate", Number.MAX_VALUE, 5e-324, 1],
    ["a huge amount at a tiny rate, with interest that is almost a half cent", 1.2e298, 1.2e-297, 1],
  ]
  for (const [name, loanAmount, interestRate, years] of corners)
    test(name, () => compare(loanAmount, interestRate, years * 12))
})

test("halves are rounded up without interest, where parts are equal", () => {
  const { monthlyPayment, months } = amortize({
    principal: { numerator: 10_002n, denominator: 1n },
    monthlyRate: { numerator: 0n, denominator: 1n },
    payments: 12,
  })
  // 833.5 cents a month; 9168.5 cents are left after the first.
  expect(monthlyPayment).toBe(834n)
  expect(months[0]).toEqual({ interest: 0n, principal: 834n, balance: 9169n })
  expect(months[1]).toEqual({ interest: 0n, principal: 834n, balance: 8335n })
  expect(months[11]).toEqual({ interest: 0n, principal: 834n, balance: 0n })
})

test("halves are rounded up in a payment with interest, for a loan made so that it is an exact half", () => {
  const principal = 6n * (13n ** 12n - 12n ** 12n)
  const { monthlyPayment } = amortize({
    principal: { numerator: principal, denominator: 1n },
    monthlyRate: { numerator: 1n, denominator: 12n },
    payments: 12,
  })
  expect(monthlyPayment).toBe((13n ** 12n + 1n) / 2n)
  compare(Number(principal) / 100, 100, 12)
})

test("halves are rounded up in the first month's interest, at a rate of many digits", () => {
  // 101 dollars at half a percent a month; and 1.2e15 at a rate that leaves 612345678901234.5 cents.
  compare(101, 6, 360)
  compare(1.2e15, 6.123456789012345, 12)
  const { months } = amortize({
    principal: { numerator: 10_100n, denominator: 1n },
    monthlyRate: { numerator: 1n, denominator: 200n },
    payments: 600,
  })
  expect(months[0]?.interest).toBe(51n)
})
