import { KindGuard, type TSchema } from "@sinclair/typebox"
import type { OperationCommand } from "../../../admin/operation.ts"
import { escapeHidden } from "../../../values/hidden-characters.ts"
import { isObject } from "../../../values/is-object.ts"
import type { Terminal } from "../output.ts"
import { toTable } from "../table.ts"
import { ServerFailed, type Values } from "./backend.ts"

/** The values of an answer by name. */
export function requireValues(value: unknown): Values {
  if (isObject(value)) return { ...value }
  throw strangeAnswer()
}

/** The error for another program that also answers with JSON. */
export function strangeAnswer(): ServerFailed {
  return new ServerFailed("The answer is not from penknife's admin API. Check --server.")
}

/** Prints one object as JSON or as lines of `name  value`. */
export function printThing(terminal: Terminal, thing: Values, json = false, schema?: TSchema): void {
  if (json) {
    terminal.out(`${JSON.stringify(thing)}\n`)
    return
  }
  const lines = flatten(thing).map(
    ([name, value]) => [name, toText(value, propertyOf(schema, name), true)] as const,
  )
  const width = Math.max(...lines.map(([name]) => name.length))
  terminal.out(lines.map(([name, text]) => `${name.padEnd(width)}  ${text}\n`).join(""))
}

/** The values of an object and of its nested objects: `plans.free.premium`. Metadata is one value. */
function flatten(thing: Values, above = ""): readonly (readonly [name: string, value: unknown])[] {
  return Object.entries(thing).flatMap(([name, value]) => {
    return isObject(value) && name !== "metadata" && !isBlank(value)
      ? flatten({ ...value }, `${above}${name}.`)
      : [[`${above}${name}`, value] as const]
  })
}

/** Prints rows as a JSON array or as a plain table; without rows the text `empty` goes to standard error instead of a table. */
export function printRows(terminal: Terminal, rows: readonly object[], json = false, empty: string): void {
  if (json) terminal.out(`${JSON.stringify(rows)}\n`)
  else if (rows.length === 0) terminal.err(`${empty}\n`)
  else {
    const columns = Object.keys(rows[0] ?? {}).map((name) => ({ name, isNumber: false }))
    const cells = rows.map((row) => Object.values(row).map((value) => toText(value, undefined, true)))
    terminal.out(toTable(columns, cells, { width: null, colours: false }))
  }
}

/** Prints entries as a JSON array or as a table; without entries, the command's own text goes to standard error. */
export function printEntries(
  terminal: Terminal,
  schema: TSchema,
  command: OperationCommand,
  entries: readonly Values[],
  { json, wide }: { readonly json: boolean; readonly wide: boolean },
): void {
  if (json) terminal.out(`${JSON.stringify(entries)}\n`)
  else if (entries.length === 0) terminal.err(`${command.empty ?? "There are none."}\n`)
  else terminal.styled(tableOf(terminal, schema, command, entries, wide))
}

function tableOf(
  { columns: width, colours }: Terminal,
  schema: TSchema,
  { columns, moreColumns = [], shortensIds = false }: OperationCommand,
  entries: readonly Values[],
  wide: boolean,
): string {
  const all = Object.keys(entries[0] ?? {})
  const chosen = wide ? all : [...(columns ?? all), ...moreColumns].filter((name) => all.includes(name))
  // Columns without any value are left out.
  const shown = wide ? chosen : chosen.filter((name) => entries.some((entry) => !isBlank(entry[name])))
  const cells = entries.map((entry) =>
    shown.map((name) => toText(entry[name], propertyOf(schema, name), wide)),
  )
  return toTable(
    shown.map((name, index) => ({
      name,
      isNumber: isNumeric(propertyOf(schema, name)),
      isId: shortensIds && cells.every((row) => idForm.test(row[index] ?? "")),
      isExtra: !wide && moreColumns.includes(name),
    })),
    cells,
    { width: wide ? null : width, colours },
  )
}

/** An id, an actor such as `admin-key:adm_…`, or nothing. */
const idForm = /^(?:-|(?:[a-z-]+:)?[a-z]{3,4}_\w{8,})$/

/** The schema of a value, also of one in a nested object: `mails.pending`. */
function propertyOf(schema: TSchema | undefined, path: string): TSchema | undefined {
  const inner = anyOf(schema).find((one) => KindGuard.IsObject(one))
  if (!KindGuard.IsObject(inner)) return undefined
  const [name = "", ...rest] = path in inner.properties ? [path] : path.split(".")
  const property = inner.properties[name]
  return rest.length === 0 ? property : propertyOf(property, rest.join("."))
}

function isBlank(value: unknown): boolean {
  if (value === null || value === undefined || value === "") return true
  return typeof value === "object" && Object.keys(value).length === 0
}

/**
 * A value in a table: a short time in UTC unless `wide`, amounts with separators. Ports, versions and other settings have none.
 */
function toText(value: unknown, schema: TSchema | undefined, isFull: boolean): string {
  if (isBlank(value)) return "-"
  if (typeof value === "number")
    return value.toLocaleString("en-US", { maximumFractionDigits: 20, useGrouping: isAmount(schema) })
  if (typeof value === "string" && !isFull && isTime(schema))
    return value.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d).*Z$/, "$1 $2")
  if (Array.isArray(value)) return escapeHidden(value.map(toItem).join(","))
  return escapeHidden(toItem(value))
}

function toItem(value: unknown): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value)
}

function isTime(schema: TSchema | undefined): boolean {
  return anyOf(schema).some(({ format }) => format === "date-time")
}

function isNumeric(schema: TSchema | undefined): boolean {
  return anyOf(schema).some(({ type }) => type === "integer" || type === "number")
}

function isAmount(schema: TSchema | undefined): boolean {
  return isNumeric(schema) && !anyOf(schema).some((one) => one["x-ungrouped"] === true)
}

/** The alternatives of a schema, or the schema itself. */
function anyOf(schema: TSchema | undefined): readonly TSchema[] {
  if (!schema) return []
  return Array.isArray(schema.anyOf) ? schema.anyOf : [schema]
}
