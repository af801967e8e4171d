import type { ClientRequest } from "node:http"
import type { LookupFunction } from "node:net"

/** An address of a host. */
export interface HostAddress {
  readonly address: string
  /** 4 or 6. */
  readonly family: number
}

/** The addresses of a host that may all be called, or why it is not called: it has none, or this one is not allowed. */
type CheckedAddresses =
  | { readonly kind: "addresses"; readonly lookup: LookupFunction }
  | { readonly kind: "none" }
  | { readonly kind: "refused"; readonly address: string }

/**
 * Checks every address of a host that a stranger has chosen, against server-side request forgery. The connection is then made
 * with `lookup`, which gives the checked addresses without asking again: a second question could get others (DNS rebinding). The
 * name stays the one that the certificate is checked for.
 */
export function checkAddresses(
  addresses: readonly HostAddress[],
  allows: (address: string) => boolean,
): CheckedAddresses {
  const [first] = addresses
  if (!first) return { kind: "none" }
  const refused = addresses.find(({ address }) => !allows(address))
  if (refused) return { kind: "refused", address: refused.address }
  const lookup: LookupFunction = (_host, { all }, answer) => {
    if (all) answer(null, [...addresses])
    else answer(null, first.address, first.family)
  }
  return { kind: "addresses", lookup }
}

/**
 * Calls `onMore` and ends a request when its server has sent more than `most` bytes. No other limit sees interim answers and
 * blank lines before a status: read for ten seconds, they held up everything else for one to two.
 */
export function limitReceived(request: ClientRequest, most: number, onMore: () => void): void {
  let bytes = 0
  request.on("socket", (socket) =>
    socket.on("data", (chunk: Uint8Array) => {
      bytes += chunk.byteLength
      if (bytes <= most) return
      onMore()
      request.destroy()
    }),
  )
}
