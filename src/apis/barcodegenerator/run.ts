import { drawingSVG, type RenderOptions } from "bwip-js/node"
import { hyphenateIsmn } from "../../values/ismn.ts"
import { type RunOf, reject } from "../contract.ts"
import * as encoders from "./encoders.ts"
import type { barcodegenerator } from "./index.ts"
import { type KindName, kindOf } from "./kinds.ts"

/** Messages for the errors of bwip-js, by the error's name, such as `ean13badCheckDigit`. The first pattern that fits is used. */
const mistakes = [
  [/checkdigit|checksum|checkchar/i, "its check digit is wrong; leave it out to have it computed"],
  [/^GS1unknownAI/, "GS1 has no such identifier"],
  [/^GS1(?:missing|exclusive|repeated)/, "its identifiers do not go together"],
  [/^GS1aiMissing|BadAI|^GS1dl/i, "its values need identifiers in parentheses before them"],
  [/^GS1|coupon/i, "a value does not have the form that GS1 gives its identifier"],
  [/dash/i, "its hyphens are missing, or at wrong places"],
  [/length|long|large|much|NoValidSymbol|capacity|emptyData/i, "its length does not fit"],
  [/startDigit|prefix|numberSystem|firstDigit/i, "it begins with a digit that the kind does not have"],
  [/character|numeric|startStop|format/i, "it has a character that the kind does not have"],
] as const
const others = "the kind cannot hold it"

/** The sentences that {@link mistakeOf} can end with. */
export const reasons: readonly string[] = [...mistakes.map(([, reason]) => reason), others]

/**
 * Says what is wrong with a text, by the error that bwip-js throws, such as `bwipp.ean13badCheckDigit#6915: …`; null for an error
 * that is no fault of the text. The words of the library are for programmers, and some are wrong.
 */
function mistakeOf(error: unknown, kind: KindName): string | null {
  const text = error instanceof Error ? error.message : String(error)
  const [, name] = /^bwipp\.(\w+)/.exec(text) ?? []
  if (name === undefined) return null
  const { sample, digits } = kindOf(kind)
  const reason = mistakes.find(([pattern]) => pattern.test(name))?.[1] ?? others
  const form = digits === undefined ? "" : ` (${digits - 1} digits, and ${digits} with the check digit)`
  return `must fit the kind '${kind}', such as ${sample}${form}: ${reason}`
}

/** The most characters in bars. Longer barcodes would be pictures of hundreds of megabytes. */
const maxBars = 80

export const run: RunOf<typeof barcodegenerator> = async (input, { premium }) => {
  const { kind, show_text: showText = true, scale = 3 } = input
  const { sample, isLinear = false, hasCheck = false } = kindOf(kind)
  if (isLinear && (input.text.length > maxBars || Buffer.byteLength(input.text) > input.text.length))
    reject("text", `must have at most ${maxBars} characters of ASCII in a barcode of the kind '${kind}'`)
  const isNumber = hasCheck || sample.startsWith("(")
  const { text, parse } = isNumber ? await prepare(kind, input.text) : { text: input.text, parse: false }
  // bwip-js does not look for elements in less: it draws a barcode without any, or fails.
  if (isNumber && text.length < 2) reject("text", `must fit the kind '${kind}', such as ${sample}`)
  // biome-ignore lint/performance/noDynamicNamespaceImportAccess: the names of that file are the kinds
  const draw: typeof encoders.ean13 = encoders[kind]
  const options: RenderOptions = {
    bcid: kind,
    text,
    parse,
    includetext: isLinear && showText,
    textxalign: "center",
    // Code 93 always has its check characters.
    includecheck: kind === "code93",
    // Readers need a background that is not transparent, and a white border. EAN-13 needs 11 times the thinnest bar.
    backgroundcolor: "FFFFFF",
    padding: 12,
  }
  try {
    const encoded = hasCheck ? encodedText(draw, options) : parse ? input.text.trim() : text
    const svg = withSize(draw(options, drawingSVG()))
    const png = premium ? (await draw({ ...options, scale })).toString("base64") : ""
    return { encoded, svg, png }
  } catch (error) {
    const mistake = mistakeOf(error, kind)
    if (mistake === null) throw error
    reject("text", mistake)
  }
}

/** The text below a barcode, which has the check digit. Above the bars, books have a title: `ISBN 978-3-16-148410-0`. */
function encodedText(draw: typeof encoders.ean13, options: RenderOptions): string {
  const texts: string[] = []
  return draw(
    { ...options, includetext: true },
    {
      ...drawingSVG(),
      text: (_x, _y, letters) => texts.push(letters),
      end: () => texts.filter((text) => !/^IS[BMS]N /.test(text)).join(""),
    },
  )
}

/** The SVG with a width and a height in pixels. */
function withSize(svg: string): string {
  return svg.replace(/viewBox="0 0 (\S+) (\S+)"/, 'width="$1" height="$2" $&').trim()
}

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
async function prepare(kind: KindName, text: string): Promise<Prepared> {
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
