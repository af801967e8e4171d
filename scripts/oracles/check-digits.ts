/** Numbers whose check digits python3-stdnum knows as well: of cards, goods and books, bank accounts, and VAT. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { cardvalidator } from "../../src/apis/cardvalidator/index.ts"
import { gtinvalidator } from "../../src/apis/gtinvalidator/index.ts"
import { ibanvalidator } from "../../src/apis/ibanvalidator/index.ts"
import registry from "../../src/apis/ibanvalidator/registry.json"
import examples from "../../src/apis/ibanvalidator/registry-examples.json"
import { vatvalidator } from "../../src/apis/vatvalidator/index.ts"
import { ask, byPython, defineOracle, digits, type Judgement, type Result, type Suite } from "./oracle.ts"

/** Whether a number is valid, and what else both sides say of it. */
type Answer = Readonly<Record<string, boolean | string | null>>

interface Kind {
  readonly api: string
  readonly cases: number
  readonly generate: fc.Arbitrary<string>
  readonly fixed?: readonly string[]
  readonly ours: (number: string) => Promise<Answer>
  readonly known: readonly Judgement<string, Answer>[]
}

const joined = (...parts: fc.Arbitrary<string>[]) => fc.tuple(...parts).map((all) => all.join(""))

const starts = ["4", "51", "2221", "34", "37", "6011", "36", "3528", "5018", "2200", "506099", "9"]
const cards: Kind = {
  api: "cardvalidator",
  cases: 10_000,
  generate: joined(fc.constantFrom(...starts), digits(6, 16)),
  async ours(number) {
    const answer = await ask(cardvalidator, { number })
    return { valid: answer?.problems.every(({ code }) => code !== "check_digit") ?? false }
  },
  known: [],
}

const book = joined(fc.constantFrom("978", "979"), digits(10))
const last = fc.constantFrom(..."0123456789X")
const withGtinCheck = (text: string) => {
  const rest = [...text.slice(0, -1)].reverse()
  const sum = rest.reduce((total, one, index) => total + Number(one) * (3 - 2 * (index % 2)), 0)
  return `${text.slice(0, -1)}${(1000 - sum) % 10}`
}
const goods: Kind = {
  api: "gtinvalidator",
  cases: 10_000,
  generate: fc.oneof(
    fc
      .oneof(
        fc.constantFrom(8, 12, 13, 14).chain((length) => digits(length)),
        book,
      )
      .map(withGtinCheck),
    book,
    joined(digits(4), fc.constant("-"), digits(3), last),
    joined(digits(9), last),
    fc.constantFrom(7, 8, 10, 11, 12, 13, 14, 15).chain((length) => digits(length)),
  ),
  async ours(code) {
    const answer = await ask(gtinvalidator, { code })
    return { valid: answer?.is_valid ?? false, isbn13: answer?.converted.isbn13 ?? null }
  },
  known: [
    {
      reason: "eight digits that begin with 0 may be a UPC-E, which stdnum does not know",
      fits: (code, ours, theirs) => /^0\d{7}$/.test(code) && ours.valid === true && !theirs.valid,
    },
    {
      reason: "979-0 is an ISMN, of sheet music (ISO 10957); stdnum takes it for an ISBN",
      fits: (code, ours, theirs) => code.startsWith("9790") && ours.valid === theirs.valid,
    },
  ],
}

/** In the registry since 2023; python3-stdnum 1.18 has the registry of 2022. */
const newer = ["FK", "HN", "MN", "NI", "OM", "SO", "YE"]
const structures = new Map(
  registry.countries.map(([code = "", , structure = ""]) => [
    code,
    [...structure.matchAll(/(\d+)!([nac])/g)].map(([, count, kind]) => [Number(count), kind] as const),
  ]),
)
const letters: Readonly<Record<string, string>> = { n: "0123456789", a: "ABCDEFGXYZ", c: "01289ABXYZ" }

/** The right check digits, computed with big numbers: not as the API does. */
function withCheckDigits(code: string, bban: string): string {
  const text = `${bban}${code}00`.replace(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55))
  return `${code}${String(98n - (BigInt(text) % 97n)).padStart(2, "0")}${bban}`
}

const validIban = fc
  .constantFrom(...structures)
  .chain(([code, parts]) =>
    joined(
      ...parts.map(([count, kind = "c"]) =>
        fc.string({ unit: fc.constantFrom(...(letters[kind] ?? "")), minLength: count, maxLength: count }),
      ),
    ).map((bban) => withCheckDigits(code, bban)),
  )
const changedIban = fc
  .tuple(fc.oneof(validIban, fc.constantFrom(...examples)), fc.nat(), fc.constantFrom(..."0123456789AZ", ""))
  .map(([iban, at, other]) => {
    const place = at % iban.length
    return iban.slice(0, place) + other + iban.slice(place + 1)
  })
const elsewhere = fc
  .tuple(fc.constantFrom("AO", "BF", "DZ", "IR", "SN", "US", "ZZ", "GF"), digits(14, 24))
  .map(([code, bban]) => withCheckDigits(code, bban))

const ibans: Kind = {
  api: "ibanvalidator",
  cases: 10_000,
  fixed: examples,
  generate: fc.oneof(
    { weight: 6, arbitrary: validIban },
    { weight: 3, arbitrary: changedIban },
    { weight: 1, arbitrary: elsewhere },
  ),
  async ours(iban) {
    const answer = await ask(ibanvalidator, { iban })
    const valid = answer?.is_valid ?? false
    return { valid, national: valid && answer?.problems.length === 0 }
  },
  known: [
    {
      reason: "stdnum refuses Belgian bank codes that its list of 2022 lacks",
      fits: (iban, ours, theirs) => iban.startsWith("BE") && ours.national === true && theirs.valid === true,
    },
    {
      reason: "in the registry only since 2023: FK, HN, MN, NI, OM, SO, YE (stdnum 1.18 is of 2022)",
      fits: (iban, ours, theirs) => ours.valid === true && !theirs.valid && newer.includes(iban.slice(0, 2)),
    },
    {
      reason:
        "check digits of account numbers: stdnum checks those of BE and ES, ibantools those of 17 countries",
      fits: (_iban, ours, theirs) =>
        ours.valid === theirs.valid && theirs.national === true && !ours.national,
    },
  ],
}

/** Wider than the forms of each country: any first digit, neighbouring lengths and all endings, since the oracle judges them. */
const forms = `AT U\\d{7,9}|\\d{9}
BE \\d{9,10}
BG \\d{9,10}
CH E\\d{9}(?:MWST|TVA|IVA|TPV)?
CY \\d{8}[A-Z]
CZ \\d{8,10}
DE \\d{8,9}
DK \\d{7,8}
EE \\d{9}
EL \\d{8,9}
ES [A-Z0-9]\\d{7}[A-Z0-9]
FI \\d{8}
FR [0-9A-Z]{2}\\d{9}
GB \\d{9}|\\d{12}|(?:GD|HA)\\d{3}
XI \\d{9}|(?:GD|HA)\\d{3}
HR \\d{11}
HU \\d{8}
IE \\d{7}[A-Z]{1,2}|\\d[A-Z+*]\\d{5}[A-Z]
IT \\d{11}
LT \\d{9}|\\d{12}|\\d{7}1\\d|\\d{10}1\\d
LU \\d{8}
LV \\d{11}|[0-3]\\d[01]\\d{8}|3[2-9]\\d{9}
MT \\d{7,8}
NL \\d{9}B\\d{2}
NO \\d{9}(?:MVA)?
PL \\d{10}
PT \\d{9}
RO \\d{1,10}
SE \\d{12}|\\d{10}01
SI \\d{8}
SK \\d{10}|\\d\\d[2-9]\\d{7}`
  .split("\n")
  .map((line) => line.split(" "))

/** Whether a Czech rodné číslo begins with a day of birth of somebody who can be alive: those of 9 digits end in 1953. */
function isBirthOfTheLiving(number: string): boolean {
  const year = Number(number.slice(0, 2))
  if (number.length === 9) return year <= 53
  const month = (Number(number.slice(2, 4)) % 50) % 20
  return Date.UTC(year < 54 ? 2000 + year : 1900 + year, month - 1, Number(number.slice(4, 6))) < Date.now()
}

/** Whether the day of birth of a Latvian personal code is still to come. Its seventh digit is the century, from 1800 on. */
function isBornLater(code: string): boolean {
  const [day = 0, month = 0, year = 0] = [0, 2, 4].map((at) => Number(code.slice(at, at + 2)))
  return Date.UTC(1800 + 100 * Number(code[6]) + year, month - 1, day) > Date.now()
}

const generated = fc
  .constantFrom(...forms)
  .chain(([code, form]) => fc.stringMatching(new RegExp(`^(?:${form})$`)).map((rest) => `${code}${rest}`))
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
/** A number whose last character or last digit may be any other one: with enough of them, each form has right ones. */
const changed = fc
  .tuple(generated, fc.constantFrom(/.$/, /\d(?=\D*$)/), fc.nat(259))
  .map(([text, place, number]) =>
    text.replace(place, (one) => (/\d/.test(one) ? String(number % 10) : (alphabet[number % 26] ?? one))),
  )
/** A letter where a digit may be expected. */
const lettered = fc.tuple(generated, fc.nat(), fc.constantFrom(...alphabet)).map(([text, at, letter]) => {
  const place = 2 + (at % (text.length - 2))
  return text.slice(0, place) + letter + text.slice(place + 1)
})

/** Numbers of a form that one side alone takes, and why. */
const vatDifferences: readonly (readonly [
  form: RegExp,
  isOurs: boolean,
  reason: string,
  also?: (number: string) => boolean,
])[] = [
  [
    /^SK/,
    false,
    "SK: numbers of people (rodné číslo), of which stdnum for Python says that it does not know whether they are VAT numbers; the rules of VIES have none",
  ],
  [
    /^LV\d{11}$/,
    false,
    "LV: personal codes with a day of birth that is still to come, which nobody has",
    (number) => isBornLater(number.slice(2)),
  ],
  [
    /^LV3[2-9]/,
    true,
    "LV: personal codes without a day of birth, which begin with 32 to 39 and are given out since July 2017; stdnum for Python has those with 32 since version 2.2",
  ],
  [
    /^CZ\d{9,10}$/,
    false,
    "CZ: numbers of people who are still to be born, or were born in 1880, which nobody has",
    (number) => !isBirthOfTheLiving(number.slice(2)),
  ],
  [
    /^BE[2-9]\d{9}$/,
    false,
    "BE: numbers that begin with 2 to 9, which nobody has; stdnum for Python refuses them since its commit 7ca9b6c of 2025",
  ],
  [
    /^BE\d{7,8}9[89]$/,
    false,
    "BE: 98 and 99 as check digits; the rules of VIES compute 97 minus a remainder, at most 97",
  ],
]

const isVat = async (number: string, country?: string) =>
  (await ask(vatvalidator, { number, ...(country !== undefined && { country }) }))?.is_valid ?? false

const vats: Kind = {
  api: "vatvalidator",
  cases: 20_000,
  generate: fc.oneof(generated, changed, changed, lettered),
  ours: async (number) => ({ valid: await isVat(number) }),
  known: vatDifferences.map(([form, isOurs, reason, also]) => ({
    reason,
    fits: (number, ours, theirs) =>
      form.test(number) &&
      ours.valid === isOurs &&
      theirs.valid === !isOurs &&
      (also === undefined || also(number)),
  })),
}

export const oracles = [cards, goods, ibans, vats].map((kind) => {
  const { version, theirs } = byPython("check-digits.py", "python3-stdnum")
  return defineOracle<string, Answer>({
    ...kind,
    against: "python3-stdnum",
    version,
    theirs: (numbers) => theirs(numbers.map((number) => [kind.api, number])),
  })
})

type IsValid = (number: string) => Promise<boolean>
const isGtin: IsValid = async (code) => (await goods.ours(code)).valid === true
const isIban: IsValid = async (iban) => (await ibans.ours(iban)).valid === true
const vatModules =
  "at/uid be/vat bg/vat ch/vat cy/vat cz/dic de/vat dk/cvr ee/kmkr es/nif fi/alv fr/tva gb/vat gr/vat hr/oib hu/anum ie/vat it/iva lt/pvm lu/tva lv/pvn mt/vat nl/btw no/mva pl/nip pt/nif ro/cf se/vat si/ddv sk/dph".split(
    " ",
  )
/** The modules of kinds of numbers that an API has. */
const modules: Readonly<Record<string, Readonly<Record<string, IsValid>>>> = {
  gtinvalidator: { ean: isGtin, isbn: isGtin, ismn: isGtin, issn: isGtin },
  ibanvalidator: { iban: isIban },
  vatvalidator: {
    "eu/vat": (number) => isVat(number),
    ...Object.fromEntries(
      vatModules.map((module): [string, IsValid] => [
        module,
        (number) => isVat(number, module.slice(0, 2).toUpperCase()),
      ]),
    ),
  },
}

/** `>>> validate('…')` and its first line of output, which is `Traceback` for a number that is wrong. */
const example = /^>>> (?:validate|[a-z]+\.validate)\('([^']*)'\)(?: .*)?\n(.*)$/gm

export const suites: readonly Suite[] = Object.entries(modules).map(([api, own]) => ({
  api,
  name: "python-stdnum",
  get: "git clone https://github.com/arthurdejong/python-stdnum",
  async run(folder) {
    const results: Result[] = []
    for (const [name, isValid] of Object.entries(own)) {
      const text = readFileSync(join(folder, "stdnum", `${name}.py`), "utf8")
      for (const [, number = "", output = ""] of text.matchAll(example)) {
        const wanted = !output.startsWith("Traceback")
        const isRight = (await isValid(number)) === wanted
        results.push({ test: `${name} ${number}: ${wanted ? "valid" : "not valid"} there`, isRight })
      }
    }
    return results
  },
}))
