import { Type } from "@sinclair/typebox"
import { defineProblems, isValid, verdictOf } from "../../values/problems.ts"
import { choice, defineApi, nullable, nullableText, premium } from "../contract.ts"
import { field, storedExamples } from "../shared.ts"
import answers from "./answers.json"
import { convert, format, kinds, nothing, toCheckDigit, toKind } from "./codes.ts"
import stored from "./examples.json"

const { problemList, newProblems } = defineProblems({
  length: "error: no kind of code has so many characters",
  characters: "error: an X that is not the check digit of an ISBN-10 or an ISSN",
  check_digit: "error: the check digit does not fit the rest",
  also_gtin8: "info: valid as UPC-E and as GTIN-8, which begin with 0 only inside of companies",
  isbn_range: "warning: the list of ISBN ranges has no publisher for the number",
})

/** Also the hyphens and dashes of printed texts. */
const separators = "[\\s\u2010-\u2015\u2212-]"

export const gtinvalidator = defineApi({
  id: "gtinvalidator",
  title: "GTIN, ISBN and ISSN validator",
  category: "identity",
  keywords: [
    "barcode number",
    "EAN",
    "UPC",
    "ISMN",
    "book",
    "product",
    "article number",
    "GS1",
    "check digit",
  ],
  description:
    "Checks the number of a product, a book or a periodical: GTIN-8, GTIN-12 (UPC-A), UPC-E, GTIN-13 (EAN), GTIN-14, ISBN, ISMN and ISSN. Converts it to the other kinds.",
  method: "GET",
  credits: 1,
  input: Type.Object({
    code: field.text(
      "The number. Spaces and hyphens are ignored, but eight digits written as `1234-5678` are an ISSN, and a GTIN-8 or UPC-E otherwise.",
      {
        minLength: 1,
        maxLength: 60,
        pattern: `^${separators}*(?:[Mm]${separators}*)?(?:[0-9Xx]${separators}*){1,20}$`,
        "x-requirement":
          "must be at most 20 digits, with X as a check digit or M before an ISMN; spaces and hyphens are ignored",
      },
    ),
  }),
  output: Type.Object({
    code: field.text(
      "The number without spaces and hyphens; an ISMN that begins with M in its form of 13 digits.",
    ),
    ...field.verdict(problemList),
    kind: nullable(choice(kinds, { description: "The kind." }), {
      description: "The kind of number, by its length and first digits; null if it is none of these.",
    }),
    expected_check_digit: nullableText(
      "The check digit that fits the other characters; null without a kind, or if another one is an X.",
    ),
    formatted: nullableText("The number with the hyphens of its standard; null if it is not valid."),
    converted: field.group("The number converted to the other kinds; all null if it is not valid.", {
      gtin14: nullableText("As GTIN-14."),
      gtin13: nullableText("As GTIN-13 (EAN); null for a GTIN-14 whose first digit is not 0."),
      gtin12: nullableText("As GTIN-12 (UPC-A); null if it has none."),
      isbn10: nullableText("As ISBN-10; null if it has none."),
      isbn13: nullableText("As ISBN-13; null if it has none."),
      issn: nullableText("As ISSN; null if it has none."),
    }),
    registration: premium(
      field.nullableGroup("The parts of an ISBN; null for other numbers and unknown ranges.", {
        group: field.text("The number of the group."),
        group_name: field.text("The country or language of the group."),
        registrant: field.text("The number of the publisher."),
        publication: field.text("The number of the book."),
      }),
    ),
  }),
  examples: storedExamples(stored, answers),
  async run({ code: written }) {
    const digits = written.replace(new RegExp(separators, "g"), "").toUpperCase()
    const code = digits.replace(/^M(?=\d{9}$)/, "9790")
    const kind = toKind(code, written)
    const expected = kind && toCheckDigit(kind, code)
    const [problems, add] = newProblems()
    if (code.startsWith("M"))
      add("length", "code", `An ISMN has 9 digits after the M, not ${code.length - 1}.`)
    else if (/X(?!$)/.test(code) || (code.endsWith("X") && kind !== "isbn10" && kind !== "issn"))
      add("characters", "code", "An X can only be the last character of an ISBN-10 or an ISSN.")
    else if (kind === null)
      add("length", "code", `The code has ${code.length} digits, not 8, 10, 12, 13 or 14.`)
    else if (!code.endsWith(expected ?? ""))
      add("check_digit", "last character", `The check digit must be ${expected}.`)
    else if (kind === "upce" && code.endsWith(toCheckDigit("gtin8", code) ?? ""))
      add("also_gtin8", "code", "The code is valid as GTIN-8 too; it is read as UPC-E.")

    const isRight = isValid(problems)
    const isBook = isRight && (kind === "isbn10" || kind === "isbn13")
    const book = isBook ? (await import("isbn3")).default.parse(code) : null
    if (isBook && book === null)
      add("isbn_range", "code", "The list of ISBN ranges has no publisher for the number.")
    const converted = isRight && kind ? convert(kind, code) : nothing
    return {
      code,
      ...verdictOf(problems),
      kind,
      expected_check_digit: expected,
      formatted:
        isRight && kind
          ? (book && (kind === "isbn10" ? book.isbn10h : book.isbn13h)) || format(kind, code)
          : null,
      converted,
      registration: book && {
        group: book.group,
        group_name: book.groupname,
        registrant: book.publisher,
        publication: book.article,
      },
    }
  },
})
