import fc from "fast-check"
import { type PhoneNumber, PhoneNumberFormat, PhoneNumberType, PhoneNumberUtil } from "google-libphonenumber"
import packageJson from "../../package.json" with { type: "json" }
import { phonevalidator } from "../../src/apis/phonevalidator/index.ts"
import { ask, defineOracle } from "./oracle.ts"

interface Case {
  readonly number: string
  /** Null for a calling code that no country has. */
  readonly country: string | null
}
interface Answer {
  readonly valid: boolean
  readonly e164: string | null
  /** Null where the number is not valid, as all that follows. */
  readonly kind: string | null
  readonly country: string | null
  readonly national: string | null
  readonly rfc3966: string | null
}

/** Parts that the types of the package lack. */
interface GlobalNetworks {
  getSupportedGlobalNetworkCallingCodes(): readonly number[]
  getExampleNumberForNonGeoEntity(callingCode: number): PhoneNumber | null
}

const util = PhoneNumberUtil.getInstance() as PhoneNumberUtil & GlobalNetworks
const typeNames = new Map(Object.entries(PhoneNumberType).map(([name, value]) => [value, name.toLowerCase()]))

/** An example number of each type in each region, and those of calling codes that no country has. */
const examples: readonly Case[] = [
  ...util.getSupportedRegions().flatMap((country) =>
    Object.values(PhoneNumberType).flatMap((type) => {
      const example =
        typeof type === "number" && type >= 0 ? util.getExampleNumberForType(country, type) : null
      return toCase(country, example)
    }),
  ),
  ...util
    .getSupportedGlobalNetworkCallingCodes()
    .flatMap((code) => toCase(null, util.getExampleNumberForNonGeoEntity(code))),
]

function toCase(country: string | null, example: PhoneNumber | null): readonly Case[] {
  return example ? [{ country, number: util.format(example, PhoneNumberFormat.E164) }] : []
}

const changed = fc
  .tuple(fc.constantFrom(...examples), fc.array(fc.tuple(fc.nat(), fc.nat(9)), { maxLength: 3 }))
  .map(([{ country, number }, changes]) => {
    const digits = [...number]
    for (const [at, digit] of changes) digits[4 + (at % (digits.length - 4))] = String(digit)
    return { country, number: digits.join("") }
  })

function theirs({ number, country }: Case): Answer {
  const parsed = util.parse(number, country ?? undefined)
  const valid = util.isValidNumber(parsed)
  const region: string | undefined = util.getRegionCodeForNumber(parsed)
  return {
    valid,
    e164: util.format(parsed, PhoneNumberFormat.E164),
    kind: valid ? (typeNames.get(util.getNumberType(parsed)) ?? null) : null,
    // 001 stands for no country.
    country: valid && region !== "001" ? (region ?? null) : null,
    national: valid ? util.format(parsed, PhoneNumberFormat.NATIONAL) : null,
    rfc3966: valid ? util.format(parsed, PhoneNumberFormat.RFC3966).replace(/-/g, "") : null,
  }
}

export const oracle = defineOracle<Case, Answer>({
  api: "phonevalidator",
  against: "google-libphonenumber",
  cases: 10_000,
  fixed: examples,
  generate: changed,
  version: async () => packageJson.devDependencies["google-libphonenumber"],
  async ours({ number, country }) {
    const answer = await ask(phonevalidator, { number, ...(country && { country }) })
    const valid = answer?.is_valid ?? false
    const rest = valid && answer ? answer : null
    return {
      ...{ valid, e164: answer?.e164 ?? null, kind: rest?.kind ?? null, country: rest?.country ?? null },
      ...{ national: rest?.national ?? null, rfc3966: rest?.formats?.rfc3966 ?? null },
    }
  },
  theirs: async (tests) => tests.map(theirs),
  known: [
    {
      reason: "numbering plans of different releases: BJ, BW, CR, EC, GH, GY and ZW changed theirs",
      fits: ({ country }) => ["BJ", "BW", "CR", "EC", "GH", "GY", "ZW"].includes(country ?? ""),
    },
    {
      reason: "Saint Helena and Tristan da Cunha share +290, and libphonenumber-js does not tell them apart",
      fits: ({ country }) => ["SH", "TA"].includes(country ?? ""),
    },
  ],
})
