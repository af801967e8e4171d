import { hyphenateIsmn } from "../../values/ismn.ts"
import type { KindName } from "./kinds.ts"

/** The identifiers that the kinds for one number begin with. */
const identifiers: Partial<Record<KindName, string>> = {
  sscc18: "(00)",
  ean14: "(01)",
  databar_omni: "(01)",
  databar_stacked: "(01)",
  databar_limited: "(01)",
}

/** A text for bwip-js. */
interface Prepared {
  readonly text: string
  /** Whether `^` and three digits stand for a character. */
  readonly parse: boolean
}

/**
 * Puts a text into the form that bwip-js needs: numbers as they are scanned get their identifier or hyphens, and parentheses
 * inside values of GS1 are told from those of identifiers.
 * @param kind the name of the kind, whose texts are numbers or GS1 elements
 */
export async function prepare(kind: KindName, text: string): Promise<Prepared> {
  const plain = text.trim()
  const digits = plain.replaceAll(" ", "")
  const identifier = identifiers[kind]
  if (identifier !== undefined)
    return { text: /^\d+$/.test(digits) ? identifier + digits : plain, parse: false }
  if (kind === "isbn") return { text: await hyphenateIsbn(plain), parse: false }
  if (kind === "issn") return { text: plain.replace(/^(\d{4})(\d{3}[\dX]?)$/i, "$1-$2"), parse: false }
  if (kind === "ismn") return { text: /^9790\d{9}$/.test(plain) ? hyphenateIsmn(plain) : plain, parse: false }
  return toElements(plain)
}

/** In a value, an opening parenthesis is part of it unless digits and a closing one follow, as of an identifier. */
function toElements(text: string): Prepared {
  const parts = text.split(/(\(\d{2,4}\))/)
  const escaped = parts.map((part, index) =>
    index === 0 || index % 2 === 1 ? part : part.replaceAll("^", "^094").replaceAll("(", "^040"),
  )
  const parse = escaped.join("") !== text
  return { text: parse ? escaped.join("") : text, parse }
}

/** Sets the hyphens of an ISBN without any, also of one whose check digit is missing or wrong. */
async function hyphenateIsbn(text: string): Promise<string> {
  const [, body = "", check] = /^(97[89]\d{9}|\d{9})([\dX])?$/i.exec(text) ?? []
  if (body === "") return text
  const { default: library } = await import("isbn3")
  for (const digit of "0123456789X") {
    const found = library.parse(body + digit)
    const hyphenated = body.length === 9 ? found?.isbn10h : found?.isbn13h
    if (hyphenated) return hyphenated.slice(0, -1) + (check ?? digit)
  }
  return text
}
