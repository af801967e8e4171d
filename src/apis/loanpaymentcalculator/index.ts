import { Type } from "@sinclair/typebox"
import { defineApi, premium, reject } from "../contract.ts"
import { field, storedExamples } from "../shared.ts"
import {
  amortize,
  amortizeInCents,
  type Month,
  roundHalfUp,
  scale,
  subtract,
  toRational,
} from "./amortization.ts"
import answers from "./answers.json"
import stored from "./examples.json"

export const loanpaymentcalculator = defineApi({
  id: "loanpaymentcalculator",
  title: "Loan payment calculator",
  category: "data",
  keywords: [
    "mortgage",
    "annuity",
    "interest",
    "repayment",
    "instalment",
    "borrow",
    "finance",
    "monthly rate",
  ],
  description:
    "Computes the monthly payment of an annuity loan, the total interest, the total payment and the amortization schedule. Amounts are in dollars; each is computed exactly and rounded half up to cents.",
  method: "POST",
  credits: 1,
  input: Type.Object({
    loanAmount: field.number("The loan amount in dollars.", { minimum: 0 }),
    interestRate: field.number(
      "The interest rate in percent per year; one twelfth of it is charged each month.",
      { minimum: 0, maximum: 100 },
    ),
    loanTerm: field.integer("The term in years.", { minimum: 1, maximum: 50 }),
    downpayment: field.optional.number(
      "The down payment in dollars, at most the loan amount. It is subtracted from the loan amount before interest is charged.",
      { minimum: 0, default: 0 },
    ),
    schedule: field.optional.choice(
      "`exact`: each amount of the schedule is rounded by itself. `cents`: the schedule is in whole cents that add up, with `payment` in each month; the last payment differs.",
      ["exact", "cents"],
      "exact",
    ),
  }),
  output: Type.Object({
    loanAmount: field.number("The loan amount as given."),
    downpayment: field.number("The down payment as given; 0 without one."),
    interestRate: field.number("The interest rate in percent per year."),
    loanTerm: field.integer("The term in years."),
    monthly_payment: field.number("The payment for each month."),
    total_interest_paid: field.number("The interest paid over the term."),
    total_payment: field.number("The sum of all monthly payments, without the down payment."),
    interestRatio: field.number("The interest as a percentage of the total payment, with two decimals."),
    formatted: field.group("Amounts as text with currency symbol and thousands separators.", {
      loanAmount: premium(field.text("The loan amount as text: `$32,000.00`.")),
      monthlyPayment: premium(field.text("The monthly payment as text.")),
      totalInterestPaid: premium(field.text("The interest paid over the term as text.")),
      totalPayment: premium(field.text("The sum of all monthly payments as text.")),
    }),
    amortization_schedule: premium(
      field.rows("One entry for each month of the term.", {
        month: field.integer("The number of the payment, from 1."),
        interest_payment: field.number("The part of the payment that is interest."),
        principal_payment: field.number("The part of the payment that repays the principal."),
        remaining_balance: field.number("The balance still to repay after this payment."),
        payment: field.optional.number("Interest and principal together. Only with `schedule: cents`."),
      }),
    ),
  }),
  examples: storedExamples(stored, answers),
  run: ({ loanAmount, interestRate, loanTerm, downpayment = 0, schedule }) => {
    if (downpayment > loanAmount) reject("downpayment", "must not be more than loanAmount")
    const loan = toRational(loanAmount)
    const terms = {
      principal: scale(subtract(loan, toRational(downpayment)), 100n),
      monthlyRate: scale(toRational(interestRate), 1n, 1200n),
      payments: loanTerm * 12,
    }
    const result = amortize(terms)
    const months: readonly (Month & { readonly payment?: bigint })[] =
      schedule === "cents" ? amortizeInCents(terms, result.monthlyPayment) : result.months
    const totalPayment = toDollars(result.totalPayment)
    if (totalPayment === Number.POSITIVE_INFINITY)
      reject(
        "loanAmount",
        "must be lower: the total with interest exceeds the largest possible number, about 1.8e308",
      )
    return {
      loanAmount,
      downpayment,
      interestRate,
      loanTerm,
      monthly_payment: toDollars(result.monthlyPayment),
      total_interest_paid: toDollars(result.totalInterest),
      total_payment: totalPayment,
      interestRatio: Number(result.interestRatio) / 100,
      formatted: {
        loanAmount: formatDollars(roundHalfUp(scale(loan, 100n))),
        monthlyPayment: formatDollars(result.monthlyPayment),
        totalInterestPaid: formatDollars(result.totalInterest),
        totalPayment: formatDollars(result.totalPayment),
      },
      amortization_schedule: months.map((month, index) => ({
        month: index + 1,
        interest_payment: toDollars(month.interest),
        principal_payment: toDollars(month.principal),
        remaining_balance: toDollars(month.balance),
        ...(month.payment !== undefined && { payment: toDollars(month.payment) }),
      })),
    }
  },
})

/** The number nearest to an amount of cents in dollars; exact to the cent below 70 trillion dollars. */
export function toDollars(cents: bigint): number {
  return cents <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(cents) / 100 : Number(toDecimal(cents))
}

/** Writes cents as US currency text: `$32,000.00`. */
export function formatDollars(cents: bigint): string {
  const [dollars = "", fraction] = toDecimal(cents).split(".")
  return `$${dollars.replace(/\B(?=(?:\d{3})+$)/g, ",")}.${fraction}`
}

function toDecimal(cents: bigint): string {
  const digits = cents.toString().padStart(3, "0")
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`
}
