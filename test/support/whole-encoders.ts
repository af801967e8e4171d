import { XMLBuilder } from "fast-xml-parser"
import { type ScalarTag, stringify } from "yaml"
import type { Format } from "../../src/encode/formats.ts"
import type { Envelope } from "../../src/encode/tree.ts"
import { toYamlScalar } from "../../src/encode/yaml.ts"

/** The formats written by well-known libraries, all at once, as a reference. Only scalars of YAML are our own. */
export const encodeWhole: Readonly<Record<Format, (envelope: Envelope) => string>> = {
  json: (envelope) => JSON.stringify(envelope),
  xml({ status, error, data }) {
    const content = { status, error: toNode("error", error), data: toNode("data", data) }
    return `<?xml version="1.0" encoding="UTF-8"?>${xml.build({ response: { ...namespace, ...content } })}`
  },
  yaml: (envelope) => stringify(envelope, yamlOptions),
  csv({ status, error, data }) {
    const rows = leavesOf(status === "error" ? { status, error } : data)
    return `key,value\r\n${rows.map(([key, value]) => `${toField(key)},${value === null ? "" : toField(value)}\r\n`).join("")}`
  },
}

const namespace = { "@xmlns:xsi": "http://www.w3.org/2001/XMLSchema-instance" }
const xml = new XMLBuilder({
  attributeNamePrefix: "@",
  ignoreAttributes: false,
  suppressBooleanAttributes: false,
  suppressEmptyNode: true,
  maxNestedTags: 0,
  processEntities: false,
  tagValueProcessor: (_name, value) => (typeof value === "string" ? toCharacterData(value) : String(value)),
})

function toNode(name: string, value: unknown): unknown {
  if (value === null) return { "@xsi:nil": "true" }
  if (Array.isArray(value)) {
    return value.map((item) => (Array.isArray(item) ? { [name]: toNode(name, item) } : toNode(name, item)))
  }
  if (typeof value !== "object") return typeof value === "number" ? String(value) : value
  const members = Object.entries(value).map(([key, member]) => {
    const memberName = /^\d/.test(key) ? `_${key}` : key
    return [memberName, toNode(memberName, member)]
  })
  return Object.fromEntries(members)
}

const names: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#xD;" }

const toCharacterData = (text: string): string =>
  text.replace(
    /[&<>]|[^\t\n -\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu,
    (character) => names[character] ?? "\uFFFD",
  )

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
  stringify: ({ value }) => String(value).replace(/^(-?\d+)e/, "$1.0e"),
}
const tags = ["map" as const, "seq" as const, "bool" as const, "null" as const, stringTag, numberTag]
const yamlOptions = { customTags: () => tags, aliasDuplicateObjects: false, directives: false }

/** The path and the text of each value that is neither an object nor a list. */
function leavesOf(value: unknown, path = ""): [string, string | null][] {
  if (typeof value !== "object" || value === null) return [[path, value === null ? null : String(value)]]
  const toPath = (key: string) => (Array.isArray(value) ? `${path}[${key}]` : `${path && `${path}.`}${key}`)
  return Object.entries(value).flatMap(([key, member]) => leavesOf(member, toPath(key)))
}

function toField(text: string): string {
  const field = text.toWellFormed()
  return field === "" || field.trim() !== field || /[",\r\n]/.test(field)
    ? `"${field.replaceAll('"', '""')}"`
    : field
}
