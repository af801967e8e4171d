/** A deprecated part of an API: all of it, a parameter or a field of the answer. A nested field has a path, `rate.value`. */
export type DeprecatedPart = "api" | `parameter ${string}` | `field ${string}`

/**
 * Returns the usage entry of a deprecated part: `hmac:api`, `hmac:parameter.key`, `hmac:field.rate.value`. It is recorded with
 * the API's usage, with the calls and no credits. Ids of APIs have no colon.
 */
export function deprecatedEntry(api: string, part: DeprecatedPart): string {
  return `${api}:${part.replace(" ", ".")}`
}

/** Reads what {@link deprecatedEntry} returns; null for an API's own usage. */
export function splitDeprecatedEntry(name: string) {
  const end = name.indexOf(":")
  if (end < 0) return null
  const part = name.slice(end + 1).replace(".", " ")
  return { api: name.slice(0, end), part: part as DeprecatedPart }
}
