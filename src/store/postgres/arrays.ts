/** An array as PostgreSQL reads it from text (manual §8.15.2). */
export function toArray(values: readonly (string | number | null)[]): string {
  return `{${values.map(toElement).join(",")}}`
}

function toElement(value: string | number | null): string {
  if (value === null) return "NULL"
  return typeof value === "number" ? String(value) : `"${value.replace(/["\\]/g, "\\$&")}"`
}
