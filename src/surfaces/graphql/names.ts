/** The root field of an API: its id in lower case without hyphens. */
export function toRootField(id: string): string {
  return id.toLowerCase().replaceAll("-", "")
}

/**
 * The GraphQL name of a parameter or result field: `-+:./\` become underscores, other characters that a name cannot have are
 * dropped, and a digit at the start gets an underscore before it.
 */
export function toFieldName(name: string): string {
  const normal = name.replace(/[-+:./\\]/g, "_").replace(/[^A-Za-z0-9_]/g, "")
  return /^\d/.test(normal) ? `_${normal}` : normal
}

/** A type's name from the path to its use: `("spfvalidator", "authorized_ips")` → `SpfvalidatorAuthorizedIps`. */
export function toTypeName(...path: readonly string[]): string {
  return path
    .flatMap((part) => part.split(/[^A-Za-z0-9]+/))
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("")
}

/**
 * Object members under their GraphQL names, each with its original name.
 * @throws Error when two names become the same, or a name becomes empty
 */
export function toFields<T>(members: Readonly<Record<string, T>>): ReadonlyMap<string, [string, T]> {
  const fields = new Map<string, [string, T]>()
  for (const [original, member] of Object.entries(members)) {
    const name = toFieldName(original)
    const other = fields.get(name)?.[0]
    if (name === "") throw new Error(`'${original}' has no name in GraphQL`)
    if (other !== undefined) throw new Error(`'${other}' and '${original}' are both '${name}' in GraphQL`)
    fields.set(name, [original, member])
  }
  return fields
}
