import { expect, test } from "bun:test"
import { Value } from "@sinclair/typebox/value"
import fc from "fast-check"
import { runApi } from "../../../test/support/run-api.ts"
import { formatDollars, loanpaymentcalculator, toDollars } from "./index.ts"

test("32,000 at 8.5 % over 6 years", () => {
  const answer = run({ loanAmount: 32_000, interestRate: 8.5, loanTerm: 6 })
  expect(answer).toMatchObject({
    loanAmount: 32_000,
    downpayment: 0,
    interestRate: 8.5,
    loanTerm: 6,
    monthly_payment: 568.91,
    total_interest_paid: 8961.4,
    total_payment: 40_961.4,
    interestRatio: 21.88,
    formatted: {
      loanAmount: "$32,000.00",
      monthlyPayment: "$568.91",
      totalInterestPaid: "$8,961.40",
      totalPayment: "$40,961.40",
    },
  })
  expect(answer.amortization_schedule).toHaveLength(72)
  expect(answer.amortization_schedule[2]?.remaining_balance).toBe(30_965.99)
  expect(answer.amortization_schedule.at(-1)).toMatchObject({ month: 72, remaining_balance: 0 })
})

test("down payment is taken off before interest and echoed, not counted in the total", () => {
  const [less, paid] = [
    run({ loanAmount: 30_000, interestRate: 5, loanTerm: 3 }),
    run({ loanAmount: 32_000, interestRate: 5, loanTerm: 3, downpayment: 2000 }),
  ]
  expect(paid).toEqual({
    ...less,
    loanAmount: 32_000,
    downpayment: 2000,
    formatted: { ...less.formatted, loanAmount: "$32,000.00" },
  })
})

test("down payment is taken off to the last decimal", () => {
  // In binary 4.06 - 4 is 0.0599999999999996, a twelfth of which is less than half a cent.
  const answer = run({ loanAmount: 4.06, interestRate: 0, loanTerm: 1, downpayment: 4 })
  expect(answer).toEqual({
    ...run({ loanAmount: 0.06, interestRate: 0, loanTerm: 1 }),
    loanAmount: 4.06,
    downpayment: 4,
    formatted: { ...answer.formatted, loanAmount: "$4.06" },
  })
  expect(answer.monthly_payment).toBe(0.01)
})

test("down payment of the whole loan leaves zeros", () => {
  for (const amount of [0, 0.1, 32_000, 1e308]) {
    const answer = run({ loanAmount: amount, interestRate: 8.5, loanTerm: 1, downpayment: amount })
    const { monthly_payment, total_interest_paid, total_payment, interestRatio } = answer
    expect([monthly_payment, total_interest_paid, total_payment, interestRatio]).toEqual([0, 0, 0, 0])
    expect(answer.formatted.monthlyPayment).toBe("$0.00")
    const nothing = { interest_payment: 0, principal_payment: 0, remaining_balance: 0 }
    expect(answer.amortization_schedule).toEqual(
      Array.from({ length: 12 }, (_, index) => ({ month: index + 1, ...nothing })),
    )
  }
})

test("down payment over the loan is refused by name", () => {
  for (const downpayment of [32_000.01, 1e300])
    expect(() => run({ loanAmount: 32_000, interestRate: 8.5, loanTerm: 6, downpayment })).toThrow(
      "The 'downpayment' parameter must not be more than loanAmount.",
    )
})

test("every input in bounds has an answer of finite numbers that text agrees with", () => {
  const amount = fc.oneof(
    fc.double({ min: 0, max: 1e306, noNaN: true }),
    fc.integer({ min: -323, max: 305 }).map((exponent) => Number(`1e${exponent}`)),
    fc.double({ min: 0, max: 1e9, noNaN: true }),
  )
  const rate = fc.oneof(
    fc.double({ min: 0, max: 100, noNaN: true }),
    fc.integer({ min: -323, max: 2 }).map((exponent) => Number(`1e${exponent}`)),
  )
  fc.assert(
    fc.property(amount, rate, fc.integer({ min: 1, max: 50 }), (loanAmount, interestRate, loanTerm) => {
      const answer = run({ loanAmount, interestRate, loanTerm })
      expect(Value.Check(loanpaymentcalculator.output, answer)).toBe(true)
      const { formatted, amortization_schedule: schedule } = answer
      expect(readDollars(formatted.monthlyPayment)).toBe(answer.monthly_payment)
      expect(readDollars(formatted.totalInterestPaid)).toBe(answer.total_interest_paid)
      expect(readDollars(formatted.totalPayment)).toBe(answer.total_payment)
      const numbers = schedule.flatMap((month) => Object.values(month))
      expect(numbers).toHaveLength(loanTerm * 12 * 4)
      expect(numbers.every((number) => Number.isFinite(number) && number >= 0)).toBe(true)
      expect(schedule.at(-1)?.remaining_balance).toBe(0)
    }),
    { numRuns: 150 },
  )
})

test("amounts at the ends of what a number holds are the nearest numbers, and exact as text", () => {
  const answer = run({ loanAmount: 1e308, interestRate: 0, loanTerm: 1, downpayment: 4e307 })
  expect([answer.total_payment, answer.monthly_payment]).toEqual([6e307, 5e306])
  expect(answer.formatted.totalPayment).toBe(`$60${",000".repeat(102)}.00`)
  expect(run({ loanAmount: 5e-324, interestRate: 100, loanTerm: 50 })).toMatchObject({ total_payment: 0 })
})

test("amounts at the ends of what a number holds: cents stay exact as text where a number has no room for them", () => {
  const cents = 9_007_199_254_740_993n
  expect(formatDollars(cents)).toBe("$90,071,992,547,409.93")
  expect(toDollars(cents)).toBe(Number("90071992547409.93"))
  expect(toDollars(12_345_678_901_234_567_890n)).toBe(123_456_789_012_345_680)
  expect([0n, 5n, 99n, 100n, 99_999n, 100_000n].map(formatDollars)).toEqual(
    "$0.00 $0.05 $0.99 $1.00 $999.99 $1,000.00".split(" "),
  )
})

test("amounts at the ends of what a number holds: fractions of a cent in the loan are rounded half up as text only", () => {
  const answer = run({ loanAmount: 1_000_000.005, interestRate: 0, loanTerm: 1 })
  expect([answer.loanAmount, answer.formatted.loanAmount]).toEqual([1_000_000.005, "$1,000,000.01"])
})

test("amounts at the ends of what a number holds: a total that no number can hold is refused by name", () => {
  expect(() => run({ loanAmount: 1e308, interestRate: 100, loanTerm: 50 })).toThrow(
    "The 'loanAmount' parameter must be lower",
  )
  const { total_payment } = run({ loanAmount: Number.MAX_VALUE, interestRate: 0, loanTerm: 50 })
  expect(total_payment).toBe(Number.MAX_VALUE)
})

const cents = (dollars: number) => Math.round(dollars * 100)

test("a schedule in whole cents: the last payment takes what rounding left: 11 × 83.33 and 83.37", () => {
  const loan = { loanAmount: 1000, interestRate: 0, loanTerm: 1 }
  const { amortization_schedule: months, ...answer } = run({ ...loan, schedule: "cents" })
  expect(months.map(({ payment }) => payment)).toEqual([...Array(11).fill(83.33), 83.37])
  // All else is the contract's.
  const { amortization_schedule: exact, ...plain } = run(loan)
  expect(answer).toEqual(plain as typeof answer)
  expect(exact[0]).not.toHaveProperty("payment")
  expect(run({ ...loan, schedule: "exact" }).amortization_schedule).toEqual(exact)
})

test("a schedule in whole cents: any schedule adds up, month by month and in all", () => {
  const loans = fc.record({
    loanAmount: fc.integer({ min: 0, max: 100_000_000 }).map((amount) => amount / 100),
    interestRate: fc.integer({ min: 0, max: 10_000 }).map((rate) => rate / 100),
    loanTerm: fc.integer({ min: 1, max: 50 }),
  })
  fc.assert(
    fc.property(loans, (loan) => {
      const { amortization_schedule: months, monthly_payment } = run({ ...loan, schedule: "cents" })
      let balance = cents(loan.loanAmount)
      for (const [index, month] of months.entries()) {
        const [interest, principal, payment] = [
          month.interest_payment,
          month.principal_payment,
          month.payment ?? 0,
        ].map(cents) as [number, number, number]
        expect(principal).toBeGreaterThanOrEqual(0)
        expect(payment).toBe(interest + principal)
        // Half a cent, and what a double adds to it.
        expect(Math.abs(interest - (balance * loan.interestRate) / 1200)).toBeLessThan(0.500001)
        if (index < months.length - 1) expect(payment).toBeLessThanOrEqual(cents(monthly_payment))
        balance -= principal
        expect(cents(month.remaining_balance)).toBe(balance)
      }
      expect(balance).toBe(0)
    }),
    { numRuns: 100 },
  )
})

test("bounds of the parameters", () => {
  const loan = { loanAmount: 1000, interestRate: 5, loanTerm: 10 }
  const isAccepted = (change: object) => Value.Check(loanpaymentcalculator.input, { ...loan, ...change })
  const check = (name: keyof typeof loan | "downpayment", accepted: unknown[], refused: unknown[]) => {
    for (const value of accepted)
      expect([name, value, isAccepted({ [name]: value })]).toEqual([name, value, true])
    for (const value of refused)
      expect([name, value, isAccepted({ [name]: value })]).toEqual([name, value, false])
  }
  check("loanAmount", [0, 1000], [-0.01, "1000", Number.POSITIVE_INFINITY])
  check("interestRate", [0, 100], [-1, 100.001])
  check("loanTerm", [1, 50], [0, 51, 1.5])
  check("downpayment", [0], [-1, null])
})

function readDollars(text: string): number {
  expect(text).toMatch(/^\$\d{1,3}(,\d{3})*\.\d\d$/)
  return Number(text.replace(/[$,]/g, ""))
}

const run = (input: Parameters<typeof loanpaymentcalculator.run>[0]) => runApi(loanpaymentcalculator, input)
