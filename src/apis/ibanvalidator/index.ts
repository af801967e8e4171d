import { Type } from "@sinclair/typebox"
import { dataDate } from "../../values/data-list.ts"
import { defineProblems, verdictOf } from "../../values/problems.ts"
import { defineApi, nullableText, premium } from "../contract.ts"
import { field, storedExamples } from "../shared.ts"
import answers from "./answers.json"
import stored from "./examples.json"
import { embeddedRegistry, type IbanCountry, type IbanRegistry } from "./registry.ts"

const { problemList, problem, newProblems } = defineProblems({
  country: "error: the first two characters are not a country code of the IBAN registry",
  length: "error: too long or too short for its country",
  structure: "error: a letter where the country has a digit, or the reverse",
  check_digits: "error: the check digits do not fit the rest (ISO 7064 MOD 97-10)",
  national_check_digits:
    "warning: the check digits inside the account number do not fit; the IBAN registry does not require them, but nearly all banks of the country use them",
})

/** Also the hyphens and dashes of printed texts. */
const separators = "[\\s.\u2010-\u2015\u2212-]"

/** The API with a registry, such as a newer one that the operator configured. */
export function createIbanvalidator({ date: data_date, countries }: IbanRegistry) {
  return defineApi({
    id: "ibanvalidator",
    title: "IBAN validator",
    category: "identity",
    keywords: [
      "bank account",
      "account number",
      "BBAN",
      "check digits",
      "SEPA",
      "SWIFT",
      "ISO 13616",
      "payment",
    ],
    description:
      "Checks an IBAN against the IBAN registry of SWIFT (ISO 13616): country, length, structure and check digits, and the check digits that some countries have inside the account number. It does not ask any bank whether the account exists.",
    method: "GET",
    credits: 1,
    lists: [{ name: "iban-registry", date: data_date }],
    input: Type.Object({
      iban: field.text(
        "The IBAN, in upper or lower case. Spaces, dots, hyphens and the word `IBAN` before it are ignored.",
        {
          minLength: 1,
          maxLength: 120,
          pattern: `^${separators}*(?:[Ii][Bb][Aa][Nn]:${separators}*)?(?:[A-Za-z0-9]${separators}*){1,68}$`,
          "x-requirement":
            "must be an IBAN of at most 68 letters from A to Z and digits; spaces, dots, hyphens and 'IBAN' before it are ignored",
        },
      ),
    }),
    output: Type.Object({
      iban: field.text("The IBAN in electronic form: upper case, without spaces."),
      ...field.verdict(problemList),
      country: field.text("The country code: the first two characters."),
      country_name: nullableText("The name of the country in English; null if it is not in the registry."),
      is_in_registry: field.flag(
        "Whether the country is in the IBAN registry. Some countries use IBANs without being in it.",
      ),
      account: nullableText(
        "The account number: the part after the identifiers of bank and branch, with national check digits; null if the country, the length or the structure is wrong.",
      ),
      formatted: field.text("The IBAN in print form, in groups of four characters."),
      data_date: dataDate("the IBAN registry"),
      parts: premium(
        field.nullableGroup("The parts of the IBAN; null if `account` is.", {
          bban: field.text("The part after the country code and the check digits."),
          structure: field.text(
            "How the registry describes the BBAN: `4!n` is four digits, `a` letters, `c` either.",
          ),
          bank: nullableText("The bank's identifier; null if there is none."),
          branch: nullableText("The branch's identifier; null if there is none."),
        }),
      ),
      expected_check_digits: premium(
        nullableText("The check digits that fit the other characters; null if `account` is."),
      ),
    }),
    examples: storedExamples(stored, answers),
    async run({ iban: text }) {
      const iban = text
        .replace(new RegExp(separators, "g"), "")
        .toUpperCase()
        .replace(/^IBAN:?(?=.)/, "")
      const code = iban.slice(0, 2)
      const country = countries.get(code) ?? null
      const [problems, add] = newProblems(
        country === null ? [unknownCountry(code)] : structureProblems(iban, country),
      )
      const isStructured = problems.length === 0
      const expected = isStructured ? toCheckDigits(code, iban.slice(4)) : null
      if (expected !== null && iban.slice(2, 4) !== expected)
        add(
          "check_digits",
          "characters 3 to 4",
          `The check digits do not fit the other characters.${hintAtZero(iban)}`,
        )
      if (isStructured && (await hasWrongNationalDigits(iban)))
        add(
          "national_check_digits",
          "account",
          `The check digits that ${country?.name} uses inside account numbers do not fit.`,
        )
      const parts = country !== null && isStructured ? toParts(iban, country) : null
      return {
        iban,
        ...verdictOf(problems),
        country: code,
        country_name: country?.name ?? null,
        is_in_registry: country !== null,
        account: parts?.account ?? null,
        formatted: iban.replace(/.{4}(?=.)/g, "$& "),
        data_date,
        parts: parts?.parts ?? null,
        expected_check_digits: expected,
      }
    },
  })
}

/** The API with the built-in registry. */
export const ibanvalidator = createIbanvalidator(embeddedRegistry)

function unknownCountry(code: string) {
  return problem("country", "characters 1 to 2", `'${code}' is not a country code of the IBAN registry.`)
}

function structureProblems(iban: string, { name, length, kinds }: IbanCountry) {
  const [problems, add] = newProblems()
  if (iban.length !== length)
    add("length", "iban", `IBANs of ${name} have ${length} characters, not ${iban.length}.`)
  const wanted = `aann${kinds}`
  const wrong = [...iban].findIndex((character, index) => !fits(character, wanted[index]))
  if (wrong !== -1) {
    const [words, other] = wanted[wrong] === "n" ? ["a digit", "letter"] : ["a letter", "digit"]
    const found = iban.charAt(wrong)
    const meant = lookalikes[found]
    const hint = meant ? ` ${meant} was probably meant.` : ""
    const message = `Character ${wrong + 1} must be ${words} in ${name}, not the ${other} ${found}.${hint}`
    add("structure", `character ${wrong + 1}`, message)
  }
  return problems
}

/** The character that was probably meant, for each wrong one that looks like it. */
const lookalikes: Readonly<Record<string, string>> = {
  O: "The digit 0",
  I: "The digit 1",
  L: "The digit 1",
  0: "The letter O",
  1: "The letter I",
}

/** Where letters and digits are allowed, only the check digits show that a 0 was typed as the letter O. */
function hintAtZero(iban: string): string {
  const bban = iban.slice(4).replaceAll("O", "0")
  const isMeant = bban !== iban.slice(4) && toCheckDigits(iban.slice(0, 2), bban) === iban.slice(2, 4)
  return isMeant ? " They would with the digit 0 in the place of the letter O." : ""
}

function fits(character: string, kind: string | undefined): boolean {
  if (kind === "n") return /\d/.test(character)
  return kind !== "a" || /[A-Z]/.test(character)
}

/** The check digits by ISO 7064 MOD 97-10. Letters count as numbers, from A as 10 to Z as 35. */
function toCheckDigits(code: string, bban: string): string {
  let rest = 0
  for (const character of `${bban}${code}00`)
    for (const digit of String(Number.parseInt(character, 36))) rest = (rest * 10 + Number(digit)) % 97
  return String(98 - rest).padStart(2, "0")
}

async function hasWrongNationalDigits(iban: string): Promise<boolean> {
  const { validateIBAN, ValidationErrorsIBAN } = await import("ibantools")
  return validateIBAN(iban).errorCodes.includes(ValidationErrorsIBAN.WrongAccountBankBranchChecksum)
}

function toParts(iban: string, { structure, bank, branch }: IbanCountry) {
  const bban = iban.slice(4)
  const end = Math.max(bank?.[1] ?? 0, branch?.[1] ?? 0)
  return {
    account: bban.slice(end),
    parts: { bban, structure, bank: bank && bban.slice(...bank), branch: branch && bban.slice(...branch) },
  }
}
