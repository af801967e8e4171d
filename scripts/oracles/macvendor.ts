import fc from "fast-check"
import { builtInVendors, formatMac, macvendor } from "../../src/apis/macvendor/index.ts"
import { ask, askPython, debianVersion, defineOracle } from "./oracle.ts"

interface Answer {
  readonly prefix: string | null
  /** In lower case and with letters and digits alone, since the lists differ in quotation marks and white space. */
  readonly organization: string | null
}

const plain = (name: string | null) => name?.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "") ?? null
const lines = (await builtInVendors.lines()).toString().trimEnd().split("\n")
const prefixes = lines.map((line) => /^[0-9A-F]+/.exec(line)?.[0] ?? "")
const digits = (length: number) =>
  fc.string({ unit: fc.constantFrom(..."0123456789ABCDEF"), minLength: length, maxLength: length })
const assigned = fc
  .constantFrom(...prefixes)
  .chain((prefix) => digits(12 - prefix.length).map((rest) => formatMac(prefix + rest)))
const near = fc
  .constantFrom(...prefixes)
  .chain((prefix) => digits(7).map((rest) => formatMac(prefix.slice(0, 5) + rest)))
/** Individual addresses alone: the list of ieee-data has no others. */
const any = digits(12).map((text) =>
  formatMac(
    text.replace(
      /^(.)(.)/,
      (_, one, two) => one + (Number.parseInt(two, 16) & 14).toString(16).toUpperCase(),
    ),
  ),
)

const authority = "ieeeregistrationauthority"

export const oracle = defineOracle<string, Answer>({
  api: "macvendor",
  against: "ieee-data",
  cases: 10_000,
  generate: fc.oneof(
    { weight: 6, arbitrary: assigned },
    { weight: 2, arbitrary: near },
    { weight: 1, arbitrary: any },
  ),
  version: () => debianVersion("ieee-data"),
  async ours(mac) {
    const answer = await ask(macvendor, { mac })
    const organization = answer?.is_private ? "private" : plain(answer?.organization ?? null)
    return answer?.is_divided
      ? { prefix: mac.replaceAll(":", "").slice(0, 6), organization: authority }
      : { prefix: answer?.prefix?.replaceAll(":", "") ?? null, organization }
  },
  async theirs(macs) {
    const answers = await askPython<Answer>("macvendor.py", macs, "ieee-data")
    return answers.map(({ prefix, organization }) => ({ prefix, organization: plain(organization) }))
  },
  known: [
    {
      reason:
        "a part of a divided block that the registration authority lists under its own name: nobody has it, and our list leaves it out",
      fits: (_mac, ours, theirs) =>
        theirs.organization === authority &&
        ours.organization === authority &&
        theirs.prefix?.startsWith(ours.prefix ?? "-") === true,
    },
    {
      reason: "assigned, or divided further, after ieee-data's list of August 2022",
      fits: (_mac, ours, theirs) => (ours.prefix?.length ?? 0) > (theirs.prefix?.length ?? 0),
    },
    {
      reason:
        "the same prefix under a name that the organization has changed since, or has hidden or published",
      fits: (_mac, ours, theirs) => ours.prefix === theirs.prefix,
    },
  ],
})
