import fc from "fast-check"
import { type PhoneNumber, PhoneNumberFormat, PhoneNumberType, PhoneNumberUtil } from "google-libphonenumber"
import packageJson from "../../package.json" with { type: "json" }
import { phonevalidator } from "../../src/apis/phonevalidator/index.ts"
import { ask, defineOracle } from "./oracle.ts"

/** Parts that the types of the package lack. */
interface GlobalNetworks {
  getSupportedGlobalNetworkCallingCodes(): readonly number[]
  getExampleNumberForNonGeoEntity(callingCode: number): PhoneNumber | null
}

const util = PhoneNumberUtil.getInstance() as PhoneNumberUtil & GlobalNetworks
const typeNames = new Map(Object.entries(PhoneNumberType).map(([name, value]) => [value, name.toLowerCase()]))

/** An example number of each type in each region, and those of calling codes that no country has. */
const examples = [
  ...util
    .getSupportedRegions()
    .flatMap((region) =>
      Object.values(PhoneNumberType).map((type) =>
        typeof type === "number" ? util.getExampleNumberForType(region, type) : null,
      ),
    ),
  ...util.getSupportedGlobalNetworkCallingCodes().map((code) => util.getExampleNumberForNonGeoEntity(code)),
].filter((example) => example !== null)

/** By the form of E.164, in which they are asked for. */
const numbers = new Map(examples.map((example) => [util.format(example, PhoneNumberFormat.E164), example]))

function theirs(example: PhoneNumber | undefined) {
  if (example === undefined) return null
  const region: string | undefined = util.getRegionCodeForNumber(example)
  return {
    valid: util.isValidNumber(example),
    kind: typeNames.get(util.getNumberType(example)) ?? null,
    // 001 stands for no country.
    country: region === "001" ? null : (region ?? null),
    national: util.format(example, PhoneNumberFormat.NATIONAL),
    rfc3966: util.format(example, PhoneNumberFormat.RFC3966).replace(/-/g, ""),
  }
}

export const oracle = defineOracle<string, ReturnType<typeof theirs>>({
  api: "phonevalidator",
  against: "examples of libphonenumber",
  cases: 0,
  fixed: examples.map((example) => util.format(example, PhoneNumberFormat.E164)),
  generate: fc.constantFrom(...numbers.keys()),
  version: async () => packageJson.devDependencies["google-libphonenumber"],
  async ours(number) {
    const answer = await ask(phonevalidator, { number })
    return (
      answer && {
        valid: answer.is_valid,
        kind: answer.kind,
        country: answer.country,
        national: answer.national ?? "",
        rfc3966: answer.formats?.rfc3966 ?? "",
      }
    )
  },
  theirs: async (all) => all.map((number) => theirs(numbers.get(number))),
  known: [
    {
      reason: "numbering plans of different releases: BJ, BW and ZW changed theirs",
      fits: (number) => /^\+(?:229|267|263)/.test(number),
    },
    {
      reason: "Saint Helena and Tristan da Cunha share +290, and libphonenumber-js does not tell them apart",
      fits: (number) => number.startsWith("+290"),
    },
  ],
})
