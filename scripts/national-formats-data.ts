/**
 * Writes the formats of numbers that have no international form, which libphonenumber-js leaves out, from the metadata of
 * google-libphonenumber: `bun scripts/national-formats-data.ts`. Each row has the country, the pattern of the digits, the pattern
 * with which they begin, and the format.
 */
import { join } from "node:path"

type Description = { readonly [field: number]: readonly number[] | undefined }
type Format = readonly [
  _: undefined,
  pattern: string,
  format: string,
  starts?: readonly string[],
  prefix?: string,
]
/** Fields of the metadata by their numbers in `phonemetadata.proto`. */
const general = 1
const possibleLengths = 9
const numberFormats = 19
const internationalFormats = 20

const root = join(import.meta.dir, "..")
const source = await Bun.file(join(root, "node_modules/google-libphonenumber/dist/libphonenumber.js")).text()
const start = source.lastIndexOf("{", source.indexOf("AC:[,[,,"))
const literal = source.slice(start, endOf(source, start))
const metadata = new Function(`return ${literal}`)() as Record<string, readonly unknown[]>

const rows = Object.entries(metadata).flatMap(([country, fields]) => {
  const international = formatsOf(fields, internationalFormats)
  const lengths = (fields[general] as Description)[possibleLengths] ?? []
  if (international.length === 0) return []
  const known = new Set(international.map(keyOf))
  const missing = formatsOf(fields, numberFormats).filter((format) => !known.has(keyOf(format)))
  // The others are for numbers without an area code, which no other country can dial.
  const whole = missing.filter(([, pattern]) => lengths.some((length) => fits(pattern, length)))
  return whole.map(([, pattern, format, starts = [], prefix]) => [
    country,
    pattern,
    starts.at(-1) ?? "",
    // `$1` of the format with the national prefix, such as `0$1`.
    prefix ? format.replace(/\$\d/, prefix) : format,
  ])
})
const lines = rows.map((row) => `  ${JSON.stringify(row)}`).join(",\n")
await Bun.write(join(root, "src/apis/phonevalidator/national-formats.json"), `[\n${lines}\n]\n`)
console.log(`${rows.length} formats`)

function formatsOf(fields: readonly unknown[], field: number): readonly Format[] {
  return (fields[field] as readonly Format[] | undefined) ?? []
}

function fits(pattern: string, length: number): boolean {
  return new RegExp(`^(?:${pattern})$`).test("1".repeat(length))
}

function keyOf([, pattern, , starts = []]: Format): string {
  return `${pattern} ${starts.at(-1)}`
}

/** The place after the brace that closes the one at `start`. */
function endOf(text: string, start: number): number {
  let depth = 0
  for (let at = start, isText = false; at < text.length; at++) {
    const character = text[at]
    if (character === '"' && text[at - 1] !== "\\") isText = !isText
    if (isText) continue
    if (character === "{") depth++
    if (character === "}" && --depth === 0) return at + 1
  }
  throw new Error("the metadata do not end")
}
