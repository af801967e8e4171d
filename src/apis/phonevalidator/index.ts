import { Type } from "@sinclair/typebox"
import type { PhoneNumber } from "libphonenumber-js/max"
import { defineProblems, verdictOf } from "../../values/problems.ts"
import { choice, defineApi, nullable, nullableText, premium, reject } from "../contract.ts"
import { field, storedExamples } from "../shared.ts"
import answers from "./answers.json"
import stored from "./examples.json"
import facts from "./list-facts.json"
import nationalFormats from "./national-formats.json"
import { toPlainNumber, withoutLetters } from "./written-number.ts"

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
type NumberKind = (typeof kinds)[number]

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
      return { is_valid: false, problems: [...found, toProblem(parsed)], ...nothing }
    const problems = parsed.isValid()
      ? found
      : [...found, toProblem(library.validatePhoneNumberLength(parsed.number))]
    return {
      ...verdictOf(problems),
      country: parsed.country ?? null,
      calling_code: parsed.countryCallingCode,
      kind: (parsed.getType()?.toLowerCase() as NumberKind | undefined) ?? null,
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

/** The problem for a verdict of the library. */
function toProblem(verdict: string | undefined) {
  switch (verdict) {
    case "INVALID_COUNTRY":
      return problem("calling_code", "number", "No country has this calling code.")
    case "TOO_SHORT":
      return problem("too_short", "number", "The number has too few digits for its country.")
    case "TOO_LONG":
      return problem("too_long", "number", "The number has too many digits for its country.")
    case "INVALID_LENGTH":
      return problem("length", "number", "No number of its country has so many digits.")
    default:
      return problem(
        "not_assigned",
        "number",
        "Its country assigns no numbers of this length with this beginning.",
      )
  }
}
