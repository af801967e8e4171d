import fc from "fast-check"
import { PhoneNumberFormat, PhoneNumberType, PhoneNumberUtil } from "google-libphonenumber"
import packageJson from "../../package.json" with { type: "json" }
import { phonevalidator } from "../../src/apis/phonevalidator/index.ts"
import { ask, defineOracle } from "./oracle.ts"

interface Case {
  readonly number: string
  readonly country: string
}
interface Answer {
  readonly valid: boolean
  readonly kind: string | null
  readonly e164: string | null
  readonly national: string | null
}

const util = PhoneNumberUtil.getInstance()
const typeNames = new Map(Object.entries(PhoneNumberType).map(([name, value]) => [value, name.toLowerCase()]))
const regions = util.getSupportedRegions()
const known = regions.flatMap((country) =>
  Object.values(PhoneNumberType).flatMap((type) => {
    const example = typeof type === "number" && type >= 0 ? util.getExampleNumberForType(country, type) : null
    return example ? [{ country, number: util.format(example, PhoneNumberFormat.E164) }] : []
  }),
)
const changed = fc
  .tuple(fc.constantFrom(...known), fc.array(fc.tuple(fc.nat(), fc.nat(9)), { maxLength: 3 }))
  .map(([{ country, number }, changes]) => {
    const digits = [...number]
    for (const [at, digit] of changes) digits[4 + (at % (digits.length - 4))] = String(digit)
    return { country, number: digits.join("") }
  })

function theirs({ number, country }: Case): Answer {
  const parsed = util.parse(number, country)
  const valid = util.isValidNumber(parsed)
  return {
    valid,
    kind: valid ? (typeNames.get(util.getNumberType(parsed)) ?? null) : null,
    e164: util.format(parsed, PhoneNumberFormat.E164),
    national: valid ? util.format(parsed, PhoneNumberFormat.NATIONAL) : null,
  }
}

export const oracle = defineOracle<Case, Answer>({
  api: "phonevalidator",
  against: "google-libphonenumber",
  cases: 10_000,
  fixed: known,
  generate: changed,
  version: async () => packageJson.devDependencies["google-libphonenumber"],
  async ours(test) {
    const answer = await ask(phonevalidator, { ...test })
    const valid = answer?.is_valid ?? false
    return {
      valid,
      kind: valid ? (answer?.kind ?? null) : null,
      e164: answer?.e164 ?? null,
      national: valid ? (answer?.national ?? null) : null,
    }
  },
  theirs: async (tests) => tests.map(theirs),
  known: [
    {
      reason: "numbering plans of different releases: BJ, BW, CR, EC, GH, GY and ZW changed theirs",
      fits: ({ country }) => ["BJ", "BW", "CR", "EC", "GH", "GY", "ZW"].includes(country),
    },
    {
      reason: "Saint Helena and Tristan da Cunha share +290, and libphonenumber-js does not tell them apart",
      fits: ({ country }) => ["SH", "TA"].includes(country),
    },
  ],
})
