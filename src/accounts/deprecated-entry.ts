/** What of an API is deprecated: all of it, a parameter or a field of the answer. Fields inside others have a path, `rate.value`. */
export type DeprecatedPart = "api" | `parameter ${string}` | `field ${string}`

/**
 * Names the use of something deprecated: `hmac:api`, `hmac:parameter.key`, `hmac:field.rate.value`. It is recorded beside the usage of
 * the API, with the calls and no credits. Ids of APIs have no colon.
 */
export function deprecatedEntry(api: string, part: DeprecatedPart): string {
  return `${api}:${part.replace(" ", ".")}`
}

/** The API and the part of {@link deprecatedEntry}; null for the usage of an API. */
export function splitDeprecatedEntry(
  name: string,
): { readonly api: string; readonly part: DeprecatedPart } | null {
  const end = name.indexOf(":")
  if (end < 0) return null
  const part = name.slice(end + 1).replace(".", " ")
  return { api: name.slice(0, end), part: part as DeprecatedPart }
}
