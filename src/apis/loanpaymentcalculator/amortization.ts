export interface Loan {
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

export type Month = { readonly interest: bigint; readonly principal: bigint; readonly balance: bigint }

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
export function amortizeInCents({ principal, monthlyRate, payments }: Loan, payment: bigint): CentMonth[] {
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

export function subtract(a: Rational, b: Rational): Rational {
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
export function roundHalfUp({ numerator, denominator }: Rational): bigint {
  return (2n * numerator + denominator) / (2n * denominator)
}

function reduce({ numerator, denominator }: Rational): Rational {
  let [a, b] = [numerator, denominator]
  while (b !== 0n) [a, b] = [b, a % b]
  return { numerator: numerator / a, denominator: denominator / a }
}
