import { providers } from "./providers.json"

/** A provider of mailboxes, or a service that filters mail. */
interface Provider {
  readonly name: string
  /** The domains of its mail servers. */
  readonly servers: readonly string[]
  /** The domain that its customers include in their SPF records; null where it does not send their mail. */
  readonly spf: string | null
}

/** The provider of a mail server; null for others. */
export function providerOf(host: string): Provider | null {
  return providers.find(({ servers }) => servers.some((server) => isBelow(host, server))) ?? null
}

/** Whether a host is a domain or lies below it. */
export function isBelow(host: string, domain: string): boolean {
  return host === domain || host.endsWith(`.${domain}`)
}
