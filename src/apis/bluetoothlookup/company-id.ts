/** Company identifiers are 16 bits wide. */
export const highestCompanyId = 0xffff

/**
 * The number that a text names, in decimal or in hexadecimal after `0x`; null when it is not one from 0 to 65535. Four
 * hexadecimal or five decimal digits say every identifier, so nothing longer is looked at.
 */
export function parseCompanyId(text: string): number | null {
  if (!/^(?:0x[0-9a-f]{1,4}|[0-9]{1,5})$/i.test(text)) return null
  const id = Number(text)
  return id <= highestCompanyId ? id : null
}

/** As the Bluetooth SIG prints it: `0x004C`. */
export function formatCompanyId(id: number): string {
  return `0x${bytes[id >> 8]}${bytes[id & 0xff]}`
}

/** Two digits each, since to make them takes as long as the rest of a look-up. */
const bytes = Array.from({ length: 256 }, (_, byte) => byte.toString(16).toUpperCase().padStart(2, "0"))
