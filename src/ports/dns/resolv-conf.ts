import { isIP } from "node:net"
import { parseServerAddress, type ServerAddress } from "./server-address.ts"

/** As many as the C library asks (resolv.conf(5), MAXNS). */
const maxServers = 3

/**
 * The servers of a resolv.conf(5), in order. A line that is no address is passed over, as the C library does;
 * without any, the server of this machine.
 */
export function readNameServers(text: string): readonly ServerAddress[] {
  const servers = text
    .split(/\r?\n/)
    .map((line) => /^\s*nameserver\s+([^\s#;]+)/.exec(line)?.[1])
    .filter((host): host is string => host !== undefined && isIP(host) !== 0)
    .slice(0, maxServers)
    .map(parseServerAddress)
  return servers.length > 0 ? servers : [parseServerAddress("127.0.0.1")]
}
