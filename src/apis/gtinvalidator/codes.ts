import { hyphenateIsmn } from "../../values/ismn.ts"

/** The kinds of codes. A GTIN-12 is also called UPC-A, a short form of it UPC-E, and a GTIN-8 and a GTIN-13 EAN. */
export const kinds = [
  "gtin8",
  "gtin12",
  "gtin13",
  "gtin14",
  "upce",
  "isbn10",
  "isbn13",
  "ismn",
  "issn",
  "issn13",
] as const
type Kind = (typeof kinds)[number]

/** The kinds that the length alone tells. */
const kindByLength: Readonly<Record<number, Kind>> = { 10: "isbn10", 12: "gtin12", 14: "gtin14" }

/** The kind of a number, by its length and first digits. `written` still has its hyphens. Null if it is of no kind. */
export function toKind(code: string, written: string): Kind | null {
  if (code.length === 8) {
    if (/X$/.test(code) || /^\s*\d{4}-\d{4}\s*$/.test(written)) return "issn"
    return isUpcE(code) ? "upce" : "gtin8"
  }
  if (code.length !== 13) return kindByLength[code.length] ?? null
  if (code.startsWith("9790")) return "ismn"
  if (/^97[89]/.test(code)) return "isbn13"
  return code.startsWith("977") ? "issn13" : "gtin13"
}

/** Whether eight digits are a UPC-E with the right check digit. Many are a GTIN-8 too. */
function isUpcE(code: string): boolean {
  return /^0\d{7}$/.test(code) && gtinCheckDigit(expandUpcE(code).slice(0, -1)) === code[7]
}

/** The GTIN-12 of which a UPC-E leaves zeros out (GS1 General Specifications §5.2.2.4.2): the last digit but one says which. */
function expandUpcE(code: string): string {
  const [first, rest, last, check] = [code.slice(0, 1), code.slice(1, 6), code.slice(6, 7), code.slice(7)]
  if (last < "3") return `${first}${rest.slice(0, 2)}${last}0000${rest.slice(2)}${check}`
  if (last === "3") return `${first}${rest.slice(0, 3)}00000${rest.slice(3)}${check}`
  if (last === "4") return `${first}${rest.slice(0, 4)}00000${rest.slice(4)}${check}`
  return `${first}${rest}0000${last}${check}`
}

/** The check digit that fits all characters but the last; null if they have an X. */
export function toCheckDigit(kind: Kind, code: string): string | null {
  const body = code.slice(0, -1)
  if (body.includes("X")) return null
  if (kind === "isbn10" || kind === "issn") return weightedCheckDigit(body)
  return kind === "upce" ? code.slice(-1) : gtinCheckDigit(body)
}

/** GS1 General Specifications §7.9: weights 3 and 1, from the right. */
function gtinCheckDigit(digits: string): string {
  const sum = [...digits]
    .reverse()
    .reduce((total, digit, index) => total + Number(digit) * (index % 2 ? 1 : 3), 0)
  return String((10 - (sum % 10)) % 10)
}

/** ISO 2108 (ISBN-10) and ISO 3297 (ISSN): weights 2, 3, 4 … from the right, modulo 11, with X for ten. */
function weightedCheckDigit(digits: string): string {
  const sum = [...digits].reverse().reduce((total, digit, index) => total + Number(digit) * (index + 2), 0)
  const check = (11 - (sum % 11)) % 11
  return check === 10 ? "X" : String(check)
}

/** The conversions of a number that is not valid. */
export const nothing = { gtin14: null, gtin13: null, gtin12: null, isbn10: null, isbn13: null, issn: null }

/** Converts a valid number to the other kinds. */
export function convert(kind: Kind, code: string) {
  const withGtinCheck = (digits: string) => digits + gtinCheckDigit(digits)
  const gtin14 =
    kind === "isbn10"
      ? `0${withGtinCheck(`978${code.slice(0, 9)}`)}`
      : kind === "issn"
        ? `0${withGtinCheck(`977${code.slice(0, 7)}00`)}`
        : (kind === "upce" ? expandUpcE(code) : code).padStart(14, "0")
  const gtin13 = gtin14.startsWith("0") ? gtin14.slice(1) : null
  const isbn13 = gtin13 !== null && /^97(?:8|9[^0])/.test(gtin13) ? gtin13 : null
  const issn = gtin13?.startsWith("977") ? gtin13.slice(3, 10) : null
  const isbn10 = isbn13?.startsWith("978") ? isbn13.slice(3, 12) : null
  return {
    gtin14,
    gtin13,
    gtin12: gtin14.startsWith("00") ? gtin14.slice(2) : null,
    isbn10: isbn10 && isbn10 + weightedCheckDigit(isbn10),
    isbn13,
    issn: issn && `${issn.slice(0, 4)}-${issn.slice(4)}${weightedCheckDigit(issn)}`,
  }
}

/** A number with the hyphens of its standard. An ISBN's hyphens need the list of publishers and are not set here. */
export function format(kind: Kind, code: string): string {
  if (kind === "ismn") return hyphenateIsmn(code)
  return kind === "issn" ? `${code.slice(0, 4)}-${code.slice(4)}` : code
}
