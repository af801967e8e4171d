/** The fields that a change sets, with their values before and after, for the audit log. */
export function changedFields<T extends object>(row: T, set: Partial<T>) {
  const before: Record<string, unknown> = {}
  for (const name of Object.keys(set)) before[name] = Reflect.get(row, name)
  return { before, after: { ...set } }
}
