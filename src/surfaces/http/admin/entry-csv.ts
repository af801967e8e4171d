import { KindGuard, type TSchema } from "@sinclair/typebox"
import { isOperatorOnly, type Operation } from "../../../admin/operation.ts"
import { itemOf, listColumns } from "../../../admin/pages.ts"
import type { RawInput } from "../../../call/input.ts"
import { toCsvRow } from "../../../encode/csv.ts"
import { toObject } from "../../../values/is-object.ts"
import type { AnswerSettings } from "../request.ts"
import { setAdminHeaders } from "./admin-problem.ts"
import type { EntryWriter } from "./entry-lines.ts"

/** Whether a list is asked for as CSV. */
export function wantsCsv({ input }: Operation, raw: RawInput): boolean {
  if (!("format" in input.properties) || raw.kind !== "text") return false
  return raw.parameters.some(({ name, text }) => name === "format" && text === "csv")
}

/** The entries of a page when all are asked for. More would hold up other requests. */
const pageSize = "500"

/** The same input with pages of a good size, whatever the client asked for: small pages would repeat much work. */
export function inGoodPages({ input }: Operation, raw: RawInput): RawInput {
  if (!("limit" in input.properties) || raw.kind !== "text") return raw
  const others = raw.parameters.filter(({ name }) => name !== "limit")
  return { kind: "text", parameters: [...others, { name: "limit", text: pageSize }] }
}

/**
 * A browser saves the answer as a file. Its name has the account and the month that were asked for, so that files of several
 * customers and months fit in one folder: `statement-acc_1234567890abcdef-2027-01.csv`.
 */
export function setCsvHeaders(set: AnswerSettings, { command }: Operation, raw: RawInput): void {
  setAdminHeaders(set, "text/csv; charset=utf-8; header=present")
  const asked = raw.kind === "text" ? raw.parameters : []
  const named = ["id", "account", "month"].flatMap((name) => {
    const texts = asked.filter((one) => one.name === name).map(({ text }) => text)
    return texts.filter((text) => text !== null && /^[\w-]{1,100}$/.test(text)).slice(0, 1)
  })
  const name = [command.words.replaceAll(" ", "-"), ...named].join("-")
  set.headers["content-disposition"] = `attachment; filename="${name}.csv"`
}

/**
 * Writes a list as CSV, after a row with the names of the columns.
 * @param isCustomer leaves out the columns that customers do not see
 */
export function createCsvWriter({ output }: Operation, isCustomer: boolean): EntryWriter {
  const item = itemOf(output)
  if (item === null) throw new Error("only a list can be written as CSV")
  let columns: readonly string[] | null = null
  return {
    page(entries) {
      const [first] = entries
      // The first entry shows which columns there are. A page may be empty although more follow.
      if (first === undefined) return ""
      const head = columns === null
      const names = columns ?? columnsOf(item, toObject(first), isCustomer)
      columns = names
      const rows = entries.map((entry) => names.map((name) => toObject(entry)[name]))
      return (head ? [names, ...rows] : rows).map(toCsvRow).join("")
    },
    end: () => (columns === null ? toCsvRow(columnsOf(item, undefined, isCustomer)) : ""),
  }
}

function columnsOf(item: TSchema, first: object | undefined, isCustomer: boolean): readonly string[] {
  const names = listColumns(item, first)
  if (!isCustomer || !KindGuard.IsObject(item)) return names
  return names.filter((name) => {
    const field = item.properties[name]
    return field === undefined || !isOperatorOnly(field)
  })
}
