import type { DnsZone } from "../contract.ts"
import { exampleGiven } from "../mail/dnssec/example-zone.ts"
import { records, web } from "./example-records.json"

/** The records besides the signed ones. */
export const auditRecords: DnsZone = records

const signed = exampleGiven.dns
const names = [...new Set([...Object.keys(signed), ...Object.keys(auditRecords)])]

/** The time, the DNS and the replies that the examples are given. */
export const auditGiven = {
  now: exampleGiven.now,
  dns: Object.fromEntries(
    names.map((name) => [name, [...(signed[name] ?? []), ...(auditRecords[name] ?? [])]]),
  ) satisfies DnsZone,
  web,
  parameters: exampleGiven.parameters,
}
