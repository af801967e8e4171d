import { LRUCache } from "lru-cache"
import Negotiator from "negotiator"
import { type Format, formats } from "./formats.ts"

/**
 * The format that an `Accept` header asks for (RFC 9110 §12.5.1): the highest weight wins, then the more specific range, then the
 * type named first. `json` without a header or a match, and for browsers, which name `text/html`. Takes linear time.
 */
export function negotiate(accept: string | null): Format {
  return accept === null ? "json" : known.memo(accept)
}

/** The media types of each format. The first ones match a wildcard. */
const mediaTypes: ReadonlyMap<string, Format> = new Map([
  ["application/json", "json"],
  ["application/xml", "xml"],
  ["application/yaml", "yaml"],
  ["text/csv", "csv"],
  ["text/xml", "xml"],
  ["application/x-yaml", "yaml"],
  ["text/yaml", "yaml"],
])

/** Every media type that an answer can have. */
export const mediaTypeNames: readonly string[] = [...mediaTypes.keys()]

/** Clients repeat their header. Finding it here takes 0.1 µs, reading it 2 µs or more. */
const known = new LRUCache<string, Format>({ max: 100, memoMethod: readFormat })

function readFormat(accept: string): Format {
  const text = accept.toLowerCase()
  // A browser that opens an address names HTML, then XML. People read JSON more easily.
  if (text.includes("text/html")) return "json"
  const types = [...mediaTypes.keys()].filter((type, index) => index < formats.length || text.includes(type))
  return mediaTypes.get(preferredType(text, types) ?? "") ?? "json"
}

/** The one of `types` that an `Accept` header prefers, by the rules of {@link negotiate}; undefined when it accepts none. */
export function preferredType(accept: string, types: readonly string[]): string | undefined {
  return new Negotiator({ headers: { accept: accept.replace(parameter, toWeight) } }).mediaType(types)
}

/** A parameter of a media range. A quoted value may hold separators (RFC 9110 §5.6.4). */
const parameter = /;[^;,"]*(?:"(?:[^"\\]|\\.)*"?[^;,"]*)*/g
/** RFC 9110 §12.4.2, but with any number of decimals. */
const weight = /^;[ \t]*q=(?:0(?:\.\d*)?|1(?:\.0*)?)[ \t]*$/i

/** Parameters other than the weight do not matter here; a range with a malformed weight is not accepted. */
function toWeight(text: string): string {
  if (weight.test(text)) return text
  return /^;[ \t]*q=/i.test(text) ? ";q=0" : ""
}
