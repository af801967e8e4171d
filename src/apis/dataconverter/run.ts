import { pointerTo } from "../../values/json-value.ts"
import { type RunOf, reject } from "../contract.ts"
import type { dataconverter } from "./index.ts"
import type { CsvForm } from "./read-csv.ts"
import { isList, isObject, Notes, Numeral, placeAt, placeText, type Value } from "./values.ts"

export type Format = "json" | "yaml" | "xml" | "csv" | "toml"

export const run: RunOf<typeof dataconverter> = async ({
  text,
  from,
  to,
  delimiter = "comma",
  short_rows = "refuse",
}) => {
  const lone = text.search(/\p{Surrogate}/u)
  if (lone >= 0)
    reject(
      "text",
      `must be Unicode text, without half of a surrogate pair at ${placeText(placeAt(text, lone))}`,
    )
  const notes = new Notes()
  const read = await readers[from]()
  const form = { delimiter: delimiters[delimiter], fillsRows: short_rows === "fill" }
  const value = read(text.replace(/^\ufeff/, ""), notes, form)
  const write = await writers[to]()
  const written = write(check(value, notes, to === "json"), notes, form)
  return { text: written, problems: notes.toList() }
}

const readers: Readonly<Record<Format, () => Promise<(text: string, notes: Notes, form: CsvForm) => Value>>> =
  {
    json: async () => (await import("./read-json.ts")).readJson,
    yaml: async () => (await import("./read-yaml.ts")).readYaml,
    xml: async () => (await import("./read-xml.ts")).readXml,
    csv: async () => (await import("./read-csv.ts")).readCsv,
    toml: async () => (await import("./read-toml.ts")).readToml,
  }

const writers: Readonly<
  Record<Format, () => Promise<(value: Value, notes: Notes, form: CsvForm) => string>>
> = {
  json: async () => (await import("./write-json.ts")).writeJson,
  yaml: async () => (await import("./write-yaml.ts")).writeYaml,
  xml: async () => (await import("./write-xml.ts")).writeXml,
  csv: async () => (await import("./write-csv.ts")).writeCsv,
  toml: async () => (await import("./write-toml.ts")).writeToml,
}

const delimiters = { comma: ",", semicolon: ";", tab: "\t" } as const

/** Replaces halves of surrogate pairs, which only JSON can express, and notes numbers that most programs cannot hold. */
function check(value: Value, notes: Notes, isJson: boolean, where = ""): Value {
  const clean = (text: string, at: string) => {
    if (isJson || text.isWellFormed()) return text
    notes.add("characters", at)
    return text.toWellFormed()
  }
  if (typeof value === "string") return clean(value, where)
  if (value instanceof Numeral && value.isHuge) notes.add("huge_numbers", where)
  if (isList(value)) return value.map((item, index) => check(item, notes, isJson, pointerTo(where, index)))
  if (!isObject(value)) return value
  const object = new Map<string, Value>()
  for (const [key, item] of value) {
    const at = pointerTo(where, key)
    const name = clean(key, at)
    if (object.has(name))
      reject(
        "text",
        `must not have keys that differ only in halves of surrogate pairs, as at ${at.slice(0, 200)}`,
      )
    object.set(name, check(item, notes, isJson, at))
  }
  return object
}
