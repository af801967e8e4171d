/** Company identifiers are 16 bits wide. */
export const highestCompanyId = 0xffff

/**
 * Reads an identifier in decimal or, after `0x`, hexadecimal digits, with leading zeros or without; null when it is not a
 * number from 0 to 65535.
 */
export function parseCompanyId(text: string): number | null {
  // Apart from the pattern of identifiers, which would try again for each of two million zeros.
  const digits = text.length > maxLength ? text.replace(/^(0x)?0+(?=[0-9a-f])/i, "$1") : text
  if (!/^(?:0x[0-9a-f]{1,4}|[0-9]{1,6})$/i.test(digits)) return null
  const id = Number(digits)
  return id <= highestCompanyId ? id : null
}

/** The length of `0x004C`. Longer texts have more zeros than needed, or are no identifier. */
const maxLength = 6

/** Writes an identifier as the Bluetooth SIG does: `0x004C`. */
export function formatCompanyId(id: number): string {
  return `0x${bytes[id >> 8]}${bytes[id & 0xff]}`
}

/** Each byte in two digits. To make the digits for each call takes 3.6 % of it. */
const bytes = Array.from({ length: 256 }, (_, byte) => byte.toString(16).toUpperCase().padStart(2, "0"))
