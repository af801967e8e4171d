/** Offers a table as a CSV file to save. */
export function saveCsv(name: string, ...table: Parameters<typeof toCsv>): void {
  const url = URL.createObjectURL(new Blob([toCsv(...table)], { type: "text/csv" }))
  const link = document.createElement("a")
  link.href = url
  link.download = `${name}.csv`
  link.click()
  URL.revokeObjectURL(url)
}

/** A value in a file of comma-separated values. */
type CsvValue = string | number | null

/** Comma-separated values (RFC 4180) of what is shown. */
export function toCsv(titles: readonly string[], rows: readonly (readonly CsvValue[])[]): string {
  return [titles, ...rows].map((row) => `${row.map(toCell).join(",")}\r\n`).join("")
}

/** The same as in src/encode/csv.ts, which is not for browsers. */
const formula = /^(?:[\t\r\n]|[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠])/u

/** A text that a spreadsheet would take for a formula, and run, gets an apostrophe. */
function toCell(value: CsvValue): string {
  if (value === null) return ""
  if (typeof value === "number") return String(value)
  const harmless = formula.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
