import type { Dns } from "../contract.ts"
import { requireRecords } from "../mail/records.ts"

/** The most mail servers that are looked at. */
export const maxServers = 5

export interface MailServer {
  readonly host: string
  readonly addresses: readonly string[]
  /** Whether the name is an alias, which MX records must not point to (RFC 5321 §5.1). */
  readonly isAlias: boolean
  /** Whether the DNS gave an answer for its addresses. */
  readonly isKnown: boolean
}

/** Where mail to a domain goes. */
export interface MailRoute {
  /**
   * `servers`: MX records. `refused`: a null MX, no mail is taken (RFC 7505). `domain`: no MX records, so the domain itself is
   * the server. `nowhere`: neither MX records nor addresses. `missing`: the domain does not exist.
   */
  readonly kind: "servers" | "refused" | "domain" | "nowhere" | "missing"
  /** The best first, at most {@link maxServers}. */
  readonly servers: readonly MailServer[]
}

/**
 * Finds the mail servers of a domain (RFC 5321 §5.1).
 * @throws Unavailable when the DNS gives no answer for the domain
 */
export async function findMailRoute(domain: string, dns: Dns): Promise<MailRoute> {
  const answer = await dns.resolve(domain, "MX")
  if (answer.kind === "nxdomain") return { kind: "missing", servers: [] }
  const records = [...requireRecords<"MX">(answer, domain)].sort(
    (a, b) => a.preference - b.preference || (a.exchange < b.exchange ? -1 : 1),
  )
  if (records.length === 0) {
    const server = await lookUp(domain, dns)
    return server.addresses.length > 0 || !server.isKnown
      ? { kind: "domain", servers: [server] }
      : { kind: "nowhere", servers: [] }
  }
  if (records.every(({ exchange }) => exchange === "")) return { kind: "refused", servers: [] }
  const hosts = [...new Set(records.map(({ exchange }) => exchange.toLowerCase()))].slice(0, maxServers)
  return { kind: "servers", servers: await Promise.all(hosts.map((host) => lookUp(host, dns))) }
}

async function lookUp(host: string, dns: Dns): Promise<MailServer> {
  const replies = await Promise.all([dns.exchange(host, "A"), dns.exchange(host, "AAAA")])
  const records = replies.flatMap((reply) => (reply.kind === "reply" ? reply.answer : []))
  return {
    host,
    addresses: records.flatMap(({ type, data }) => (type === "A" || type === "AAAA" ? [data] : [])),
    isAlias: records.some(({ type }) => type === "CNAME"),
    isKnown: replies.every(({ kind }) => kind === "reply"),
  }
}
