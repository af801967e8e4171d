import { toCsv } from "./csv.ts"

/** Offers a table as a CSV file to save. */
export function saveCsv(name: string, ...table: Parameters<typeof toCsv>): void {
  const url = URL.createObjectURL(new Blob([toCsv(...table)], { type: "text/csv" }))
  const link = document.createElement("a")
  link.href = url
  link.download = `${name}.csv`
  link.click()
  URL.revokeObjectURL(url)
}
