import type { TObject, TSchema } from "@sinclair/typebox"
import { readEmail } from "../../../accounts/email.ts"
import type { CsvTable } from "./csv-file.ts"
import type { LineMistake } from "./import-refused.ts"

/** An entry of a list, as a line of a file has it. */
export interface Line {
  readonly line: number
  readonly values: Readonly<Record<string, unknown>>
}

/** What no two accounts may have. */
const uniqueColumns = ["email", "external_id"]

/** Reads the cells of a table by the schema of an entry, and finds the lines that have what an earlier line has. */
export async function readLines(
  { columns, rows, mistakes }: CsvTable,
  { properties }: TObject,
): Promise<{ readonly lines: readonly Line[]; readonly mistakes: readonly LineMistake[] }> {
  const unreadable: LineMistake[] = []
  const lines = rows.map(({ line, cells }): Line => {
    const values: Record<string, unknown> = {}
    for (const [index, name] of columns.entries()) {
      const value = readCell(cells[index] ?? "", properties[name])
      if (value === bad) unreadable.push({ line, column: name, detail: `Write ${jsonOf(properties[name])}.` })
      else if (value !== "") values[name] = value
    }
    return { line, values }
  })
  return { lines, mistakes: [...mistakes, ...unreadable, ...(await repeated(lines))] }
}

/** How many lines have nothing that is unique: their accounts are known again only by an Idempotency-Key. */
export function countNameless(lines: readonly Line[]): number {
  return lines.filter(({ values }) => uniqueColumns.every((name) => values[name] === undefined)).length
}

async function repeated(lines: readonly Line[]): Promise<readonly LineMistake[]> {
  const mistakes: LineMistake[] = []
  for (const column of uniqueColumns) {
    const seen = new Map<string, number>()
    for (const { line, values } of lines) {
      const given = values[column]
      if (typeof given !== "string") continue
      const text = column === "email" ? await readEmail(given.trim()) : given
      if (text === null) continue
      const earlier = seen.get(text)
      if (earlier === undefined) seen.set(text, line)
      else mistakes.push({ line, column, detail: `Line ${earlier} has this one too.` })
    }
  }
  return mistakes
}

/** A cell that cannot be read. */
const bad = Symbol("bad")

/** Texts are written as they are, everything else as JSON, as in the CSV of lists. */
function readCell(cell: string, schema: TSchema | undefined): unknown {
  if (cell === "" || schema?.type === "string") return cell
  try {
    return JSON.parse(cell)
  } catch {
    return bad
  }
}

function jsonOf(schema: TSchema | undefined): string {
  return schema?.type === "array" ? `a list as JSON, such as ["a","b"]` : `JSON, such as {"team": "blue"}`
}
