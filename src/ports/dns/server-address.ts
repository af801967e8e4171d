import { parseIpv4, parseIpv6, withoutZone } from "../../values/ip.ts"

/** Where a DNS server listens. */
export interface ServerAddress {
  /** IPv4, or IPv6 perhaps with a zone (`fe80::1%eth0`, RFC 4007 §11). */
  readonly host: string
  readonly family: 4 | 6
  readonly port: number
}

const bracketed = /^\[([^\]]*)\](?::(.*))?$/
const withPort = /^([^:]*):([^:]*)$/

/**
 * Reads `IP`, `IP:PORT`, `IPv6` or `[IPv6]:PORT`; the port is 53 by default. Host names would need another DNS server.
 * @throws Error whose message continues after the name of a setting: `must be …`
 */
export function parseServerAddress(text: string): ServerAddress {
  const [, host, port] = bracketed.exec(text) ?? withPort.exec(text) ?? [text, text]
  const family = host === undefined ? null : familyOf(host)
  if (host === undefined || family === null || (text.startsWith("[") && family === 4))
    throw new Error(`must be IP, IP:PORT or [IPv6]:PORT, not '${text}'`)
  if (port === undefined) return { host, family, port: 53 }
  const number = /^\d{1,5}$/.test(port) ? Number(port) : 0
  if (number < 1 || number > 65_535) throw new Error(`must have a port from 1 to 65535, not '${port}'`)
  return { host, family, port: number }
}

function familyOf(host: string): 4 | 6 | null {
  if (parseIpv4(host)) return 4
  return parseIpv6(withoutZone(host)) ? 6 : null
}
