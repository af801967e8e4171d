import type { Dns } from "../contract.ts"
import type { Destination } from "../mail/dmarc-policy.ts"
import { failureOf, isDmarc, organizationalDomain, walkDmarc } from "../mail/dmarc-walk.ts"
import { hostOf } from "./record.ts"

/** Addresses of one record that are asked about; each may need nine questions. */
const maxHosts = 10

/** Whether a host takes reports about a domain. */
export interface Permission {
  readonly host: string
  readonly is_external: boolean
  /** `unknown`: the DNS gave no answer. */
  readonly is_permitted: "yes" | "no" | "unknown"
}

/**
 * Whether the hosts of addresses take reports about the domain of a record. Hosts with another organizational domain say so by a
 * record (RFC 9990, "Verifying External Destinations").
 */
export function findPermissions(
  recordDomain: string,
  organizational: string,
  destinations: readonly Destination[],
  dns: Dns,
  signal: AbortSignal,
): Promise<Permission[]> {
  const hosts = [...new Set(destinations.flatMap((one) => hostOf(one) ?? []))].slice(0, maxHosts)
  return Promise.all(
    hosts.map(async (host): Promise<Permission> => {
      if (isBelow(host, organizational)) return { host, is_external: false, is_permitted: "yes" }
      const answer = await dns.resolve(`${recordDomain}._report._dmarc.${host}`, "TXT", signal)
      if (answer.kind === "failure") return { host, is_external: true, is_permitted: "unknown" }
      if (answer.kind === "records" && answer.records.some(isDmarc))
        return { host, is_external: true, is_permitted: "yes" }
      const steps = await walkDmarc(host, dns, signal)
      if (failureOf(steps)) return { host, is_external: true, is_permitted: "unknown" }
      const is_external = organizationalDomain(host, steps) !== organizational
      return { host, is_external, is_permitted: is_external ? "no" : "yes" }
    }),
  )
}

/** A domain below another one has the same organizational domain, unless its own record says otherwise. */
function isBelow(host: string, domain: string): boolean {
  return host === domain || host.endsWith(`.${domain}`)
}
