import type { TextInput, TextParameter } from "../../call/input.ts"

const empty: TextInput = { kind: "text", parameters: [] }

/**
 * Reads the query string of a URL (`application/x-www-form-urlencoded`). URLSearchParams turns a broken escape into U+FFFD or keeps
 * it, so that an API would compute with the mistake; here the parameter's text is null. A name that cannot be read is left out.
 */
export function parseQuery(url: string): TextInput {
  let start = url.indexOf("?") + 1
  if (start === 0) return empty
  const parameters: TextParameter[] = []
  while (start < url.length) {
    const next = url.indexOf("&", start)
    const end = next === -1 ? url.length : next
    if (end > start) {
      const pair = url.slice(start, end)
      const equals = pair.indexOf("=")
      const name = decode(equals === -1 ? pair : pair.slice(0, equals))
      if (name !== null) parameters.push({ name, text: equals === -1 ? "" : decode(pair.slice(equals + 1)) })
    }
    start = end + 1
  }
  return { kind: "text", parameters }
}

/** Null when the text is not percent-encoded UTF-8. */
function decode(text: string): string | null {
  if (!text.includes("%") && !text.includes("+")) return text
  try {
    return decodeURIComponent(text.replaceAll("+", " "))
  } catch {
    return null
  }
}
