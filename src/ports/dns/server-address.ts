import { isIP } from "node:net"

/** Where a DNS server listens. */
export interface ServerAddress {
  /** IPv4, or IPv6 perhaps with a scope (`fe80::1%eth0`). */
  readonly host: string
  readonly family: 4 | 6
  readonly port: number
}

const defaultPort = 53
const bracketed = /^\[([^\]]*)\](?::(.*))?$/
const withPort = /^([^:]*):([^:]*)$/

/**
 * Reads `IP`, `IP:PORT`, `IPv6` or `[IPv6]:PORT`; the port is 53 unless said. Throws an Error whose message goes on
 * from the name of a setting: `must be …`. Host names are not taken, as nobody is there to look them up.
 */
export function parseServerAddress(text: string): ServerAddress {
  const [, host, port] = bracketed.exec(text) ?? withPort.exec(text) ?? [text, text]
  const family = isIP(host ?? "")
  const isBracketed = text.startsWith("[")
  if (host === undefined || family === 0 || (isBracketed && family === 4)) {
    throw new Error(`must be IP, IP:PORT or [IPv6]:PORT, not '${text}'`)
  }
  if (port === undefined) return { host, family: family === 6 ? 6 : 4, port: defaultPort }
  const number = /^\d{1,5}$/.test(port) ? Number(port) : 0
  if (number < 1 || number > 65_535) throw new Error(`must have a port from 1 to 65535, not '${port}'`)
  return { host, family: family === 6 ? 6 : 4, port: number }
}
