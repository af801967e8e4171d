import { encodeCsv } from "./csv.ts"
import type { Envelope } from "./envelope.ts"
import { encodeJson } from "./json.ts"
import { type Encoded, toWhole } from "./tree.ts"
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
