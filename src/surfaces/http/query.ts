/** The query string of a URL: decoded values by name, in order. */
export interface Query {
  readonly values: ReadonlyMap<string, readonly string[]>
  /** The first parameter that is not percent-encoded UTF-8, or null. Its value is not in `values`. */
  readonly malformed: string | null
}

const empty: Query = { values: new Map(), malformed: null }

/**
 * Reads `application/x-www-form-urlencoded` text after the `?`. Stricter than URLSearchParams, which turns a broken
 * escape into U+FFFD or leaves it as it stands, so that a mistake would be computed with instead of being refused.
 */
export function parseQuery(url: string): Query {
  const start = url.indexOf("?")
  if (start === -1 || start === url.length - 1) return empty
  const values = new Map<string, string[]>()
  let malformed: string | null = null
  for (const pair of url.slice(start + 1).split("&")) {
    if (pair === "") continue
    const equals = pair.indexOf("=")
    const name = decode(equals === -1 ? pair : pair.slice(0, equals))
    const value = equals === -1 ? "" : decode(pair.slice(equals + 1))
    if (name === null || value === null) {
      malformed ??= name ?? "query"
      continue
    }
    const before = values.get(name)
    if (before) before.push(value)
    else values.set(name, [value])
  }
  return { values, malformed }
}

function decode(text: string): string | null {
  if (!text.includes("%") && !text.includes("+")) return text
  try {
    return decodeURIComponent(text.replaceAll("+", " "))
  } catch {
    return null
  }
}
