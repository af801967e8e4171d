/** Company identifiers are 16 bits wide. */
export const highestCompanyId = 0xffff

/** Reads an identifier in decimal or, after `0x`, hexadecimal digits; null when it is not a number from 0 to 65535. */
export function parseCompanyId(text: string): number | null {
  if (!/^(?:0x[0-9a-f]{1,4}|[0-9]{1,5})$/i.test(text)) return null
  const id = Number(text)
  return id <= highestCompanyId ? id : null
}

/** Writes an identifier as the Bluetooth SIG does: `0x004C`. */
export function formatCompanyId(id: number): string {
  return `0x${id.toString(16).toUpperCase().padStart(4, "0")}`
}
