import { defineApi } from "../contract.ts"
import { withTimeLimit } from "../mail/look-up.ts"
import { storedExamples } from "../shared.ts"
import answers from "./answers.json"
import stored from "./examples.json"
import { limits } from "./record.ts"
import { input, output } from "./schema.ts"

export const spfvalidator = defineApi({
  id: "spfvalidator",
  title: "SPF validator",
  category: "mail",
  keywords: [
    "sender policy framework",
    "spoofing",
    "forged mail",
    "who may send mail",
    "authentication",
    "TXT record",
    "DNS",
    "deliverability",
  ],
  description:
    "Looks up a domain's SPF record with every record that it includes or redirects to, and reports what is wrong " +
    "(RFC 7208). With an IP address, also checks whether that address may send mail for the domain.",
  method: "GET",
  credits: 5,
  asksDns: true,
  input,
  output,
  examples: storedExamples(stored, answers),
  async run(parameters, context) {
    // Loaded on the first call, with the library that finds similar names.
    const { validate } = await import("./validate.ts")
    return withTimeLimit(context.ports.timer, limits.validationMs, (signal) =>
      validate(parameters, context, signal),
    )
  },
})
