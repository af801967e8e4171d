import { yamlEscapes } from "../values/yaml-escapes.ts"
import { createEscape } from "./escape.ts"
import { type Encoded, type Envelope, encodeTree, type Layout, type Place } from "./tree.ts"

/** Block-style YAML that YAML 1.1 and YAML 1.2 load as the same value. Each scalar is one line; no anchors, aliases or tags. */
export function encodeYaml({ status, error, data }: Envelope): Encoded {
  return encodeTree(yamlLayout, { status, error, data }, { text: "", isItem: true, depth: 0 })
}

/**
 * The text of a place is the begun line: its indent, then a dash or a name. The content of a list item begins on the same line.
 */
export const yamlLayout: Layout = {
  isAbsent: (member) => member === undefined,
  begin: ({ text, isItem }) => (isItem ? "" : `${text}\n`),
  end: () => "",
  empty: (place, isList) => `${lineBegin(place)}${isList ? "[]" : "{}"}\n`,
  member: (parent, name, isFirst) =>
    `${isFirst && parent.isItem ? parent.text : indentOf(parent)}${toYamlScalar(name)}:`,
  item: (parent, index) => `${index === 0 && parent.isItem ? parent.text : indentOf(parent)}- `,
  scalar(place, value) {
    const text = typeof value === "string" ? toYamlScalar(value) : toPlain(value)
    return `${lineBegin(place)}${text}\n`
  },
  longText(place, text) {
    const begin = lineBegin(place)
    return isPlain(text)
      ? { before: begin, escape: (part) => part, after: "\n" }
      : { before: `${begin}"`, escape: escapeQuoted, after: '"\n' }
  },
}

function lineBegin({ text, isItem }: Place): string {
  return isItem ? text : `${text} `
}

function indentOf({ depth }: Place): string {
  return "  ".repeat(depth)
}

/** YAML 1.1 reads `1e+21` as a string, since a float needs the point; both versions read `1.0e+21` as a number. */
function toPlain(value: unknown): string {
  return String(value).replace(/^(-?\d+)e/, "$1.0e")
}

/**
 * A string stays plain when every reader takes it for a string: it begins with a letter, and is not a word for null, a
 * boolean, a number or an exponent (`e10`). Other strings are double-quoted.
 */
export function toYamlScalar(text: string): string {
  return isPlain(text) ? text : `"${escapeQuoted(text)}"`
}

function isPlain(text: string): boolean {
  return plain.test(text) && !keyword.test(text)
}

const plain = /^[A-Za-z](?:[\w ./@+()-]*[\w./@+()-])?$/
const keyword = /^(?:y|n|yes|no|on|off|true|false|null|nan|inf(?:inity)?|e[-+]?[\d_]+)$/i

/**
 * A JSON string is a YAML double-quoted scalar, except that YAML readers refuse or change DEL, C1 controls, the line breaks
 * U+2028 and U+2029 (YAML 1.1 §5.4), and U+FEFF, U+FFFE and U+FFFF (YAML 1.2.2 §5.1). libyaml refuses lone surrogates.
 */
function escapeQuoted(text: string): string {
  if (unchanged.test(text)) return text
  const quoted = JSON.stringify(text.toWellFormed()).slice(1, -1)
  return quoted.search(yamlEscapes) >= 0 ? escapeUnprintable(quoted) : quoted
}

/** Printable ASCII except for the quote and the backslash. */
const unchanged = /^[ !#-[\]-~]*$/

const escapeUnprintable = createEscape(
  [...Array.from({ length: 0x21 }, (_, index) => 0x7f + index), 0x2028, 0x2029, 0xfeff, 0xfffe, 0xffff].map(
    (unit) => [String.fromCharCode(unit), `\\u${unit.toString(16).padStart(4, "0")}`] as const,
  ),
)
