import { type ScalarTag, stringify } from "yaml"
import type { Envelope } from "./envelope.ts"
import { createEscape } from "./escape.ts"

/** Block-style YAML that YAML 1.1 and YAML 1.2 load as the same value. Each scalar is one line; no anchors, aliases or tags. */
export function encodeYaml(envelope: Envelope): string {
  return stringify(envelope, options)
}

/** The lines of an item of a list in `data`. Every scalar is one line, so each line can be indented. */
export function encodeYamlItem(_name: string, item: unknown): string {
  return stringify([item], options).replace(/^(?=.)/gm, "    ")
}

const stringTag: ScalarTag = {
  tag: "tag:yaml.org,2002:str",
  default: true,
  identify: (value) => typeof value === "string",
  resolve: (text) => text,
  stringify: ({ value }) => toYamlScalar(String(value)),
}

const numberTag: ScalarTag = {
  tag: "tag:yaml.org,2002:float",
  default: true,
  identify: (value) => typeof value === "number",
  resolve: Number,
  stringify: ({ value }) => toNumber(String(value)),
}

const tags = ["map" as const, "seq" as const, "bool" as const, "null" as const, stringTag, numberTag]
const options = { customTags: () => tags, aliasDuplicateObjects: false, directives: false }

/**
 * A string stays plain when every reader takes it for a string: it begins with a letter, and is not a word for null, a
 * boolean, a number or an exponent (`e10`). Other strings are double-quoted.
 */
export function toYamlScalar(text: string): string {
  return plain.test(text) && !keyword.test(text) ? text : toDoubleQuoted(text)
}

const plain = /^[A-Za-z](?:[\w ./@+()-]*[\w./@+()-])?$/
const keyword = /^(?:y|n|yes|no|on|off|true|false|null|nan|inf(?:inity)?|e[-+]?[\d_]+)$/i

/**
 * A JSON string is a YAML double-quoted scalar, except that YAML readers refuse or change DEL, C1 controls, the line breaks
 * U+2028 and U+2029 (YAML 1.1 §5.4), and U+FEFF, U+FFFE and U+FFFF (YAML 1.2.2 §5.1). libyaml refuses lone surrogates.
 */
function toDoubleQuoted(text: string): string {
  const quoted = JSON.stringify(text.toWellFormed())
  return unprintable.test(quoted) ? escapeUnprintable(quoted) : quoted
}

const unprintable = /[\x7F-\x9F\u2028\u2029\uFEFF\uFFFE\uFFFF]/

const escapeUnprintable = createEscape(
  [...Array.from({ length: 0x21 }, (_, index) => 0x7f + index), 0x2028, 0x2029, 0xfeff, 0xfffe, 0xffff].map(
    (unit) => [String.fromCharCode(unit), `\\u${unit.toString(16).padStart(4, "0")}`] as const,
  ),
)

/** YAML 1.1 reads `1e+21` as a string, since a float needs the point; both versions read `1.0e+21` as a number. */
function toNumber(digits: string): string {
  return digits.replace(/^(-?\d+)e/, "$1.0e")
}
