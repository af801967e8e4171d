import fc from "fast-check"
import { vatvalidator } from "../../src/apis/vatvalidator/index.ts"
import { ask, askPython, debianVersion, defineOracle } from "./oracle.ts"

const forms: Readonly<Record<string, string>> = {
  ...{
    AT: "U\\d{8}",
    BE: "[01]\\d{9}",
    BG: "\\d{9,10}",
    CH: "E\\d{9}(MWST|TVA|IVA)",
    CY: "\\d{8}[A-Z]",
    CZ: "\\d{8,10}",
  },
  ...{
    DE: "[1-9]\\d{8}",
    DK: "[1-9]\\d{7}",
    EE: "10\\d{7}",
    EL: "\\d{9}",
    ES: "[A-Z0-9]\\d{7}[A-Z0-9]",
    FI: "\\d{8}",
  },
  ...{
    FR: "[0-9A-HJ-NP-Z]{2}\\d{9}",
    GB: "\\d{9}",
    HR: "\\d{11}",
    HU: "\\d{8}",
    IE: "\\d{7}[A-W]{1,2}",
    IT: "\\d{11}",
  },
  ...{
    LT: "\\d{9}|\\d{12}",
    LU: "\\d{8}",
    LV: "\\d{11}|3[2-9]\\d{9}",
    MT: "[1-9]\\d{7}",
    NL: "\\d{9}B\\d{2}",
    NO: "\\d{9}MVA",
  },
  ...{
    PL: "\\d{10}",
    PT: "[1-9]\\d{8}",
    RO: "[1-9]\\d{1,9}",
    SE: "\\d{10}01",
    SI: "[1-9]\\d{7}",
    SK: "[1-9]\\d{9}",
  },
}
/** Whether a Czech rodné číslo begins with a day of birth of somebody who can be alive: those of 9 digits end in 1953. */
function isBirthOfTheLiving(number: string): boolean {
  const year = Number(number.slice(0, 2))
  if (number.length === 9) return year <= 53
  const month = (Number(number.slice(2, 4)) % 50) % 20
  const birth = Date.UTC(year < 54 ? 2000 + year : 1900 + year, month - 1, Number(number.slice(4, 6)))
  return birth < Date.now()
}

const generated = fc
  .constantFrom(...Object.entries(forms))
  .chain(([code, form]) => fc.stringMatching(new RegExp(`^(?:${form})$`)).map((rest) => `${code}${rest}`))
/** All last digits of a number, of which about one is right. */
const tens = generated.chain((text) => fc.nat(9).map((digit) => text.replace(/\d(?=\D*$)/, String(digit))))

export const oracle = defineOracle<string, boolean>({
  api: "vatvalidator",
  against: "python3-stdnum",
  cases: 20_000,
  generate: fc.oneof(generated, tens),
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
      reason: "LV: personal codes with a day of birth in the 22nd century or later, which nobody has",
      fits: (number, ours, theirs) => /^LV\d{6}[3-9]/.test(number) && !ours && theirs,
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
      reason: "BE: 98 and 99 as check digits; the rules of VIES compute 97 minus a remainder, at most 97",
      fits: (number, ours, theirs) => /^BE\d{8}9[89]$/.test(number) && !ours && theirs,
    },
  ],
})
