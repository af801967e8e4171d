import { toIso } from "../../values/time-text.ts"
import { algorithmName } from "../mail/dnssec/algorithms.ts"
import { usableSigners } from "../mail/dnssec/keys.ts"
import type { ChainLink, CheckedSignature, Session } from "../mail/dnssec/session.ts"
import type { Finding } from "../mail/dnssec/validate.ts"
import { newProblems, problem } from "./problems.ts"
import type { DnssecReport } from "./schema.ts"

const daySeconds = 86_400
const soonDays = 3
const sha1 = 1

/** The answer of the API for what a validation found. */
export function toReport(
  name: string,
  type: string,
  finding: Finding,
  { links, now }: Session,
): DnssecReport {
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
