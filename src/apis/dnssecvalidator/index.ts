import { toIso } from "../../values/time-text.ts"
import { defineApi } from "../contract.ts"
import { algorithmName } from "../mail/dnssec/algorithms.ts"
import { Chain } from "../mail/dnssec/chain.ts"
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
import { type Finding, validate } from "../mail/dnssec/validate.ts"
import { requireName, withTimeLimit } from "../mail/look-up.ts"
import { storedExamples } from "../shared.ts"
import answers from "./answers.json"
import { newProblems, problem } from "./problems.ts"
import { type DnssecReport, input, output } from "./schema.ts"

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
