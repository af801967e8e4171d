import { Fault } from "../../call/fault.ts"
import { isLoopback } from "../../values/ip.ts"

/** The names under which a service is reached. */
export interface TrustedNames {
  /** Whether it listens on this machine alone. Then no page may reach it under the name of another host. */
  readonly loopbackOnly: boolean
  /** Host and port of the public address; null when it is not configured. */
  readonly publicHost: string | null
}

/**
 * The refusal of a request that a page of a stranger may have made a browser send: by DNS rebinding, which shows in `Host`, or
 * across origins, which shows in `Origin` (MCP, Streamable HTTP, Security). Null for a request that may pass.
 */
export function untrustedName(headers: Headers, { loopbackOnly, publicHost }: TrustedNames): Fault | null {
  const host = headers.get("host") ?? ""
  if (loopbackOnly && host !== publicHost && !isLoopback(nameOf(`http://${host}`))) return forbidden("Host")
  const origin = headers.get("origin")
  if (origin === null) return null
  const isOwn = URL.canParse(origin) && [host, publicHost].includes(new URL(origin).host)
  const isLocal = loopbackOnly && isLoopback(nameOf(origin))
  return isOwn || isLocal ? null : forbidden("Origin")
}

function nameOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname.replace(/^\[(.*)\]$/, "$1") : ""
}

function forbidden(header: string): Fault {
  return new Fault(
    "originForbidden",
    `The '${header}' header names a host that this service does not know as its own; --public-url tells it.`,
  )
}
