/**
 * Writes the built-in list of Bluetooth companies: `bun run data:bluetooth FILE DATE`. FILE is a JSON list of {code, name}, the
 * SIG's company_identifiers.yaml, in YAML or JSON. DATE is the date of the list: 2026-01, or 2026-01-31.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { resolve } from "node:path"
import { type Companies, readCompanies } from "../src/apis/bluetoothlookup/company-list.ts"
import { readListDate } from "../src/values/data-list.ts"

const target = resolve(import.meta.dir, "../src/apis/bluetoothlookup/companies.json")

const [file, date] = process.argv.slice(2)
if (file === undefined || date === undefined) {
  console.error("Usage: bun run data:bluetooth FILE DATE, for example company_ids.json 2026-01")
  process.exit(2)
}
try {
  const companies = { ...(await readCompanies(readFileSync(file, "utf8"))), date: readListDate({ date }) }
  writeFileSync(target, toJson(companies))
  const count = [...companies.names, companies.last].filter((name) => name !== null).length
  console.log(`${target}: ${count} companies as of ${date}`)
} catch (error) {
  console.error(`${file}: ${error instanceof Error ? error.message : String(error)}`)
  process.exit(1)
}

/** One company on each line, so that a diff shows what a newer list changes. */
function toJson({ date, names, last }: Companies): string {
  const lines = names.map((name) => `    ${JSON.stringify(name)}`).join(",\n")
  return `{\n  "date": ${JSON.stringify(date)},\n  "names": [\n${lines}\n  ],\n  "last": ${JSON.stringify(last)}\n}\n`
}
