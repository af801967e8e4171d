export type Value = string | number | null

/**
 * The assignments of an UPDATE for the fields that are given, such as `name = $name`, and their values.
 * @param columns the column of each field
 * @returns null when no field is given
 */
export function toAssignments(
  columns: Readonly<Record<string, string>>,
  fields: Readonly<Record<string, Value | undefined>>,
): { readonly sql: string; readonly values: Record<string, Value> } | null {
  const given = Object.entries(columns).filter(([field]) => fields[field] !== undefined)
  if (given.length === 0) return null
  return {
    sql: given.map(([field, column]) => `${column} = $${field}`).join(", "),
    values: Object.fromEntries(given.map(([field]) => [field, fields[field] ?? null])),
  }
}
