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
