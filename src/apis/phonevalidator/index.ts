import { Type } from "@sinclair/typebox"
import type { PhoneNumber } from "libphonenumber-js/max"
import { defineProblems, verdictOf } from "../../values/problems.ts"
import { choice, defineApi, nullable, nullableText, premium, reject } from "../contract.ts"
import { field, storedExamples } from "../shared.ts"
import answers from "./answers.json"
import stored from "./examples.json"
import facts from "./list-facts.json"
import nationalFormats from "./national-formats.json"

const { problemList, problem } = defineProblems({
  calling_code: "error: no country has this calling code",
  too_short: "error: fewer digits than numbers of the country have",
  too_long: "error: more digits than numbers of the country have",
  length: "error: the country has shorter and longer numbers, but none with so many digits",
  not_assigned: "error: the country assigns no numbers of this length with this beginning",
  letters: "info: letters were read as the digits on their keys, as in 1-800-FLOWERS",
})

const kinds = [
  ...(["fixed_line", "mobile", "fixed_line_or_mobile", "toll_free", "premium_rate", "shared_cost"] as const),
  ...(["voip", "personal_number", "pager", "uan", "voicemail"] as const),
] as const

export const phonevalidator = defineApi({
  id: "phonevalidator",
  title: "Telephone number validator",
  category: "identity",
  keywords: ["phone", "mobile", "E.164", "country code", "dial", "SMS", "format", "landline", "toll free"],
  description:
    "Checks a telephone number against the numbering plan of its country (libphonenumber), tells its kind and writes it in the usual formats. It does not call the number.",
  method: "GET",
  credits: 1,
  lists: [{ name: "phone-metadata", date: facts.date }],
  input: Type.Object({
    number: field.text(
      "The number in any usual form: `+44 20 7946 0958`, `tel:+44-20-7946-0958` (RFC 3966), or as dialled in `country`, without `+`. Letters are read as the digits on their keys.",
      { minLength: 1, maxLength: 250 },
    ),
    country: field.optional.text(
      "The country in which a number without `+` is dialled, by its two letters (ISO 3166-1).",
      { pattern: "^[A-Za-z]{2}$", "x-requirement": "must be the two letters of a country, such as GB" },
    ),
  }),
  output: Type.Object({
    ...field.verdict(problemList),
    country: nullableText(
      "The two letters of the number's country; null if it has none, or if the number is not valid.",
    ),
    calling_code: nullableText("The calling code of the country, without `+`."),
    kind: nullable(choice(kinds, { description: "The kind." }), {
      description: "The kind of the number; null if it is not known.",
    }),
    e164: nullableText(
      "The number in the format of ITU-T E.164: `+442079460958`; null if it cannot be read.",
    ),
    national: nullableText("The number in the format that its country uses."),
    international: nullableText("The number in the international format."),
    extension: nullableText("The extension; null without one."),
    formats: premium(
      field.nullableGroup("Other formats; null if `e164` is.", {
        rfc3966: field.text("As a `tel:` address (RFC 3966)."),
        significant: field.text("Its digits without calling code and trunk prefix."),
        from_country: nullableText("As dialled in `country`; null without `country`."),
      }),
    ),
  }),
  examples: storedExamples(stored, answers),
  async run({ number, country: given }) {
    const library = await import("libphonenumber-js/max")
    const country = given?.toUpperCase()
    if (country !== undefined && !library.isSupportedCountry(country))
      reject("country", "must be the two letters of a country with telephone numbers, such as GB")
    const parse = (text: string) => {
      try {
        const options = { extract: false, ...(country !== undefined && { defaultCountry: country }) }
        return library.parsePhoneNumberWithError(text, options)
      } catch (error) {
        if (error instanceof library.ParseError) return error.message
        throw error
      }
    }
    const written = toPlainNumber(number)
    const asWritten = parse(written)
    const dialled = asWritten === "NOT_A_NUMBER" ? withoutLetters(written) : null
    const parsed = dialled === null ? asWritten : parse(dialled)
    const found = dialled === null ? [] : [problem("letters", "number", lettersMessage)]
    if (parsed === "NOT_A_NUMBER")
      return reject("number", "must be a telephone number, such as +44 20 7946 0958")
    if (parsed === "INVALID_COUNTRY" && !/^[^\d]*[+]/.test(written))
      reject("country", "is required for a number that does not begin with + and a calling code")
    if (typeof parsed === "string")
      return { is_valid: false, problems: [...found, byVerdict[parsed] ?? notAssigned], ...nothing }
    const problems = parsed.isValid()
      ? found
      : [...found, byVerdict[library.validatePhoneNumberLength(parsed.number) ?? ""] ?? notAssigned]
    return {
      ...verdictOf(problems),
      country: parsed.country ?? null,
      calling_code: parsed.countryCallingCode,
      kind: (parsed.getType()?.toLowerCase() as (typeof kinds)[number] | undefined) ?? null,
      e164: parsed.number,
      national: toNational(parsed),
      international: parsed.format("INTERNATIONAL"),
      extension: parsed.ext ?? null,
      formats: {
        rfc3966: parsed.getURI(),
        significant: parsed.nationalNumber,
        from_country: country === undefined ? null : (parsed.format("IDD", { fromCountry: country }) ?? null),
      },
    }
  },
})

const lettersMessage = "The letters are read as the digits on their keys (ITU-T E.161)."

/** The national format. libphonenumber-js lacks those of numbers that cannot be dialled from other countries. */
function toNational(number: PhoneNumber): string {
  const { nationalNumber: digits, country } = number
  const national = number.formatNational()
  if (!number.isValid() || !national.startsWith(digits)) return national
  const [, pattern = "", , format = ""] =
    nationalFormats.find(
      ([code, pattern, start]) =>
        code === country &&
        new RegExp(`^(?:${start})`).test(digits) &&
        new RegExp(`^${pattern}$`).test(digits),
    ) ?? []
  return digits.replace(new RegExp(`^${pattern}$`), format) + national.slice(digits.length)
}

const nothing = {
  ...{ country: null, calling_code: null, kind: null, e164: null },
  ...{ national: null, international: null, extension: null, formats: null },
}

const notAssigned = problem(
  "not_assigned",
  "number",
  "Its country assigns no numbers of this length with this beginning.",
)

/** The problems for verdicts of the library. */
const byVerdict: Readonly<Record<string, typeof notAssigned>> = {
  INVALID_COUNTRY: problem("calling_code", "number", "No country has this calling code."),
  TOO_SHORT: problem("too_short", "number", "The number has too few digits for its country."),
  TOO_LONG: problem("too_long", "number", "The number has too many digits for its country."),
  INVALID_LENGTH: problem("length", "number", "No number of its country has so many digits."),
}

/** The digit of each letter from A to Z on the keys of a telephone (ITU-T E.161). */
const keys = "22233344455566677778889999"

/**
 * Writes a number as libphonenumber reads it: with characters of ASCII for full-width ones, without invisible characters, such as
 * the direction marks around a number copied from an address book, and without the form of a `tel:` address (RFC 3966).
 */
function toPlainNumber(written: string): string {
  const text = written
    .normalize("NFKC")
    .replace(/\p{Cf}/gu, "")
    .trim()
  const [, subscriber = "", rest = ""] = /^tel:(?:\/\/)?([^;]*)(.*)$/is.exec(text) ?? []
  if (subscriber === "") return text
  const parameters = new Map(
    rest.split(";").map((part) => {
      const [name = "", value = ""] = part.split("=")
      return [name.toLowerCase(), value]
    }),
  )
  // The context of a number of less than the world is the beginning of a global one, or a domain, which says nothing (§5.1.5).
  const context = parameters.get("phone-context") ?? ""
  const number = decode(
    context.startsWith("+") && !subscriber.startsWith("+") ? context + subscriber : subscriber,
  )
  const extension = parameters.get("ext")?.replace(/\D/g, "")
  return extension ? `${number};ext=${extension}` : number
}

function decode(text: string): string {
  return text.replace(/%([0-7][\da-f])/gi, (_escape, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  )
}

/**
 * A number with digits for its letters, such as `1-800-3569377` for `1-800-FLOWERS`. As for libphonenumber, at least three digits
 * come before at least three letters. Null for other text.
 */
function withoutLetters(text: string): string | null {
  const [number = "", extension = ""] = text.split(/(?<=[\s\d;,])(?=(?:ext|x|#)[a-z.]*[\s=]*\d{1,7}$)/i, 2)
  const [, digits = "", letters = ""] = /^([+\d\s()./-]*)([a-z][a-z\d\s()./-]*)$/i.exec(number) ?? []
  if (digits.replace(/\D/g, "").length < 3 || letters.replace(/[^a-z]/gi, "").length < 3) return null
  const toKey = (letter: string) => keys[letter.toUpperCase().charCodeAt(0) - 65] ?? ""
  return digits + letters.replace(/[a-z]/gi, toKey) + extension
}
