import type { Example } from "../contract.ts"
import { exampleGiven as given, exampleAnchor as trust_anchor } from "../mail/dnssec/example-zone.ts"
import { reports } from "./example-reports.json"
import type { DnssecReport, input, output } from "./schema.ts"

type DnssecExample = Example<typeof input, typeof output>

const secure: DnssecExample = {
  name: "Signed all the way from the root",
  input: { name: "www.ed25519.test", type: "A", trust_anchor },
  given,
  output: {
    name: "www.ed25519.test",
    type: "A",
    status: "secure",
    is_secure: true,
    reason: null,
    result: "records",
    records: [{ name: "www.ed25519.test", type: "A", ttl: 300, value: "192.0.2.3" }],
    aliases: [],
    ...answerOf(reports.secure, []),
  },
}

const expired = "The signatures of expired.test DNSKEY have expired (RFC 4035 §5.3.1)."
const bogus: DnssecExample = {
  name: "Signatures that have expired",
  input: { name: "www.expired.test", trust_anchor },
  given,
  output: {
    name: "www.expired.test",
    type: "A",
    status: "bogus",
    is_secure: false,
    reason: expired,
    result: "records",
    records: [{ name: "www.expired.test", type: "A", ttl: 300, value: "192.0.2.3" }],
    aliases: [],
    ...answerOf(reports.bogus, [
      { code: "signature_expired", severity: "error", message: expired, where: "expired.test DNSKEY" },
    ]),
  },
}

const unsigned = "The zone plain.test has no DS record in its parent zone (RFC 4035 §5.2)."
const insecure: DnssecExample = {
  name: "A zone that is not signed",
  input: { name: "www.plain.test", trust_anchor },
  given,
  output: {
    name: "www.plain.test",
    type: "A",
    status: "insecure",
    is_secure: false,
    reason: unsigned,
    result: "records",
    records: [{ name: "www.plain.test", type: "A", ttl: 300, value: "192.0.2.3" }],
    aliases: [],
    ...answerOf(reports.insecure, [
      { code: "no_delegation_signer", severity: "warning", message: unsigned, where: "plain.test" },
    ]),
  },
}

export const examples: readonly DnssecExample[] = [secure, bogus, insecure]

/** What comes last in an answer. */
function answerOf(
  { valid_until, chain }: Pick<DnssecReport, "valid_until" | "chain">,
  problems: DnssecReport["problems"],
) {
  return { valid_until, problems, chain }
}
