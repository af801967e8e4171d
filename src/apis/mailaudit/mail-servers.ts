import { parseDestination } from "../../values/ip.ts"
import type { Dns } from "../contract.ts"
import { requireRecords } from "../mail/look-up.ts"

/** The most mail servers that are looked at. */
const maxServers = 5

export interface MailServer {
  readonly host: string
  readonly addresses: readonly string[]
  /** Whether all its addresses are private, loopback or others that nobody outside reaches. */
  readonly isHidden: boolean
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
  /** Whether a null MX stands next to other MX records, against RFC 7505 §3. */
  readonly hasStrayNullMx: boolean
  /** The best first, at most {@link maxServers}. */
  readonly servers: readonly MailServer[]
  /** The names of the others, which were not looked at. */
  readonly others: readonly string[]
}

/**
 * Finds the mail servers of a domain (RFC 5321 §5.1).
 * @throws Unavailable when the DNS gives no answer for the domain
 */
export async function findMailRoute(domain: string, dns: Dns): Promise<MailRoute> {
  const answer = await dns.resolve(domain, "MX")
  if (answer.kind === "nxdomain") return { kind: "missing", ...none }
  const records = [...requireRecords<"MX">(answer, domain)].sort(
    (a, b) => a.preference - b.preference || (a.exchange < b.exchange ? -1 : 1),
  )
  if (records.length === 0) {
    const server = await lookUp(domain, dns)
    return server.addresses.length > 0 || !server.isKnown
      ? { kind: "domain", ...none, servers: [server] }
      : { kind: "nowhere", ...none }
  }
  if (records.every(({ exchange }) => exchange === "")) return { kind: "refused", ...none }
  const names = records.map(({ exchange }) => exchange.toLowerCase())
  const hosts = [...new Set(names.filter((host) => host !== ""))]
  const servers = await Promise.all(hosts.slice(0, maxServers).map((host) => lookUp(host, dns)))
  return { kind: "servers", hasStrayNullMx: names.includes(""), servers, others: hosts.slice(maxServers) }
}

const none = { hasStrayNullMx: false, servers: [], others: [] }

/** The servers that can be delivered to: with an address that others reach, or whose addresses are not known. */
export function reachable({ servers }: MailRoute): readonly MailServer[] {
  return servers.filter(({ addresses, isHidden, isKnown }) => !isKnown || (addresses.length > 0 && !isHidden))
}

/** The domain of a `mailto:` address; empty for other texts. */
export function domainOfUri(uri: string): string {
  return /^mailto:[^@]*@([^?!]+)/i.exec(uri)?.[1]?.toLowerCase() ?? ""
}

async function lookUp(host: string, dns: Dns): Promise<MailServer> {
  const replies = await Promise.all([dns.exchange(host, "A"), dns.exchange(host, "AAAA")])
  const records = replies.flatMap((reply) => (reply.kind === "reply" ? reply.answer : []))
  const addresses = records.flatMap(({ type, data }) => (type === "A" || type === "AAAA" ? [data] : []))
  return {
    host,
    addresses,
    isHidden: addresses.length > 0 && addresses.every(isHidden),
    isAlias: records.some(({ type }) => type === "CNAME"),
    isKnown: replies.every(({ kind }) => kind === "reply"),
  }
}

/** Ranges that end at this machine or its network (RFC 6890). Ranges for documentation stand for public ones in examples. */
const hidden = new Set([
  ...["unspecified", "loopback", "linkLocal", "private", "uniqueLocal", "carrierGradeNat"],
  ...["multicast", "broadcast"],
])

function isHidden(ip: string): boolean {
  return hidden.has(parseDestination(ip)?.range() ?? "")
}
