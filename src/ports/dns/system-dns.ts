import { getServers } from "node:dns"
import { parseIpv6 } from "../../values/ip.ts"
import { nodeOs } from "../machine.ts"
import { createResolver, type ResolverOptions } from "./resolver.ts"
import { parseServerAddress, type ServerAddress } from "./server-address.ts"

/**
 * DNS over the network.
 * @param servers as {@link parseServerAddress} reads them; without any, those of this system are asked
 * @throws Error of that function
 * @example
 * const dns = createSystemDns([], { clock: systemClock, random: systemRandom, timer: systemTimer })
 * await dns.resolve("example.com", "TXT")
 */
export function createSystemDns(servers: readonly string[], options: Omit<ResolverOptions, "servers">) {
  const addresses = servers.length > 0 ? servers.map(parseServerAddress) : toServers(getServers(), linkZones)
  return createResolver({ ...options, servers: addresses })
}

/**
 * The servers to ask, given those that the runtime reports; without any, this machine. Link-local addresses are reported
 * without the zone that they need (RFC 4007 §6), so they are tried in each zone. Three at most, as in the C library
 * (resolv.conf(5), MAXNS).
 */
export function toServers(reported: readonly string[], zones: () => readonly number[]): ServerAddress[] {
  const servers = reported.map(parseServerAddress).flatMap((server) => {
    const isLinkLocal = parseIpv6(server.host)?.range() === "linkLocal"
    return isLinkLocal ? zones().map((zone) => ({ ...server, host: `${server.host}%${zone}` })) : [server]
  })
  return servers.length > 0 ? servers.slice(0, 3) : [parseServerAddress("127.0.0.1")]
}

/** The zones of this machine's own link-local addresses. */
function linkZones(): number[] {
  const addresses = Object.values(nodeOs().networkInterfaces()).flatMap((list) => list ?? [])
  return [...new Set(addresses.flatMap((one) => (one.family === "IPv6" && one.scopeid ? [one.scopeid] : [])))]
}
