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
