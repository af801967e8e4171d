import { readListDate } from "../../values/data-list.ts"
import { isObject, parseJson } from "../../values/is-object.ts"

/** A list of assigned company identifiers. */
export interface Companies {
  /** The date of the SIG's list, such as `2026-01`; null when it is not known. */
  readonly date: string | null
  /** Names at the position of their identifier, 65535 excepted; null for an identifier without a company. */
  readonly names: readonly (string | null)[]
  /** The name of 65535. It is apart from the others because the SIG has assigned none of the 60,000 before it. */
  readonly last: string | null
}

/** The name that an identifier is assigned to; null for an identifier without a company. */
export function companyName({ names, last }: Companies, id: number): string | null {
  return id === highestCompanyId ? last : (names[id] ?? null)
}

/**
 * Reads a list of companies: the SIG's `company_identifiers.yaml`, the same as JSON
 * (`{company_identifiers: [{value, name}]}`), or a JSON or YAML list of `{code, name}`.
 * @throws Error that names the bad line, or the bad entry counted from 1, and says what is wrong
 */
export async function readCompanies(text: string): Promise<Companies> {
  const document = await parseText(text)
  const entries = findEntries(document)
  if (entries.length === 0) throw new Error("the list of companies is empty")

  const nameByCode = new Map<number, string>()
  for (const [index, entry] of entries.entries()) {
    const place = `entry ${index + 1}`
    const { code, name } = readEntry(entry, place)
    const other = nameByCode.get(code)
    if (other !== undefined)
      throw new Error(`${place} (${name}): the code ${code} was already given to ${other}`)
    nameByCode.set(code, name)
  }

  const last = nameByCode.get(highestCompanyId) ?? null
  nameByCode.delete(highestCompanyId)
  const length = 1 + [...nameByCode.keys()].reduce((highest, code) => Math.max(highest, code), -1)
  const names = Array.from({ length }, (_, code) => nameByCode.get(code) ?? null)
  return { date: isObject(document) ? readListDate(document) : null, names, last }
}

/** The JSON parser is fast but does not name the line of an error; the YAML parser reads JSON too, and does. */
async function parseText(text: string): Promise<unknown> {
  return parseJson(text) ?? (await import("yaml")).parse(text)
}

function findEntries(document: unknown): readonly unknown[] {
  const list = isObject(document) ? document.company_identifiers : document
  if (!Array.isArray(list))
    throw new Error("expected a list of companies, or an object with the list company_identifiers")
  return list
}

function readEntry(entry: unknown, place: string): { code: number; name: string } {
  if (!isObject(entry)) throw new Error(`${place}: expected an object with value (or code) and name`)
  const { name } = entry
  const code = entry.value ?? entry.code
  if (typeof code !== "number" || !Number.isInteger(code) || code < 0 || code > highestCompanyId)
    throw new Error(
      `${place}: the code ${JSON.stringify(code)} is not a whole number from 0 to ${highestCompanyId}`,
    )
  if (typeof name !== "string" || name.trim() === "")
    throw new Error(`${place} (code ${code}): the name is missing or empty`)
  return { code, name: name.trim() }
}

/** Company identifiers are 16 bits wide. */
export const highestCompanyId = 0xffff

/**
 * Reads an identifier in decimal or, after `0x`, hexadecimal digits, with leading zeros or without; null when it is not a
 * number from 0 to 65535.
 */
export function parseCompanyId(text: string): number | null {
  // Apart from the pattern of identifiers, which would try again for each of two million zeros.
  const digits = text.length > maxLength ? text.replace(/^(0x)?0+(?=[0-9a-f])/i, "$1") : text
  if (!/^(?:0x[0-9a-f]{1,4}|[0-9]{1,6})$/i.test(digits)) return null
  const id = Number(digits)
  return id <= highestCompanyId ? id : null
}

/** The length of `0x004C`. Longer texts have more zeros than needed, or are no identifier. */
const maxLength = 6

/** Writes an identifier as the Bluetooth SIG does: `0x004C`. */
export function formatCompanyId(id: number): string {
  return `0x${bytes[id >> 8]}${bytes[id & 0xff]}`
}

/** Each byte in two digits. To make the digits for each call takes 3.6 % of it. */
const bytes = Array.from({ length: 256 }, (_, byte) => byte.toString(16).toUpperCase().padStart(2, "0"))
