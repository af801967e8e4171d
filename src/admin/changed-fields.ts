/** Returns which of the named fields differ, with their values before and after, for the audit log. */
export function changedFields<T extends object>(before: T, after: T, names: readonly string[]) {
  const changed = names.filter(
    (name) => JSON.stringify(Reflect.get(before, name)) !== JSON.stringify(Reflect.get(after, name)),
  )
  return { before: pick(before, changed), after: pick(after, changed) }
}

/** The named fields of a record. */
export function pick(record: object, names: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(names.map((name): [string, unknown] => [name, Reflect.get(record, name)]))
}
