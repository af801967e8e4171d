import { LRUCache } from "lru-cache"
import Negotiator from "negotiator"
import { encodeCsv } from "./csv.ts"
import { encodeJson } from "./json.ts"
import { type Encoded, type Envelope, toWhole } from "./tree.ts"
import { encodeXml } from "./xml.ts"
import { encodeYaml } from "./yaml.ts"

/** The formats of an answer, the default first. */
export const formats = ["json", "xml", "yaml", "csv"] as const

/** A response format. */
export type Format = (typeof formats)[number]

/** Whether a text is the name of a format, in lower case. */
export function isFormat(text: string): text is Format {
  return formats.some((format) => format === text)
}

/** The `Content-Type` of each format: RFC 8259 §11, RFC 7303 §9.1, RFC 9512 §2.1, RFC 4180 §3. All are UTF-8. */
export const contentTypes: Readonly<Record<Format, string>> = {
  json: "application/json",
  xml: "application/xml; charset=utf-8",
  yaml: "application/yaml",
  csv: "text/csv; charset=utf-8; header=present",
}

const encoders: Readonly<Record<Format, (envelope: Envelope) => Encoded>> = {
  json: encodeJson,
  xml: encodeXml,
  yaml: encodeYaml,
  csv: encodeCsv,
}

/** Writes an envelope as text. JSON keeps a lone surrogate as an escape, the other formats write U+FFFD instead. */
export function encodeEnvelope(format: Format, envelope: Envelope): string {
  return toWhole(encodeInPieces(format, envelope))
}

/** {@link encodeEnvelope} for envelopes that may be large. */
export function encodeInPieces(format: Format, envelope: Envelope): Encoded {
  return encoders[format](envelope)
}

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
