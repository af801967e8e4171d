import { type Static, Type } from "@sinclair/typebox"
import { toIso } from "../../values/time-text.ts"
import { choice, defineApi, nullable, nullableText, premium } from "../contract.ts"
import { algorithmName } from "../mail/dnssec/algorithms.ts"
import { exampleGiven, exampleAnchor as trust_anchor } from "../mail/dnssec/example-zone.ts"
import { requireAnchors, rootAnchors } from "../mail/dnssec/root-anchors.ts"
import {
  type ChainLink,
  type CheckedSignature,
  createQuestions,
  createSession,
  type DelegationSigner,
  limits,
  type Session,
  usableSigners,
} from "../mail/dnssec/session.ts"
import { Chain, type Finding, validate } from "../mail/dnssec/validate.ts"
import { requireName, withTimeLimit } from "../mail/look-up.ts"
import { field, storedExamples } from "../shared.ts"
import answers from "./answers.json"
import { newProblems, problem, problemList } from "./problems.ts"

/** The types whose records can be validated. Signatures and denials are parts of a validation, not its object. */
const types = [
  "A",
  "AAAA",
  "CAA",
  "CNAME",
  "DNAME",
  "DNSKEY",
  "DS",
  "HTTPS",
  "MX",
  "NAPTR",
  "NS",
  "PTR",
  "SOA",
  "SRV",
  "SSHFP",
  "SVCB",
  "TLSA",
  "TXT",
] as const

const input = Type.Object({
  name: field.text(
    "The name whose records to validate, such as www.example.com, or `.` for the root. International names are converted to A-labels.",
    { minLength: 1, maxLength: 1000 },
  ),
  type: Type.Optional(choice(types, { description: "The type of the records.", default: "A" })),
  trust_anchor: field.optional.text(
    "For a DNS with its own root: the data of a DS record of the root's key, such as `20326 8 2 E06D…`. Default: the keys of the root of the Internet, KSK-2017 and KSK-2024, or those that the service was given.",
    { minLength: 1, maxLength: 300 },
  ),
})

const key = Type.Object({
  key_tag: field.integer("The tag of the key (RFC 4034 appendix B)."),
  algorithm: field.text("The name of its algorithm; its number if it is not supported."),
  flags: field.integer("257 for a key that signs keys, 256 for one that signs data."),
  is_matched: field.flag("Whether it matches a DS record or trust anchor."),
})

const signature = Type.Object({
  name: field.text("The name whose records it signs."),
  type: field.text("The type of these records."),
  key_tag: field.integer("The tag of the key."),
  algorithm: field.text("The name of the algorithm."),
  valid_from: field.text("Since when it is valid (RFC 3339)."),
  valid_until: field.text("Until when it is valid (RFC 3339)."),
  days_left: field.integer("Whole days until then."),
})

const link = Type.Object({
  zone: field.text("The name of the zone; `.` for the root."),
  ds: field.nullableTexts("Its DS records, as a zone file writes them; null for the root."),
  keys: Type.Array(key, { description: "Its keys." }),
  signatures: Type.Array(signature, {
    description:
      "The signatures that were used: of its DS records by its parent, of its keys, and of its data.",
  }),
})

const output = Type.Object({
  name: field.text("The name that was validated, in lower case."),
  type: field.text("The type of the records."),
  status: choice(["secure", "insecure", "bogus", "indeterminate"], {
    description:
      "`secure`: signed all the way from the root. `insecure`: proven to be unsigned, so anybody could have changed it. `bogus`: it should be signed and is not, or not correctly; validating resolvers do not answer. `indeterminate`: the DNS gave no answer (RFC 4033 §5).",
  }),
  is_secure: field.flag("Whether the status is `secure`."),
  reason: nullableText("Why the status is not `secure`, with the section of the standard; null if it is."),
  result: nullable(choice(["records", "nodata", "nxdomain"], { description: "The result." }), {
    description:
      "`records`: there are records of the type. `nodata`: the name has none. `nxdomain`: the name does not exist. Null without an answer.",
  }),
  records: field.rows("The records. Do not use those that are bogus.", {
    name: field.text("The owner of the record: the given name, or the last of `aliases`."),
    type: field.text("Its type."),
    ttl: field.integer("Its TTL in seconds, as the DNS server gave it."),
    value: field.text("Its data as a zone file writes them."),
  }),
  aliases: field.texts("The names that the name is an alias for, in the order in which they lead on."),
  valid_until: nullableText(
    "When the first of the signatures that were used expires; null if there was none.",
  ),
  problems: problemList,
  chain: premium(
    Type.Array(link, {
      description: "The zones from the root on whose keys were found, each with what was checked.",
    }),
  ),
})

type DnssecReport = Static<typeof output>

const examples = storedExamples(
  {
    given: exampleGiven,
    examples: [
      {
        name: "Signed all the way from the root",
        input: { name: "www.ed25519.test", type: "A", trust_anchor },
      },
      { name: "Signatures that have expired", input: { name: "www.expired.test", trust_anchor } },
      { name: "A zone that is not signed", input: { name: "www.plain.test", trust_anchor } },
    ],
  },
  answers,
)

/** The API with other trust anchors than those of the root of the Internet. */
export function createDnssecvalidator(serviceAnchors: readonly DelegationSigner[]) {
  return defineApi({
    id: "dnssecvalidator",
    title: "DNSSEC validator",
    category: "mail",
    keywords: [
      "DNS",
      "DNSSEC",
      "chain of trust",
      "signature",
      "RRSIG",
      "DS",
      "DNSKEY",
      "NSEC3",
      "bogus",
      "SERVFAIL",
    ],
    description:
      "Validates the DNS records of a name, or that there are none, by DNSSEC (RFC 4033 to 4035, 5155): checks every signature from the keys of the root down to the records, and says which one fails and why.",
    method: "GET",
    credits: 5,
    asksDns: true,
    input,
    output,
    examples,
    async run({ name: text, type = "A", trust_anchor: anchor }, { ports, giveWay }) {
      const anchors = requireAnchors(anchor, serviceAnchors)
      // The root is empty.
      const name = text === "." ? "" : await requireName(text)
      const now = Math.floor(ports.clock.now() / 1000)
      return withTimeLimit(ports.timer, limits.validationMs, async (signal) => {
        const session = createSession(createQuestions(ports.dns, signal), now, giveWay)
        return toReport(name, type, await validate(name, type, new Chain(session, anchors)), session)
      })
    },
  })
}

export const dnssecvalidator = createDnssecvalidator(rootAnchors)

const daySeconds = 86_400
const soonDays = 3
const sha1 = 1

/** The answer of the API for what a validation found. */
function toReport(name: string, type: string, finding: Finding, { links, now }: Session): DnssecReport {
  const { status, reason, result, records, names } = finding
  const ends = links.flatMap(({ signatures }) => signatures.map((one) => expirationOf(one, now)))
  const end = ends.length === 0 ? null : Math.min(...ends)
  return {
    name: name || ".",
    type,
    status,
    is_secure: status === "secure",
    reason: reason?.message ?? null,
    result,
    records: records.map(({ owner, type, ttlSeconds: ttl, text }) => ({
      ...{ name: owner || ".", type, ttl, value: text },
    })),
    aliases: names.slice(1),
    valid_until: end === null ? null : toIso(1000 * end),
    problems: problemsOf(finding, links, now),
    chain: links.map((link) => toLink(link, now)),
  }
}

function problemsOf({ reason }: Finding, links: readonly ChainLink[], now: number): DnssecReport["problems"] {
  const [found, add] = newProblems(reason ? [problem(reason.code, reason.at || ".", reason.message)] : [])
  for (const { zone, signers, signatures } of links) {
    const usable = usableSigners(signers ?? [])
    if (usable.length > 0 && usable.every(({ digestType }) => digestType === sha1))
      add("sha1_digest", zone, `Add a DS record of ${zone} with the digest SHA-256 (RFC 9904 §3).`)
    const first = signatures.toSorted((one, other) => expirationOf(one, now) - expirationOf(other, now))[0]
    if (!first || expirationOf(first, now) >= now + soonDays * daySeconds) continue
    const what = `${first.owner || "."} ${first.signature.typeCovered}`
    add(
      "expires_soon",
      zone || ".",
      `The signature of ${what} expires at ${toIso(1000 * expirationOf(first, now))}: sign the zone again.`,
    )
  }
  return found
}

function toLink({ zone, signers, keys, signatures }: ChainLink, now: number): DnssecReport["chain"][number] {
  return {
    zone: zone || ".",
    ds:
      signers?.map(
        ({ keyTag, algorithm, digestType, digest }) =>
          `${keyTag} ${algorithm} ${digestType} ${digest.toUpperCase()}`,
      ) ?? null,
    keys: keys.map(({ tag, algorithm, flags, isMatched }) => ({
      key_tag: tag,
      algorithm: algorithmName(algorithm),
      flags,
      is_matched: isMatched,
    })),
    signatures: signatures.map(({ owner, signature }) => ({
      name: owner || ".",
      type: signature.typeCovered,
      key_tag: signature.keyTag,
      algorithm: algorithmName(signature.algorithm),
      valid_from: toIso(1000 * toFullTime(signature.inception, now)),
      valid_until: toIso(1000 * toFullTime(signature.expiration, now)),
      days_left: Math.floor((toFullTime(signature.expiration, now) - now) / daySeconds),
    })),
  }
}

function expirationOf({ signature }: CheckedSignature, now: number): number {
  return toFullTime(signature.expiration, now)
}

/** The time nearest to now that is `time` modulo 2³² (RFC 4034 §3.1.5). */
function toFullTime(time: number, now: number): number {
  return now + ((time - now) | 0)
}
