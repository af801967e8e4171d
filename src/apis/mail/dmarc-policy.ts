import type { Dns } from "../contract.ts"
import { type DmarcRecord, failureOf, policyRecord, walkDmarc } from "./dmarc-walk.ts"

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
  const { p, sp } = policiesOf(used)
  return { found: "yes", policy: used.domain === domain ? p : sp, domain: used.domain, record: used.text }
}

/** The policies of a record for its domain, for domains below it, and for those that do not exist (RFC 9989 §4.10.1). */
export function policiesOf({ tags }: DmarcRecord): Readonly<Record<"p" | "sp" | "np", DmarcPolicyName>> {
  const read = (tag: string) => {
    const value = tags.get(tag)?.toLowerCase()
    return value === undefined ? undefined : (dmarcPolicies.find((one) => one === value) ?? null)
  }
  const [p, sp, np] = [read("p"), read("sp"), read("np")]
  // With one that cannot be read, the record counts as `p=none`.
  if (!p || sp === null || np === null) return { p: "none", sp: "none", np: "none" }
  return { p, sp: sp ?? p, np: np ?? sp ?? p }
}
