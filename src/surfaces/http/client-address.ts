import { addressMatches, isWithin, type Network, parseAddress } from "../../values/ip.ts"

/**
 * The socket's address or, if that is a trusted proxy, the right-most address of `X-Forwarded-For` that is not one. Addresses
 * further left were written by the client itself. `unknown` (RFC 7239 §6.2) stands for other text, which may be a key and would
 * be logged.
 */
export function clientAddress(socket: string, forwardedFor: string | null, trusted: readonly Network[]) {
  if (forwardedFor === null || trusted.length === 0 || !addressMatches(socket, trusted)) return socket
  let client = socket
  for (const hop of forwardedFor.split(",").reverse()) {
    const address = parseAddress(withoutPort(hop.trim()))
    if (address === null) return "unknown"
    client = String(address)
    if (!trusted.some((network) => isWithin(address, network))) break
  }
  return client
}

/** Some proxies write `192.0.2.1:4711` or `[2001:db8::1]:4711`. */
function withoutPort(hop: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(hop)
  if (bracketed) return bracketed[1] ?? hop
  return /^[\d.]+:\d+$/.test(hop) ? hop.slice(0, hop.indexOf(":")) : hop
}
