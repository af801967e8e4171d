import type { Dns } from "../contract.ts"
import { type DmarcRecord, failureOf, maxRecordBytes, policyRecord, walkDmarc } from "./dmarc-walk.ts"
import { type ReportAddress, readReportAddresses, toReportAddress } from "./report-address.ts"

/** The policies of DMARC, the weakest first (RFC 9989 §4.7). */
export const dmarcPolicies = ["none", "quarantine", "reject"] as const
export type DmarcPolicyName = (typeof dmarcPolicies)[number]

const absent = { policy: null, record_domain: null, record: null } as const

/**
 * Finds the policy for mail from a domain, which is taken to exist, by the tree walk of RFC 9989 §4.10.
 * @returns `has_record` is null if the DNS did not answer; `record_domain` is the domain or its organizational domain
 */
export async function findDmarc(domain: string, dns: Dns, signal: AbortSignal) {
  const steps = await walkDmarc(domain, dns, signal)
  const [first] = steps
  const own = first?.kind === "answer" ? first.record : null
  if (own === null && failureOf(steps)) return { has_record: null, ...absent }
  const used = own ?? policyRecord(domain, steps)
  const policies = used && policiesOf(used)
  if (!used || !policies) return { has_record: false, ...absent }
  const { domain: record_domain, text: record } = used
  return { has_record: true, policy: policies[record_domain === domain ? "p" : "sp"], record_domain, record }
}

/**
 * The policies of a record for its domain, for domains below it, and for those that do not exist (RFC 9989 §4.10.1). Null for a
 * record that does not count, since it has neither a valid policy nor an address for reports.
 */
export function policiesOf(record: DmarcRecord): Readonly<Record<"p" | "sp" | "np", DmarcPolicyName>> | null {
  const { tags } = record
  const read = (tag: string) => {
    const value = tags.get(tag)?.toLowerCase()
    return value === undefined ? undefined : (dmarcPolicies.find((one) => one === value) ?? null)
  }
  const [p, sp, np] = [read("p"), read("sp"), read("np")]
  if (p && sp !== null && np !== null) return { p, sp: sp ?? p, np: np ?? sp ?? p }
  // With one that cannot be read, a record that asks for reports counts as `p=none`.
  const isAsking = readDestinations(tags.get("rua")).some(({ isUri }) => isUri)
  return isAsking ? { p: "none", sp: "none", np: "none" } : null
}

/** An address for reports of DMARC. */
export interface Destination extends ReportAddress {
  /** It had a largest size of reports, such as `!10m`, which receivers ignore (RFC 9989 §4.8, obs-dmarc-report-size). */
  readonly hadSize: boolean
}

/** The addresses of `rua` or `ruf`, without the sizes of RFC 7489 §6.2 after them. */
export function readDestinations(value: string | undefined): Destination[] {
  if (value === undefined || value.length > maxRecordBytes) return []
  return readReportAddresses(value).map((written) => {
    const uri = written.uri.replace(/!\d+[kmgt]?$/i, "")
    return { ...toReportAddress(uri), hadSize: uri !== written.uri }
  })
}
