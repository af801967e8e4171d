import type { Dns, DnsAnswer } from "../contract.ts"

/** Whether a domain accepts mail. */
interface MailServers {
  readonly is_accepting_mail: boolean | null
  readonly reason: (typeof reasons)[number]
  /** The servers, in the order in which senders try them. */
  readonly mail_servers: { readonly preference: number; readonly host: string }[]
}

export const reasons = ["mx", "implicit_mx", "null_mx", "no_domain", "no_address", "dns_failure"] as const
const shownServers = 50

/** Finds the mail servers of a domain (RFC 5321 §5.1, RFC 7505). Without MX records, the domain itself is its server. */
export async function findMailServers(domain: string, dns: Dns, signal: AbortSignal): Promise<MailServers> {
  const answer = await dns.resolve(domain, "MX", signal)
  if (answer.kind === "failure") return { ...none, is_accepting_mail: null, reason: "dns_failure" }
  if (answer.kind === "nxdomain") return { ...none, reason: "no_domain" }
  const records = answer.kind === "records" ? answer.records : []
  const named = records
    .filter(({ exchange }) => exchange !== "")
    .map(({ preference, exchange }) => ({ preference, host: exchange.toLowerCase() }))
    .sort((one, other) => one.preference - other.preference || (one.host < other.host ? -1 : 1))
  if (named.length === 0 && records.length > 0) return { ...none, reason: "null_mx" }
  const mail_servers = (named.length > 0 ? named : [{ preference: 0, host: domain }]).slice(0, shownServers)
  let isKnown = true
  for (const { host } of mail_servers) {
    const answers = [dns.resolve(host, "A", signal), dns.resolve(host, "AAAA", signal)]
    const kinds = (await Promise.all<DnsAnswer>(answers)).map(({ kind }) => kind)
    if (kinds.includes("records"))
      return { is_accepting_mail: true, reason: named.length > 0 ? "mx" : "implicit_mx", mail_servers }
    if (kinds.includes("failure")) isKnown = false
  }
  const is_accepting_mail = isKnown ? false : null
  return {
    is_accepting_mail,
    reason: isKnown ? "no_address" : "dns_failure",
    mail_servers: named.slice(0, shownServers),
  }
}

const none = { is_accepting_mail: false, mail_servers: [] }

/** Domains that never exist in the public DNS (RFC 6761, 6762, 7686, 9476), and `.internal` of ICANN. */
export function isSpecial(name: string): boolean {
  return /(?:^|\.)(?:alt|invalid|internal|local|localhost|onion|test)$/.test(name)
}
