import type { Dns } from "../contract.ts"
import { type DmarcRecord, failureOf, maxRecordBytes, policyRecord, walkDmarc } from "./dmarc-walk.ts"
import { type ReportAddress, readReportAddresses, toReportAddress } from "./report-address.ts"

/** The policies of DMARC, the weakest first (RFC 9989 §4.7). */
export const dmarcPolicies = ["none", "quarantine", "reject"] as const
export type DmarcPolicyName = (typeof dmarcPolicies)[number]

/** The DMARC policy for mail from a domain. */
export interface DmarcPolicy {
  /** `unknown`: the DNS did not answer. */
  readonly found: "yes" | "no" | "unknown"
  /** What receivers are asked to do with mail that fails; null without a record. */
  readonly policy: DmarcPolicyName | null
  /** The domain whose record it is: the asked one, or its organizational domain; null without a record. */
  readonly domain: string | null
  readonly record: string | null
}

const absent = { policy: null, domain: null, record: null } as const

/** Finds the policy for mail from a domain, which is taken to exist, by the tree walk of RFC 9989 §4.10. */
export async function findDmarc(domain: string, dns: Dns, signal: AbortSignal): Promise<DmarcPolicy> {
  const steps = await walkDmarc(domain, dns, signal)
  const [first] = steps
  const own = first?.kind === "answer" ? first.record : null
  if (own === null && failureOf(steps)) return { found: "unknown", ...absent }
  const used = own ?? policyRecord(domain, steps)
  if (used === undefined) return { found: "no", ...absent }
  const policies = policiesOf(used)
  if (policies === null) return { found: "no", ...absent }
  const { p, sp } = policies
  return { found: "yes", policy: used.domain === domain ? p : sp, domain: used.domain, record: used.text }
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
