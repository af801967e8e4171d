import { KindGuard, type TSchema } from "@sinclair/typebox"

/**
 * The columns of a list's table, in the order of the schema. Optional fields, such as the columns of usage, are included if the
 * first entry has them.
 */
export function listColumns(entry: TSchema, first: object | undefined): readonly string[] {
  if (!KindGuard.IsObject(entry)) return []
  const required = entry.required ?? []
  return Object.keys(entry.properties).filter(
    (name) => required.includes(name) || (first !== undefined && name in first),
  )
}
