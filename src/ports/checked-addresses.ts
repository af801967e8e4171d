import type { ClientRequest } from "node:http"
import type { LookupFunction } from "node:net"

/** An address of a host. */
export interface HostAddress {
  readonly address: string
  /** 4 or 6. */
  readonly family: number
}

/**
 * Checks every address of a host that a stranger has chosen, against server-side request forgery. The connection is then made
 * with `lookup`, which gives the checked addresses without asking again: a second question could get others (DNS rebinding). The
 * name stays the one that the certificate is checked for.
 * @returns why the host is not called if it has no address, or one that is not allowed
 */
export function checkAddresses(addresses: readonly HostAddress[], allows: (address: string) => boolean) {
  const [first] = addresses
  if (!first) return { kind: "none" } as const
  const refused = addresses.find(({ address }) => !allows(address))
  if (refused) return { kind: "refused", address: refused.address } as const
  const lookup: LookupFunction = (_host, { all }, answer) => {
    if (all) answer(null, [...addresses])
    else answer(null, first.address, first.family)
  }
  return { kind: "addresses", lookup } as const
}

/**
 * Calls `onMore` and ends a request when its server has sent more than `most` bytes. No other limit counts interim answers and
 * blank lines before a status. Ten seconds of them held up all other work for one to two seconds.
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
