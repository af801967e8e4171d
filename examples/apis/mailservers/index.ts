import { defineApi, Type, unavailable } from "penknife/plugin"
import { byPreference } from "./by-preference.ts"

export default defineApi({
  id: "mailservers",
  title: "Mail servers",
  category: "mail",
  keywords: ["MX"],
  description: "Finds the mail servers of a domain, the preferred one first.",
  method: "GET",
  credits: 2,
  asksDns: true,
  input: Type.Object({
    domain: Type.String({ minLength: 1, maxLength: 253, description: "The domain, such as `example.com`." }),
  }),
  output: Type.Object({
    servers: Type.Array(Type.String({ description: "A server's name." }), {
      description: "The servers; empty when the domain has none.",
    }),
  }),
  examples: [
    {
      name: "Two servers",
      input: { domain: "good.example" },
      output: { servers: ["mx1.good.example", "mx2.good.example"] },
      given: {
        dns: { "good.example": [{ MX: [20, "mx2.good.example"] }, { MX: [10, "mx1.good.example"] }] },
      },
    },
  ],
  async run({ domain }, { ports }) {
    const answer = await ports.dns.resolve(domain, "MX")
    if (answer.kind === "failure") unavailable("The DNS gave no answer. Try again later.", answer.reason)
    return { servers: answer.kind === "records" ? byPreference(answer.records) : [] }
  },
})
