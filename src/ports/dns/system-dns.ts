import { readFileSync } from "node:fs"
import { readNameServers } from "./resolv-conf.ts"
import { createResolver, type Resolver, type ResolverOptions } from "./resolver.ts"
import { parseServerAddress, type ServerAddress } from "./server-address.ts"

/**
 * DNS over the network: the servers written as {@link parseServerAddress} reads them, or without any those of this
 * system. Throws that function's Error.
 */
export function createSystemDns(
  servers: readonly string[],
  options: Omit<ResolverOptions, "servers">,
): Resolver {
  const addresses = servers.length > 0 ? servers.map(parseServerAddress) : systemServers()
  return createResolver({ ...options, servers: addresses })
}

function systemServers(path = "/etc/resolv.conf"): readonly ServerAddress[] {
  let text = ""
  try {
    text = readFileSync(path, "utf8")
  } catch {
    // Systems without the file, and none readable: as with an empty one, the server of this machine is asked.
  }
  return readNameServers(text)
}
