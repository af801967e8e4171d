import type { Dns } from "../contract.ts"
import type { Destination } from "../mail/dmarc-policy.ts"
import { failureOf, isDmarc, organizationalDomain, walkDmarc } from "../mail/dmarc-walk.ts"
import { isWithin } from "../mail/dnssec/names.ts"
import { hostOf } from "./record.ts"

/** Addresses of one record that are asked about; each may need nine questions. */
const maxDomains = 10

/**
 * Whether the domains of addresses take reports about the domain of a record. Domains with another organizational domain agree by
 * a record (RFC 9990, "Verifying External Destinations").
 * @returns `is_permitted` is null where the DNS gave no answer
 */
export function findPermissions(
  recordDomain: string,
  organizational: string,
  destinations: readonly Destination[],
  dns: Dns,
  signal: AbortSignal,
) {
  const domains = [...new Set(destinations.flatMap((one) => hostOf(one) ?? []))].slice(0, maxDomains)
  return Promise.all(
    domains.map(async (domain) => {
      // A domain below another one has the same organizational domain, unless its own record says otherwise.
      if (isWithin(domain, organizational)) return { domain, is_external: false, is_permitted: true }
      const answer = await dns.resolve(`${recordDomain}._report._dmarc.${domain}`, "TXT", signal)
      if (answer.kind === "failure") return { domain, is_external: true, is_permitted: null }
      if (answer.kind === "records" && answer.records.some(isDmarc))
        return { domain, is_external: true, is_permitted: true }
      const steps = await walkDmarc(domain, dns, signal)
      if (failureOf(steps)) return { domain, is_external: true, is_permitted: null }
      const is_external = organizationalDomain(domain, steps) !== organizational
      return { domain, is_external, is_permitted: !is_external }
    }),
  )
}
