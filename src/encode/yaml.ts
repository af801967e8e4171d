import { type ScalarTag, stringify } from "yaml"
import type { Envelope, ListPart } from "./envelope.ts"

/**
 * Block-style YAML that readers of YAML 1.1 and of YAML 1.2 load as the same value. One line for each scalar, no
 * anchors, aliases or tags.
 */
export function encodeYaml(envelope: Envelope): string {
  return stringify(envelope, options)
}

/** The lines of some items of a list in `data`. */
export function encodeYamlItems({ items }: ListPart): string {
  // No scalar has more than one line, so that every line begin is that of an item or a member.
  return stringify(items, options).replace(/^(?=.)/gm, "    ")
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
 * Strings that no reader takes for anything else stay plain: they begin with a letter, so they are no number, date,
 * `=`, `<<` or indicator, and are neither a word for null, a boolean or a number nor an exponent (`e10`, which some
 * readers take for a float). All others are double-quoted.
 */
export function toYamlScalar(text: string): string {
  return plain.test(text) && !keyword.test(text) ? text : toDoubleQuoted(text)
}

const plain = /^[A-Za-z](?:[\w ./@+()-]*[\w./@+()-])?$/
const keyword = /^(?:y|n|yes|no|on|off|true|false|null|nan|inf(?:inity)?|e[-+]?[\d_]+)$/i

/**
 * A JSON string is a YAML double-quoted scalar but for what YAML readers refuse or change when it stands there
 * unescaped: DEL and C1 controls, NEL, U+2028 and U+2029 (line breaks to YAML 1.1 §5.4), U+FEFF, U+FFFE, U+FFFF
 * (YAML 1.2.2 §5.1). An escaped lone surrogate would make libyaml refuse the whole document.
 */
function toDoubleQuoted(text: string): string {
  return JSON.stringify(text.toWellFormed()).replace(
    unprintable,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  )
}

const unprintable = /[\x7F-\x9F\u2028\u2029\uFEFF\uFFFE\uFFFF]/g

/** `1e+21` is a string to YAML 1.1 (float: needs the point); `1.0e+21` is a number to both. */
function toNumber(digits: string): string {
  return digits.replace(/^(-?\d+)e/, "$1.0e")
}
