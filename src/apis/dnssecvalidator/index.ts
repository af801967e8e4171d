import { defineApi } from "../contract.ts"
import { Chain } from "../mail/dnssec/chain.ts"
import { exampleGiven, exampleAnchor as trust_anchor } from "../mail/dnssec/example-zone.ts"
import type { DelegationSigner } from "../mail/dnssec/keys.ts"
import { limits } from "../mail/dnssec/limits.ts"
import { requireAnchors, rootAnchors } from "../mail/dnssec/root-anchors.ts"
import { createQuestions, createSession } from "../mail/dnssec/session.ts"
import { validate } from "../mail/dnssec/validate.ts"
import { requireName } from "../mail/domain-name.ts"
import { withTimeLimit } from "../mail/look-up.ts"
import { storedExamples } from "../shared.ts"
import answers from "./answers.json"
import { toReport } from "./report.ts"
import { input, output } from "./schema.ts"

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
