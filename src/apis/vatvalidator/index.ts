import { Type } from "@sinclair/typebox"
import type { Validator } from "stdnum"
import { defineProblems, verdictOf } from "../../values/problems.ts"
import { choice, defineApi, nullable, premium, reject } from "../contract.ts"
import { field, storedExamples } from "../shared.ts"
import answers from "./answers.json"
import { judgeByRules } from "./corrections.ts"
import stored from "./examples.json"
import written from "./forms.json"

const { problemList, problem } = defineProblems({
  country:
    "error: not a country whose VAT numbers this API knows, or not the one with which the number begins",
  length: "error: too long or too short for its country",
  format: "error: the number does not have the form of its country's numbers",
  check_digits: "error: the check digits do not fit the rest",
  component: "error: a part has a value that the country does not use",
})

/** The kinds of numbers of a country, by their names in stdnum. */
type Validators = Readonly<Record<string, Pick<Validator, "name" | "localName" | "validate">>>

const forms = new Map(Object.entries(written.forms))

/** The VAT numbers of Greece and Northern Ireland begin with other codes than those of ISO 3166. */
const prefixes: Readonly<Record<string, string>> = { EL: "GR", XI: "GB" }

/** Also the hyphens and dashes of printed texts. */
const separators = "[\\s./()\u2010-\u2015\u2212-]"

export const vatvalidator = defineApi({
  id: "vatvalidator",
  title: "VAT number validator",
  category: "identity",
  keywords: [
    "tax number",
    "tax id",
    "TIN",
    "VIES",
    "European Union",
    "company",
    "invoice",
    "USt-IdNr",
    "TVA",
    "IVA",
  ],
  description:
    "Checks the syntax and the check digits of a VAT number of the European Union, the United Kingdom, Switzerland or Norway. It does not ask VIES or a tax office whether the number is in use.",
  method: "GET",
  credits: 1,
  input: Type.Object({
    number: field.text(
      "The number, with or without its country code. Spaces, dots, hyphens, slashes and parentheses are ignored.",
      {
        maxLength: 60,
        pattern: `^${separators}*(?:[A-Za-z0-9+*]${separators}*){1,20}$`,
        "x-requirement":
          "must be a VAT number: at most 20 letters from A to Z and digits; spaces, dots, hyphens, slashes and parentheses are ignored",
      },
    ),
    country: field.optional.text(
      "The two letters of the country. `EL` and `GR` are Greece, `XI` is Northern Ireland.",
      { pattern: "^[A-Za-z]{2}$", "x-requirement": "must be the two letters of a country, such as DE or EL" },
    ),
  }),
  output: Type.Object({
    number: field.text("The number with its country code, without separators."),
    ...field.verdict(problemList),
    country: field.text("The country code with which its VAT numbers begin."),
    kind: nullable(choice(["company", "individual", "any"], { description: "The kind." }), {
      description:
        "Whether companies, individuals or both (`any`) have numbers of this form; null if it is not valid.",
    }),
    other_ids: premium(
      field.rows(
        "The country's other kinds of numbers, such as tax numbers of people, for which the number is valid too.",
        {
          id: field.text("The short name of the kind of number."),
          name: field.text("Its English name."),
          local_name: field.text("Its name in the country's language."),
          compact: field.text("The number without separators."),
        },
      ),
    ),
  }),
  examples: storedExamples(stored, answers),
  async run({ number: written, country: given }, { premium: seesPremium }) {
    const text = written.replace(new RegExp(separators, "g"), "").toUpperCase()
    const start = /^[A-Z]{2}/.exec(text)?.[0]
    const prefix = given?.toUpperCase() ?? start
    if (prefix === undefined)
      reject("country", "is required for a number that does not begin with its country")
    const code = prefixes[prefix] ?? prefix
    const country = code === "GR" ? "EL" : prefix
    const isPrefixed = start === prefix || start === country || (code === "GR" && start === code)
    // stdnum takes Swiss numbers with CHE, of which the E is part of the number.
    const rest = code === "CH" ? `CHE${text.replace(/^(?:CH)?E?/, "")}` : isPrefixed ? text.slice(2) : text
    const validators: Readonly<Record<string, Validators>> = await import("./validators.ts")
    const ids = validators[code] ?? {}
    const form = forms.get(code)
    const validator = form && ids[form.validator]
    if (form === undefined || validator === undefined) {
      const known = [...forms.keys(), "XI"].map((one) => (one === "GR" ? "EL" : one)).sort()
      const message = `This API does not know VAT numbers of '${prefix}', only of ${known.join(", ")}.`
      const found = problem("country", "country", message)
      const number = isPrefixed ? text : `${prefix}${text}`
      return { number, is_valid: false, problems: [found], country, kind: null, other_ids: [] }
    }
    const result = validator.validate(rest)
    const verdict = judgeByRules(code, rest) ?? (result.isValid ? "valid" : toCode(result.error))
    const isOther =
      verdict !== "valid" && !isPrefixed && start !== undefined && forms.has(prefixes[start] ?? start)
    const expected = `The form is ${country} and ${form.form}.`
    const problems = isOther
      ? [problem("country", "country", `The number begins with ${start}, but 'country' is ${country}.`)]
      : verdict === "valid"
        ? []
        : [problem(verdict, "number", `${messages[verdict]} ${expected}`)]
    const compact = result.isValid ? result.compact : rest
    const { isIndividual = false, isCompany = false } = result.isValid ? result : kindsByRules(code, rest)
    return {
      number: isOther || compact.startsWith(country) ? compact : `${country}${compact}`,
      ...verdictOf(problems),
      country,
      kind: verdict === "valid" ? toKind(isCompany, isIndividual) : null,
      other_ids: Object.entries(seesPremium ? ids : {}).flatMap(([id, other]) => {
        const found = other === validator ? null : other.validate(rest)
        return found?.isValid
          ? [{ id, name: other.name, local_name: other.localName, compact: found.compact }]
          : []
      }),
    }
  },
})

/** The code of a problem for an error of stdnum. */
function toCode({ name }: { readonly name: string }): keyof typeof messages {
  if (name === "InvalidLength") return "length"
  if (name === "InvalidFormat") return "format"
  return name === "InvalidComponent" ? "component" : "check_digits"
}

/** Whether a person or a company holds a number that stdnum wrongly refuses. */
function kindsByRules(code: string, number: string) {
  const isIndividual = code === "CZ" || code === "LV" || (code === "BG" && number.length === 10)
  return { isIndividual, isCompany: !isIndividual }
}

function toKind(isCompany: boolean, isIndividual: boolean): "any" | "company" | "individual" {
  if (isCompany === isIndividual) return "any"
  return isCompany ? "company" : "individual"
}

const messages = {
  length: "The number is too long or too short for its country.",
  format: "The number does not have the form of its country's numbers.",
  check_digits: "The check digits do not fit the rest of the number.",
  component: "A part of the number has a value that its country does not use.",
}
