/**
 * Writes the built-in list of MAC vendors: `bun run data:mac-vendors DATE FILE…`. Each FILE is the index.json of the package
 * oui-data, or a list of the IEEE as CSV (oui.csv, mam.csv, oui36.csv, iab.csv). If two files have a prefix, the first one
 * counts. DATE is the date of the first file.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { resolve } from "node:path"
import { gzipSync } from "node:zlib"
import { parse } from "csv-parse/sync"
import { readTexts, toLines } from "../src/apis/macvendor/vendor-list.ts"

const folder = resolve(import.meta.dir, "../src/apis/macvendor")

const [date = "", ...files] = process.argv.slice(2)
if (!/^20\d\d-\d\d-\d\d$/.test(date) || files.length === 0) {
  console.error("Usage: bun run data:mac-vendors DATE FILE…, for example 2026-08-26 index.json iab.csv")
  process.exit(2)
}
const lists = files.map((file) => {
  const text = readFileSync(file, "utf8")
  return readTexts(file.endsWith(".csv") ? readCsv(text) : JSON.parse(text))
})
const texts = new Map(lists.toReversed().flatMap((list) => [...list]))
writeFileSync(`${folder}/vendors.gz`, gzipSync(toLines(texts), { level: 9 }))
writeFileSync(`${folder}/list-facts.json`, `${JSON.stringify({ date, prefixes: texts.size })}\n`)
console.log(`${folder}/vendors.gz: ${texts.size} prefixes as of ${date}`)

/** A CSV list in the form of oui-data. */
function readCsv(text: string): Record<string, string> {
  const rows: Record<string, string>[] = parse(text, { columns: true, relax_quotes: true })
  return Object.fromEntries(
    rows.map((row) => [
      row.Assignment ?? "",
      `${row["Organization Name"]}\n${row["Organization Address"] ?? ""}`,
    ]),
  )
}
