import type { Dns } from "../contract.ts"

/** Whether a domain accepts mail. */
interface MailServers {
  readonly is_accepting_mail: boolean | null
  readonly reason: (typeof reasons)[number]
  /** The servers, in the order in which senders try them. */
  readonly mail_servers: { readonly preference: number; readonly host: string }[]
}

export const reasons = ["mx", "implicit_mx", "null_mx", "no_domain", "no_address", "dns_failure"] as const
const shownServers = 50

/** Finds the mail servers of a domain (RFC 5321 §5.1, RFC 7505). */
export async function findMailServers(domain: string, dns: Dns, signal: AbortSignal): Promise<MailServers> {
  const answer = await dns.resolve(domain, "MX", signal)
  if (answer.kind === "failure") return without(null, "dns_failure")
  if (answer.kind === "nxdomain") return without(false, "no_domain")
  if (answer.kind === "nodata") return findAddress(domain, dns, signal)
  const servers = answer.records
    .filter(({ exchange }) => exchange !== "")
    .map(({ preference, exchange }) => ({ preference, host: exchange.toLowerCase() }))
    .sort((one, other) => one.preference - other.preference || (one.host < other.host ? -1 : 1))
  if (servers.length === 0) return without(false, "null_mx")
  return { is_accepting_mail: true, reason: "mx", mail_servers: servers.slice(0, shownServers) }
}

/** Without MX records, the address of the domain itself counts. */
async function findAddress(domain: string, dns: Dns, signal: AbortSignal): Promise<MailServers> {
  const answers = await Promise.all([dns.resolve(domain, "A", signal), dns.resolve(domain, "AAAA", signal)])
  const kinds = answers.map(({ kind }) => kind)
  if (kinds.includes("records"))
    return { is_accepting_mail: true, reason: "implicit_mx", mail_servers: [{ preference: 0, host: domain }] }
  return kinds.includes("failure") ? without(null, "dns_failure") : without(false, "no_address")
}

function without(is_accepting_mail: boolean | null, reason: MailServers["reason"]): MailServers {
  return { is_accepting_mail, reason, mail_servers: [] }
}

/** Domains that never exist in the public DNS (RFC 6761, 6762, 7686, 9476), and `.internal` of ICANN. */
export function isSpecial(name: string): boolean {
  return /(?:^|\.)(?:alt|invalid|internal|local|localhost|onion|test)$/.test(name)
}
