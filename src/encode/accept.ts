import type { Format } from "./formats.ts"

/**
 * The format that an `Accept` header asks for (RFC 9110 §12.5.1); null is no header. The highest weight wins, then the
 * more specific range, then the type named first; among the types of one wildcard, the order of {@link mediaTypes}.
 * Never throws, takes time linear in the header's length, and answers `json` to whatever it cannot satisfy or read.
 */
export function negotiate(accept: string | null): Format {
  if (accept === null || accept === "" || accept === "*/*") return "json"
  return mediaTypes.get(accept) ?? weigh(readRanges(accept))
}

const mediaTypes: ReadonlyMap<string, Format> = new Map([
  ["application/json", "json"],
  ["application/xml", "xml"],
  ["application/yaml", "yaml"],
  ["text/csv", "csv"],
  ["text/xml", "xml"],
  ["application/x-yaml", "yaml"],
  ["text/yaml", "yaml"],
])

/**
 * What each media range finds. A wildcard stands only for the types that answers are really sent as, so `text/*` is
 * not answered with `application/xml`.
 */
const wildcards: ReadonlyMap<string, readonly string[]> = new Map([
  ["application/*", ["application/json", "application/xml", "application/yaml"]],
  ["text/*", ["text/csv"]],
  ["*/*", ["application/json", "application/xml", "application/yaml", "text/csv"]],
])

/** Gives each media type the weight of the most specific range that matches it; the best type wins. */
function weigh(ranges: ReadonlyMap<string, number>): Format {
  const settled = new Set<string>()
  let best: Format = "json"
  let bestWeight = 0
  for (const [range, type] of bySpecificity(ranges)) {
    const weight = ranges.get(range) ?? 0
    if (!settled.has(type) && weight > bestWeight) {
      best = mediaTypes.get(type) ?? "json"
      bestWeight = weight
    }
    settled.add(type)
  }
  return best
}

/** Pairs of range and media type: exact ones in the header's order, then those with a wildcard. */
function* bySpecificity(ranges: ReadonlyMap<string, number>): Generator<readonly [string, string]> {
  for (const range of ranges.keys()) if (mediaTypes.has(range)) yield [range, range]
  for (const [range, types] of wildcards) {
    if (ranges.has(range)) for (const type of types) yield [range, type]
  }
}

/** Weight by media range, lower-cased. Parameters but `q` are passed over; of equal ranges the highest weight counts. */
export function readRanges(accept: string): Map<string, number> {
  const ranges = new Map<string, number>()
  for (const element of splitUnquoted(accept, ",")) {
    const [range = "", ...parameters] = splitUnquoted(element, ";").map((part) => part.trim().toLowerCase())
    const weight = readWeight(parameters)
    if (weight !== null) ranges.set(range, Math.max(weight, ranges.get(range) ?? 0))
  }
  return ranges
}

/** 1 without a `q`; null for one that is no qvalue (§12.4.2), except that any number of decimals will do. */
function readWeight(parameters: readonly string[]): number | null {
  const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2)
  if (weight === undefined) return 1
  return /^(?:0(?:\.\d*)?|1(?:\.0*)?)$/.test(weight) ? Number(weight) : null
}

/** Splits at a separator that stands outside quoted strings (§5.6.4). */
function splitUnquoted(text: string, separator: string): string[] {
  if (!text.includes('"')) return text.split(separator)
  const parts: string[] = []
  let start = 0
  let quoted = false
  for (let index = 0; index < text.length; index++) {
    const character = text[index]
    if (quoted && character === "\\") index++
    else if (character === '"') quoted = !quoted
    else if (character === separator && !quoted) {
      parts.push(text.slice(start, index))
      start = index + 1
    }
  }
  parts.push(text.slice(start))
  return parts
}
