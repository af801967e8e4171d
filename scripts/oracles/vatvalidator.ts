import fc from "fast-check"
import { vatvalidator } from "../../src/apis/vatvalidator/index.ts"
import { ask, askPython, debianVersion, defineOracle } from "./oracle.ts"
import { vatSuite } from "./suites/stdnum.ts"

/** Wider than the forms of each country: any first digit, neighbouring lengths and all endings, since the oracle judges them. */
const forms: Readonly<Record<string, string>> = Object.fromEntries(
  `AT U\\d{7,9}|\\d{9}
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
    .map((line) => line.split(" ")),
)

/** Whether a Czech rodné číslo begins with a day of birth of somebody who can be alive: those of 9 digits end in 1953. */
function isBirthOfTheLiving(number: string): boolean {
  const year = Number(number.slice(0, 2))
  if (number.length === 9) return year <= 53
  const month = (Number(number.slice(2, 4)) % 50) % 20
  const birth = Date.UTC(year < 54 ? 2000 + year : 1900 + year, month - 1, Number(number.slice(4, 6)))
  return birth < Date.now()
}

/** Whether the day of birth of a Latvian personal code is still to come. Its seventh digit is the century, from 1800 on. */
function isBornLater(code: string): boolean {
  const [day = 0, month = 0, year = 0] = [0, 2, 4].map((at) => Number(code.slice(at, at + 2)))
  return Date.UTC(1800 + 100 * Number(code[6]) + year, month - 1, day) > Date.now()
}

const generated = fc
  .constantFrom(...Object.entries(forms))
  .chain(([code, form]) => fc.stringMatching(new RegExp(`^(?:${form})$`)).map((rest) => `${code}${rest}`))
const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
/** A number whose last character or last digit may be any other one: with enough of them, each form has right ones. */
const changed = fc
  .tuple(generated, fc.constantFrom(/.$/, /\d(?=\D*$)/), fc.nat(259))
  .map(([text, place, number]) =>
    text.replace(place, (last) => (/\d/.test(last) ? String(number % 10) : (letters[number % 26] ?? last))),
  )
/** A letter where a digit may be expected. */
const lettered = fc.tuple(generated, fc.nat(), fc.constantFrom(...letters)).map(([text, at, letter]) => {
  const place = 2 + (at % (text.length - 2))
  return text.slice(0, place) + letter + text.slice(place + 1)
})

export const oracle = defineOracle<string, boolean>({
  api: "vatvalidator",
  against: "python3-stdnum",
  cases: 20_000,
  generate: fc.oneof(generated, changed, changed, lettered),
  version: () => debianVersion("python3-stdnum"),
  ours: async (number) => (await ask(vatvalidator, { number }))?.is_valid ?? false,
  theirs: (numbers) => askPython("vatvalidator.py", numbers, "python3-stdnum"),
  known: [
    {
      reason:
        "SK: numbers of people (rodné číslo), of which stdnum for Python says that it does not know whether they are VAT numbers; the rules of VIES have none",
      fits: (number, ours, theirs) => number.startsWith("SK") && !ours && theirs,
    },
    {
      reason: "LV: personal codes with a day of birth that is still to come, which nobody has",
      fits: (number, ours, theirs) =>
        /^LV\d{11}$/.test(number) && !ours && theirs && isBornLater(number.slice(2)),
    },
    {
      reason:
        "LV: personal codes without a day of birth, which begin with 32 to 39 and are given out since July 2017; stdnum for Python has those with 32 since version 2.2",
      fits: (number, ours, theirs) => /^LV3[2-9]/.test(number) && ours && !theirs,
    },
    {
      reason: "CZ: numbers of people who are still to be born, or were born in 1880, which nobody has",
      fits: (number, ours, theirs) =>
        /^CZ\d{9,10}$/.test(number) && !ours && theirs && !isBirthOfTheLiving(number.slice(2)),
    },
    {
      reason:
        "BE: numbers that begin with 2 to 9, which nobody has; stdnum for Python refuses them since its commit 7ca9b6c of 2025",
      fits: (number, ours, theirs) => /^BE[2-9]\d{9}$/.test(number) && !ours && theirs,
    },
    {
      reason: "BE: 98 and 99 as check digits; the rules of VIES compute 97 minus a remainder, at most 97",
      fits: (number, ours, theirs) => /^BE\d{7,8}9[89]$/.test(number) && !ours && theirs,
    },
  ],
})

export const suites = [vatSuite]
