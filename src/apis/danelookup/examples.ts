import { exampleGiven as given, exampleAnchor as trust_anchor } from "../mail/dnssec/example-zone.ts"
import { storedExamples } from "../stored-examples.ts"
import answers from "./answers.json"

export const examples = storedExamples(
  {
    examples: [
      {
        name: "A mail server that senders authenticate",
        input: { host: "good.dane.test", port: 25, trust_anchor },
        given: { ...given, domain: "good.dane.test" },
      },
      {
        name: "The mail servers of a domain",
        input: { host: "all.dane.test", trust_anchor },
        given: { ...given, domain: "all.dane.test" },
      },
      {
        name: "Records that mail servers cannot use",
        input: { host: "pkix.dane.test", trust_anchor },
        given: { ...given, domain: "pkix.dane.test" },
      },
      { name: "Records that are not signed", input: { host: "mail.plain.test", trust_anchor }, given },
    ],
  },
  answers,
)
