import { Chain } from "../dnssec/chain.ts"
import { lower } from "../dnssec/names.ts"
import { type DelegationSigner, ofType, type Session } from "../dnssec/session.ts"
import { validate } from "../dnssec/validate.ts"
import { findTlsa } from "./service.ts"

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
