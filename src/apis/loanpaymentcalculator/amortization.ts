import { type Rational, roundHalfUp, scale } from "./rational.ts"

export interface Loan {
  /** What is borrowed, in cents; 0 or more. */
  readonly principal: Rational
  /** Interest a month, as a share: 0.01 is one percent; 0 to 1/12; in lowest terms. */
  readonly monthlyRate: Rational
  /** The number of monthly payments, 1 to 600. */
  readonly payments: number
}

/** Each amount is the exact one in cents, rounded half up. */
export interface Amortization {
  readonly monthlyPayment: bigint
  readonly totalInterest: bigint
  readonly totalPayment: bigint
  /** The part of the total payment that is interest, in hundredths of a percent, rounded half up. */
  readonly interestRatio: bigint
  readonly months: readonly Month[]
}

export interface Month {
  readonly interest: bigint
  readonly principal: bigint
  readonly balance: bigint
}

/**
 * Pays a loan back as an annuity: the same payment each month, so that nothing is left after the last.
 *
 * With r the rate, n the payments and s = Σ (1+r)^(k-1) for k = 1…n, the share of the loan that payment k pays back is
 * (1+r)^(k-1) / s and a whole payment is the share r + 1/s, which holds at r = 0 too. Shares are computed as integers
 * over a power of two, with a proven bound on their error. Where an amount with that error could be rounded both ways,
 * everything is computed again with more bits, in the end so many that only an exact half can still be undecided.
 */
export function amortize(loan: Loan): Amortization {
  const enough = decisiveBits(loan)
  for (let bits = 192 + bitLength(loan.principal.numerator / loan.principal.denominator); ; bits *= 3) {
    const { amortization, isCertain } = attempt(loan, Math.min(bits, enough))
    if (isCertain || bits >= enough) return amortization
  }
}

/** Amounts that are uncertain are rounded up. */
function attempt(loan: Loan, bits: number): { amortization: Amortization; isCertain: boolean } {
  const { numerator: cents, denominator: part } = loan.principal
  const { numerator: a, denominator: b } = loan.monthlyRate
  const n = BigInt(loan.payments)
  const precision = BigInt(bits)
  const one = 1n << precision
  const half = one >> 1n

  // Each step is rounded down by less than 1, which the steps after it multiply by (1+r)^k at most: the power is too
  // small by less than its s, and relative to itself by less than n. So is their sum s.
  let power = one
  let sum = 0n
  for (let k = 0; k < loan.payments; k++) {
    sum += power
    power += (power * a) / b
  }
  const firstShare = (one * one) / sum
  const payment = firstShare + (one * a) / b

  // firstShare is off by less than 2n + 1. A share is by that much and 1 a step, times (1+r)^k at most: (2n + 2) s. Their
  // sum and n payments are by n times as much.
  const shareError = 4n * n * (n + 1n) * ((sum >> precision) + 2n)
  const error = (cents * shareError) / part + 2n
  let isCertain = true

  const months: Month[] = []
  let share = firstShare
  let paidBack = 0n
  for (let k = 0; k < loan.payments; k++) {
    paidBack += share
    months.push({
      // The one share that is a short fraction at any rate, and often an exact half: best told without error.
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

  /** (total - one) / total grows with the total. */
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
 * With r = a/b in lowest terms, every share is an integer over b((a+b)^n - b^n), or over n at r = 0, and the ratio is one
 * over an(a+b)^n. So an amount that is no exact half is half of such a part away from it at least, and with this many
 * bits that is more than twice the error.
 */
function decisiveBits({ principal, monthlyRate, payments }: Loan): number {
  const { numerator: a, denominator: b } = monthlyRate
  const amount = bitLength(principal.numerator) + bitLength(principal.denominator)
  const share = bitLength(b) + payments * bitLength(a + b - 1n) + bitLength(BigInt(payments))
  // 4n(n + 1)(s + 2), where s is at most n(1+r)^n and log2(13/12) is less than 0.12.
  const shareError = 21 + 2 + bitLength(BigInt(payments)) + Math.ceil(payments * 0.12)
  // For the halves, the roundings, and the ratio's factor of 20,000.
  return amount + share + shareError + 24
}

/** Bits of the value, up to 3 too many. */
function bitLength(value: bigint): number {
  return value === 0n ? 0 : value.toString(16).length * 4
}
