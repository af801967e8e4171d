import { Type } from "@sinclair/typebox"
import { defineApi, premium, reject } from "../contract.ts"
import { field, storedExamples } from "../shared.ts"
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

interface Loan {
  /** The borrowed amount in cents; 0 or more. */
  readonly principal: Rational
  /** The interest of a month as a fraction (0.01 is one percent), in lowest terms; 0 to 1/12. */
  readonly monthlyRate: Rational
  /** The number of monthly payments, 1 to 600. */
  readonly payments: number
}

/** The amounts are in cents, rounded half up from their exact values. */
export interface Amortization {
  readonly monthlyPayment: bigint
  readonly totalInterest: bigint
  readonly totalPayment: bigint
  /** The interest in hundredths of a percent of the total payment, rounded half up. */
  readonly interestRatio: bigint
  readonly months: readonly Month[]
}

type Month = { readonly interest: bigint; readonly principal: bigint; readonly balance: bigint }

/**
 * The schedule of an annuity loan: the same payment each month, and a balance of 0 after the last.
 *
 * With r the monthly rate, n the number of payments and s = Σ (1+r)^(k-1) for k = 1…n, payment k repays the share
 * (1+r)^(k-1) / s of the loan, and each whole payment is the share r + 1/s. This holds for r = 0 too. Shares are computed
 * as integers over a power of two, with a proven bound on their error. If an amount within that error could be rounded
 * either way, everything is computed again with more bits, at last with so many that only an exact half is uncertain.
 */
export function amortize(loan: Loan): Amortization {
  const enough = decisiveBits(loan)
  for (let bits = 192 + bitLength(loan.principal.numerator / loan.principal.denominator); ; bits *= 3) {
    const { amortization, isCertain } = amortizeWith(loan, Math.min(bits, enough))
    if (isCertain || bits >= enough) return amortization
  }
}

/** A month of a schedule in whole cents: `interest` and `principal` are exactly its payment. */
type CentMonth = Month & { readonly payment: bigint }

/**
 * A schedule in whole cents, as lenders keep it: interest is rounded half up each month, each payment is the rounded one, and the
 * last pays what is left. All months together repay the principal, rounded to cents.
 * @param payment in cents, at least the rounded interest of the first month
 */
function amortizeInCents({ principal, monthlyRate, payments }: Loan, payment: bigint): CentMonth[] {
  const months: CentMonth[] = []
  let balance = roundHalfUp(principal)
  for (let month = 1; month <= payments; month++) {
    const { numerator, denominator } = monthlyRate
    const interest = roundHalfUp({ numerator: numerator * balance, denominator })
    const due = balance + interest
    const paid = month === payments || due < payment ? due : payment
    balance = due - paid
    months.push({ payment: paid, interest, principal: paid - interest, balance })
  }
  return months
}

/** Computes with shares of so many bits. Uncertain amounts are rounded up. */
function amortizeWith(loan: Loan, bits: number): { amortization: Amortization; isCertain: boolean } {
  const { numerator: cents, denominator: part } = loan.principal
  const { numerator: a, denominator: b } = loan.monthlyRate
  const n = BigInt(loan.payments)
  const precision = BigInt(bits)
  const one = 1n << precision
  const half = one >> 1n

  // Each step rounds down by less than 1, and later steps multiply that error by (1+r)^k at most. So the power is too
  // small by less than its s, which is less than n relative to itself; the same holds for the sum s.
  let power = one
  let sum = 0n
  for (let k = 0; k < loan.payments; k++) {
    sum += power
    power += (power * a) / b
  }
  const firstShare = (one * one) / sum
  const payment = firstShare + (one * a) / b

  // The error of firstShare is less than 2n + 1. That of a share is this plus 1 for each step, times (1+r)^k at most:
  // (2n + 2) s. The sum of the shares and n payments have n times that error.
  const shareError = 4n * n * (n + 1n) * ((sum >> precision) + 2n)
  const error = (cents * shareError) / part + 2n
  let isCertain = true

  const months: Month[] = []
  let share = firstShare
  let paidBack = 0n
  for (let k = 0; k < loan.payments; k++) {
    paidBack += share
    months.push({
      // Often an exact half, and a short fraction at any rate, so it is computed exactly.
      interest: k === 0 ? roundHalfUp(scale(loan.principal, a, b)) : toCents(payment - share),
      principal: toCents(share),
      balance: toCents(one - paidBack),
    })
    share += (share * a) / b
  }

  const total = n * payment
  const amortization = {
    monthlyPayment: toCents(payment),
    totalInterest: toCents(total - one),
    totalPayment: toCents(total),
    interestRatio: cents === 0n ? 0n : toRatio(),
    months,
  }
  return { amortization, isCertain }

  function toCents(share: bigint): bigint {
    const exact = (cents * share) / part + half
    return decide((exact - error) >> precision, (exact + error) >> precision)
  }

  // (total - one) / total grows with the total.
  function toRatio(): bigint {
    const ratio = (sum: bigint) => (20_000n * (sum - one) + sum) / (2n * sum)
    return decide(ratio(total - shareError), ratio(total + shareError))
  }

  function decide(low: bigint, high: bigint): bigint {
    if (low !== high) isCertain = false
    return high
  }
}

/**
 * The number of bits with which only exact halves are uncertain. With r = a/b in lowest terms, every share is an integer
 * over b((a+b)^n - b^n), or over n at r = 0, and the ratio is an integer over an(a+b)^n. So an amount that is not an exact
 * half differs from one by at least half of such a part, which is more than twice the error with this many bits.
 */
function decisiveBits({ principal, monthlyRate, payments }: Loan): number {
  const { numerator: a, denominator: b } = monthlyRate
  const amount = bitLength(principal.numerator) + bitLength(principal.denominator)
  const share = bitLength(b) + payments * bitLength(a + b - 1n) + bitLength(BigInt(payments))
  // 4n(n + 1)(s + 2), where s is at most n(1+r)^n and log2(13/12) is less than 0.12.
  const shareError = 21 + 2 + bitLength(BigInt(payments)) + Math.ceil(payments * 0.12)
  // 24 for the halves, the roundings and the ratio's factor of 20,000.
  return amount + share + shareError + 24
}

/** The number of bits of a value, up to 3 too many. */
function bitLength(value: bigint): number {
  return value === 0n ? 0 : value.toString(16).length * 4
}

/** An exact fraction; the denominator is positive. */
export type Rational = { readonly numerator: bigint; readonly denominator: bigint }

/** The fraction that a number's shortest decimal text stands for, so that 0.1 is one tenth. The number is finite, 0 or more. */
export function toRational(value: number): Rational {
  const [, whole = "", fraction = "", exponent = "0"] =
    /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value)) ?? []
  const digits = BigInt(whole + fraction)
  const scale = Number(exponent) - fraction.length
  return scale < 0
    ? { numerator: digits, denominator: 10n ** BigInt(-scale) }
    : { numerator: digits * 10n ** BigInt(scale), denominator: 1n }
}

function subtract(a: Rational, b: Rational): Rational {
  return reduce({
    numerator: a.numerator * b.denominator - b.numerator * a.denominator,
    denominator: a.denominator * b.denominator,
  })
}

/** The product with `numerator / denominator`, in lowest terms. */
export function scale(value: Rational, numerator: bigint, denominator = 1n): Rational {
  return reduce({ numerator: value.numerator * numerator, denominator: value.denominator * denominator })
}

/** The nearest integer, with halves rounded up; for fractions of 0 or more. */
function roundHalfUp({ numerator, denominator }: Rational): bigint {
  return (2n * numerator + denominator) / (2n * denominator)
}

function reduce({ numerator, denominator }: Rational): Rational {
  let [a, b] = [numerator, denominator]
  while (b !== 0n) [a, b] = [b, a % b]
  return { numerator: numerator / a, denominator: denominator / a }
}
