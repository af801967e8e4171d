import { Type } from "@sinclair/typebox"
import { parseInstant } from "./time-text.ts"

/** A list that others maintain, such as assigned numbers. A copy of it is built in. */
export interface DataList {
  /** Words in lower case with hyphens. A file of `--data` with this name replaces the copy, if `catalog.ts` has its reader. */
  readonly name: string
  /** `YYYY-MM-DD`, or `YYYY-MM` where only the month is known; null if the file that replaces it has no date. */
  readonly date: string | null
  /** Its version, if that says more than a date, such as `2026f` of the time zones. */
  readonly version?: string
}

/**
 * The output field `data_date` of an API whose definition has `lists`.
 * @param list the list in words, for the field's description: "the IBAN registry"
 * @example
 * const list = { name: "iban-registry", date: "2025-12" }
 * const output = Type.Object({ data_date: dataDate("the IBAN registry") })
 * const answer = { data_date: list.date }
 */
export function dataDate(list: string) {
  return Type.Union([Type.String(), Type.Null()], {
    description: `The date of ${list}, \`YYYY-MM-DD\` or \`YYYY-MM\`; null if the operator replaced the list with one that has no date.`,
  })
}

/**
 * Reads the `date` of a list from `--data`; null if the list has none.
 * @throws Error that says which dates can be read
 */
export function readListDate({ date }: { readonly date?: unknown }): string | null {
  if (date === undefined || date === null) return null
  if (typeof date === "string" && /^\d{4}-\d{2}(?:-\d{2})?$/.test(date) && parseInstant(dayOf(date)) !== null)
    return date
  throw new Error("the date of the list must be YYYY-MM-DD or YYYY-MM, such as 2027-03")
}

/** The day, or the first day of the month. */
function dayOf(date: string): string {
  return date.length === 7 ? `${date}-01` : date
}
