import { exampleAnchor as trust_anchor } from "../mail/dnssec/example-zone.ts"
import { storedExamples } from "../stored-examples.ts"
import answers from "./answers.json"
import { auditGiven as given } from "./example-domains.ts"

export const examples = storedExamples(
  {
    given,
    examples: [
      {
        name: "A domain with everything",
        input: { domain: "all.dane.test", trust_anchor },
        given: { ...given, domain: "all.dane.test" },
      },
      { name: "A domain that anybody can forge", input: { domain: "plain.test", trust_anchor } },
      { name: "A domain whose signatures have expired", input: { domain: "expired.test", trust_anchor } },
    ],
  },
  answers,
)
