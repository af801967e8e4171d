import { addressMatches, type Network } from "../../values/ip.ts"

/**
 * The socket's address or, if that is a trusted proxy, the right-most address of `X-Forwarded-For` that is not one. Addresses
 * further left were written by the client itself.
 */
export function clientAddress(
  socket: string,
  forwardedFor: string | null,
  trusted: readonly Network[],
): string {
  if (forwardedFor === null || trusted.length === 0 || !addressMatches(socket, trusted)) return socket
  let address = socket
  for (const hop of forwardedFor.split(",").reverse()) {
    address = withoutPort(hop.trim())
    if (!addressMatches(address, trusted)) return address
  }
  return address
}

/** Some proxies write `192.0.2.1:4711` or `[2001:db8::1]:4711`. */
function withoutPort(hop: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(hop)
  if (bracketed) return bracketed[1] ?? hop
  return /^[\d.]+:\d+$/.test(hop) ? hop.slice(0, hop.indexOf(":")) : hop
}
