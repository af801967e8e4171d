/** A MAC address, or the beginning of one. */
interface Mac {
  /** Its hexadecimal digits, in upper case. */
  readonly digits: string
  /** 48 (EUI-48) or 64 (EUI-64); null for the beginning of an address. */
  readonly bits: 48 | 64 | null
}

/** The digits of a prefix of 24 bits. */
const leastDigits = 6
const bitsOf: Readonly<Record<number, 48 | 64>> = { 12: 48, 16: 64 }
const forms = [
  /^[0-9A-F]{6,16}$/,
  /^[0-9A-F]{2}(?:([:. -])[0-9A-F]{2})(?:\1[0-9A-F]{2}){1,6}(?:\1[0-9A-F])?$/,
  /^[0-9A-F]{4}(?:([:.-])[0-9A-F]{4}){1,3}$/,
  /^[0-9A-F]{6}([:-])[0-9A-F]{1,6}$/,
  // Some systems leave out leading zeros.
  /^[0-9A-F]{1,2}(?::[0-9A-F]{1,2}){5}$/,
]

/**
 * Reads a MAC address as systems write it: `00:00:5E:00:53:01`, `00-00-5E-00-53-01`, `0000.5e00.5301`, `00005E-005301`,
 * `00005E005301`, `0:0:5e:0:53:1`; or its beginning of at least six digits. Null for any other text.
 */
export function parseMac(text: string): Mac | null {
  const upper = text.trim().toUpperCase()
  if (!forms.some((form) => form.test(upper))) return null
  const digits = /^[0-9A-F]{1,2}(?::[0-9A-F]{1,2}){5}$/.test(upper)
    ? upper
        .split(":")
        .map((byte) => byte.padStart(2, "0"))
        .join("")
    : upper.replace(/[^0-9A-F]/g, "")
  return digits.length < leastDigits ? null : { digits, bits: bitsOf[digits.length] ?? null }
}

/** The digits in pairs: `00:00:5E`. */
export function formatMac(digits: string): string {
  return digits.replace(/..(?=.)/g, "$&:")
}
