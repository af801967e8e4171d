import type { DnsType, DnsZone } from "../../contract.ts"
import { answers, trust_anchor } from "./example-answers.json"

/** The replies of a DNS with its own root, as `bun run data:dnssec-zones` writes them from test/data/dnssec. */
const dns: DnsZone = Object.fromEntries(
  Object.entries(answers).map(([name, messages]) => [
    name,
    messages.map(({ type, message }) => ({ ANSWER: { type: toType(type), message } })),
  ]),
)

/** The trust anchor of that DNS. */
export const exampleAnchor = trust_anchor

/** The DNS, and a time at which its signatures are valid. */
export const exampleGiven = { now: "2026-11-23T12:00:00Z", dns, parameters: ["trust_anchor"] }

/** The types that the examples ask for. */
function toType(text: string): DnsType {
  const types = ["A", "AAAA", "CNAME", "DNSKEY", "DS", "MX", "SOA", "TLSA"] as const
  const type = types.find((one) => one === text)
  if (type === undefined) throw new Error(`no example asks for ${text}`)
  return type
}
