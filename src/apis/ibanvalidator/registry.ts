import { readListDate } from "../../values/data-list.ts"
import { isObject } from "../../values/is-object.ts"
import embedded from "./registry.json"

/** How the IBANs of a country are built, after the IBAN registry of SWIFT (ISO 13616-2). */
export interface IbanCountry {
  readonly name: string
  /** The parts of the BBAN as the registry writes them: `4!n` is four digits, `a` upper-case letters, `c` both. */
  readonly structure: string
  /** How many characters the IBAN has. */
  readonly length: number
  /** The end of the identifiers of bank and branch in the BBAN, and where they start; null where the registry names none. */
  readonly bank: Range | null
  readonly branch: Range | null
  /** Each character of the BBAN: `n`, `a` or `c`. */
  readonly kinds: string
}

type Range = readonly [start: number, end: number]

/** The IBAN registry of one day. */
export interface IbanRegistry {
  /** `YYYY-MM-DD` or `YYYY-MM`; null when it is not known. */
  readonly date: string | null
  /** By the two letters that begin an IBAN. */
  readonly countries: ReadonlyMap<string, IbanCountry>
}

/** The built-in registry. */
export const embeddedRegistry: IbanRegistry = {
  date: embedded.date,
  countries: new Map(embedded.countries.map((row) => toCountry(row))),
}

/**
 * Reads a registry in the form of `registry.json`:
 * `{"date": "2027-03", "countries": [["BE", "Belgium", "3!n7!n2!n", "1-3", ""]]}`. A country has its code, name, the structure of
 * its BBAN, and the places of the identifiers of bank and branch in it.
 * @throws Error that names the bad entry, counted from 1, and says what is wrong
 */
export function readRegistry(text: string): IbanRegistry {
  const document: unknown = JSON.parse(text.replace(/^\ufeff/, ""))
  const rows: unknown = isObject(document) ? document.countries : null
  if (!isObject(document) || !Array.isArray(rows) || rows.length === 0)
    throw new Error('expected an object with "countries", a list of [code, name, structure, bank, branch]')
  const countries = new Map<string, IbanCountry>()
  for (const [index, row] of rows.entries()) {
    const [code, country] = readCountry(row, `entry ${index + 1}`)
    if (countries.has(code)) throw new Error(`entry ${index + 1}: the country ${code} was there before`)
    countries.set(code, country)
  }
  return { date: readListDate(document), countries }
}

function readCountry(row: unknown, place: string): readonly [code: string, country: IbanCountry] {
  if (!Array.isArray(row) || row.length !== 5 || !row.every((text) => typeof text === "string"))
    throw new Error(`${place}: expected five texts: code, name, structure, bank, branch`)
  const [code = "", name = "", structure = "", bank = "", branch = ""] = row
  if (!/^[A-Z]{2}$/.test(code)) throw new Error(`${place}: '${code}' is not the two letters of a country`)
  if (name.trim() === "") throw new Error(`${place} (${code}): the name is missing`)
  if (!/^(?:[1-9]\d?![nac])+$/.test(structure))
    throw new Error(`${place} (${code}): '${structure}' is not a structure such as 4!a6!n8!c`)
  const country = toCountry(row)
  const { length } = country[1]
  // ISO 13616-1: a BBAN has at most 30 characters.
  if (length > 34) throw new Error(`${place} (${code}): an IBAN has at most 34 characters, not ${length}`)
  for (const text of [bank, branch]) {
    const [start = 0, end = 0] = toRange(text) ?? []
    if (text !== "" && !(/^\d+-\d+$/.test(text) && start < end && end <= length - 4))
      throw new Error(`${place} (${code}): '${text}' is not a place in its BBAN, such as 1-4`)
  }
  return country
}

function toCountry(row: readonly string[]): readonly [code: string, country: IbanCountry] {
  const [code = "", name = "", structure = "", bank = "", branch = ""] = row
  const kinds = structure.replace(/(\d+)!([nac])/g, (_part, count, kind) => kind.repeat(Number(count)))
  const places = { bank: toRange(bank), branch: toRange(branch) }
  return [code, { name, structure, length: kinds.length + 4, ...places, kinds }]
}

/** `1-4` becomes `[0, 4]`. */
function toRange(text: string): Range | null {
  const [from, to] = text.split("-").map(Number)
  return from && to ? [from - 1, to] : null
}
