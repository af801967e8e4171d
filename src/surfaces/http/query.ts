/** The query string of a URL: decoded values by name, in order. */
export interface Query {
  readonly values: ReadonlyMap<string, readonly string[]>
  /** Parameters with a value that is not percent-encoded UTF-8; that value is not in `values`. */
  readonly malformed: ReadonlySet<string>
}

const empty: Query = { values: new Map(), malformed: new Set() }

/**
 * Reads `application/x-www-form-urlencoded` text after the `?`. Stricter than URLSearchParams, which turns a broken
 * escape into U+FFFD or leaves it as it stands, so that a mistake would be computed with instead of being refused.
 */
export function parseQuery(url: string): Query {
  const start = url.indexOf("?")
  if (start === -1 || start === url.length - 1) return empty
  const values = new Map<string, string[]>()
  const malformed = new Set<string>()
  for (const pair of url.slice(start + 1).split("&")) {
    if (pair === "") continue
    const equals = pair.indexOf("=")
    const name = decode(equals === -1 ? pair : pair.slice(0, equals))
    const value = equals === -1 ? "" : decode(pair.slice(equals + 1))
    if (name === null || value === null) {
      // A name that cannot be read is nobody's parameter, and those are ignored.
      if (name !== null) malformed.add(name)
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
