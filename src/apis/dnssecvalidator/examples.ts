import { exampleGiven, exampleAnchor as trust_anchor } from "../mail/dnssec/example-zone.ts"
import { storedExamples } from "../stored-examples.ts"
import answers from "./answers.json"

export const examples = storedExamples(
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
