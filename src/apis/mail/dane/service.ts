import type { Ended } from "../dnssec/ended.ts"
import { labelsOf, lower } from "../dnssec/names.ts"
import { type DelegationSigner, ofType, type Session } from "../dnssec/session.ts"
import { Chain, type Finding, validate } from "../dnssec/validate.ts"
import { maxNameBytes } from "../look-up.ts"
import { type JudgedTlsa, judgeTlsa } from "./tlsa-check.ts"

/** A TLS server that a client wants to connect to. */
interface TlsService {
  /** In lower case and without a trailing dot. */
  readonly host: string
  readonly port: number
  readonly protocol: "tcp" | "udp" | "sctp"
}

/**
 * The client's duty: `authenticate` the server by the records; `encrypt`, but with any certificate; `ordinary`, as if there were
 * no records; `avoid` the server.
 */
type ClientAction = "authenticate" | "encrypt" | "ordinary" | "avoid"

/** The result of the look-ups for a server. */
export interface ServiceFinding {
  readonly action: ClientAction
  /** The name that has the TLSA records; without any, the first name that was asked. */
  readonly tlsaName: string
  /** The state of the TLSA records, or of the proof that there are none. */
  readonly security: Finding["status"]
  readonly addressSecurity: Finding["status"]
  readonly hasAddress: boolean
  /** The zone of the host is not signed, so clients do not ask for TLSA records (RFC 7672 §2.2.2). */
  readonly isUnsigned: boolean
  /** Why the addresses of one family are not known, though those of the other are; null if there is nothing wrong. */
  readonly addressFailure: Ended | null
  readonly records: readonly JudgedTlsa[]
  /** Why the TLSA records, or else the addresses, are not secure; null if they are. */
  readonly reason: Ended | null
}

/** The name of the TLSA records of a service (RFC 6698 §3); null if it would be too long. */
export function tlsaNameOf({ host, port, protocol }: TlsService): string | null {
  const name = `_${port}._${protocol}.${host}`
  return labelsOf(name).join(".").length > maxNameBytes ? null : name
}

/** Whether a service is mail between servers, for which RFC 7672 has rules of its own. */
export function isMailService({ port, protocol }: TlsService): boolean {
  return port === 25 && protocol === "tcp"
}

/**
 * Finds the TLSA records of a server and what they mean for a client: RFC 7672 §2.2 for mail between servers, RFC 6698 §4.1 and
 * RFC 7671 §7 for others. Addresses are looked up first, since they tell whether the zone is signed and where an alias leads.
 */
export async function findTlsa(
  service: TlsService,
  session: Session,
  anchors: readonly DelegationSigner[],
): Promise<ServiceFinding> {
  const chain = new Chain(session, anchors)
  const addresses = await findAddresses(service.host, chain)
  const { status: addressSecurity, hasAddress, failure: addressFailure } = addresses
  const common = { addressSecurity, hasAddress, addressFailure }
  const own = tlsaNameOf(service) ?? service.host
  if (isFailure(addressSecurity))
    return {
      ...common,
      ...nothingAt(own),
      action: "avoid",
      security: addressSecurity,
      reason: addresses.reason,
      isUnsigned: false,
    }
  const bases = await baseDomains(service.host, addresses, chain)
  const found = await findAtBases(bases.length > 0 ? bases : [service.host], service, chain)
  // Nothing is expected below an unsigned host, and some servers fail on such questions (RFC 7672 §2.2.2).
  const isUnsigned = bases.length === 0
  const action = isUnsigned ? "ordinary" : actionFor(found, service)
  return {
    ...common,
    ...found,
    isUnsigned,
    reason: found.reason ?? addresses.reason,
    action: hasAddress ? action : "avoid",
  }
}

type Addresses = Awaited<ReturnType<typeof findAddresses>>

const order: readonly Finding["status"][] = ["secure", "insecure", "indeterminate", "bogus"]

/**
 * Looks up addresses of both families. One that fails does not count if there are addresses of the other: clients can connect,
 * and the TLSA records are secure by themselves (RFC 7672 §2.1.2). Otherwise the worse state counts.
 */
async function findAddresses(host: string, chain: Chain) {
  const findings = [await validate(host, "A", chain), await validate(host, "AAAA", chain)]
  const isFound = ({ status, result }: Finding) => !isFailure(status) && result === "records"
  const found = findings.filter(isFound)
  // A family without addresses does not count if the other one has some, also where its denial is not signed.
  const counted = found.length > 0 ? found : findings
  const [worst] = counted.toSorted((one, other) => order.indexOf(other.status) - order.indexOf(one.status))
  const failed = findings.find((one) => !counted.includes(one) && isFailure(one.status))
  return {
    status: worst?.status ?? "indeterminate",
    reason: worst?.reason ?? null,
    hasAddress: found.length > 0,
    /** The name at the end of the aliases. */
    lastName: worst?.names.at(-1) ?? host,
    failure: failed?.reason ?? null,
  }
}

/** The names whose TLSA records may count, best first (RFC 7671 §7, RFC 7672 §2.2.2). */
async function baseDomains(host: string, { status, lastName }: Addresses, chain: Chain) {
  if (lastName === host) return status === "secure" ? [host] : []
  if (status === "secure") return [lastName, host]
  // The alias leads into an unsigned zone. Its own zone may be signed.
  const alias = await validate(host, "CNAME", chain)
  return alias.status === "secure" ? [host] : []
}

type Found = Pick<ServiceFinding, "tlsaName" | "security" | "records" | "reason">

/** The records of the first base domain that has secure ones. A failed question ends the search. */
async function findAtBases(bases: readonly string[], service: TlsService, chain: Chain): Promise<Found> {
  let first: Found | null = null
  for (const host of bases) {
    const name = tlsaNameOf({ ...service, host })
    if (name === null) continue
    const { status, reason, records } = await validate(name, "TLSA", chain)
    const judged = ofType(records, "TLSA").map((record) => judgeTlsa(record, isMailService(service)))
    const found = { tlsaName: name, security: status, records: judged, reason }
    if (isFailure(status) || (status === "secure" && judged.length > 0)) return found
    first ??= found
  }
  return first ?? { ...nothingAt(service.host), security: "secure" }
}

function nothingAt(tlsaName: string) {
  return { tlsaName, records: [], reason: null }
}

function actionFor({ security, records }: Found, service: TlsService): ClientAction {
  if (isFailure(security)) return "avoid"
  if (security === "insecure" || records.length === 0) return "ordinary"
  if (records.some(({ fault }) => fault === null)) return "authenticate"
  // RFC 6698 §4.1: without usable records, TLS goes on as without any.
  return isMailService(service) ? "encrypt" : "ordinary"
}

/** Whether nothing is known: for a client it is the same whether records are forged or not there (RFC 7672 §2.1.1). */
function isFailure(status: Finding["status"]): boolean {
  return status === "bogus" || status === "indeterminate"
}

/** The number of servers that senders are sure to try. */
export const maxMailServers = 10

/** The mail servers of a domain. */
export type MailServers = Awaited<ReturnType<typeof findMailServers>>

/**
 * Finds the mail servers of a domain and the TLSA records of each (RFC 7672 §2.2.1).
 * @param begin makes the state of the validations of one server
 * @returns `security` is the state of the MX records. The best server is the first; there is none if the domain takes no mail
 * (RFC 7505), or if the DNS did not tell. `leftOut` is how many more there are than were looked at
 */
export async function findMailServers(
  domain: string,
  begin: () => Session,
  anchors: readonly DelegationSigner[],
) {
  const { status, reason, result, records } = await validate(domain, "MX", new Chain(begin(), anchors))
  const common = { security: status, reason }
  if (status === "bogus" || status === "indeterminate" || result === "nxdomain")
    return { ...common, servers: [], leftOut: 0 }
  const hosts = new Map<string, number>()
  for (const { data } of ofType(records, "MX").toSorted(
    (one, other) => one.data.preference - other.data.preference,
  )) {
    const host = lower(data.exchange)
    if (host !== "" && !hosts.has(host)) hosts.set(host, data.preference)
  }
  const all: (readonly [string, number | null])[] = records.length === 0 ? [[domain, null]] : [...hosts]
  const servers = await Promise.all(
    all.slice(0, maxMailServers).map(async ([host, preference]) => {
      const service = { host, port: 25, protocol: "tcp" } as const
      return { host, preference, ...(await findTlsa(service, begin(), anchors)) }
    }),
  )
  return { ...common, servers, leftOut: Math.max(0, all.length - maxMailServers) }
}
