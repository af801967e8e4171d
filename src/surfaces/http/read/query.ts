import type { TextInput, TextParameter } from "../../../call/input.ts"
import { httpLimits } from "./limits.ts"

const { queryParameters: maxParameters } = httpLimits

/** The parameters of a query string. */
export interface Query extends TextInput {
  /** Whether there are more than are read: the request has to be refused. */
  readonly isCut: boolean
}

const empty: Query = { kind: "text", parameters: [], isCut: false }

/**
 * Reads a URL's query string (`application/x-www-form-urlencoded`). A text with a broken escape, which URLSearchParams would
 * change or keep, becomes null. A name that cannot be read is left out.
 */
export function parseQuery(url: string): Query {
  let start = url.indexOf("?") + 1
  if (start === 0) return empty
  const parameters: TextParameter[] = []
  let count = 0
  while (start < url.length && count <= maxParameters) {
    const next = url.indexOf("&", start)
    const end = next === -1 ? url.length : next
    if (end > start && ++count <= maxParameters) {
      const pair = url.slice(start, end)
      const equals = pair.indexOf("=")
      const name = decode(equals === -1 ? pair : pair.slice(0, equals))
      if (name !== null) parameters.push({ name, text: equals === -1 ? "" : decode(pair.slice(equals + 1)) })
    }
    start = end + 1
  }
  return { kind: "text", parameters, isCut: count > maxParameters }
}

/** A part of a query string, in which a plus is a space; null when it is not percent-encoded UTF-8. */
function decode(text: string): string | null {
  const spaced = text.includes("+") ? text.replaceAll("+", " ") : text
  if (!spaced.includes("%")) return spaced
  try {
    return decodeURIComponent(spaced)
  } catch {
    return null
  }
}
