import { isWithin } from "../mail/dnssec/names.ts"
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
  return providers.find(({ servers }) => servers.some((server) => isWithin(host, server))) ?? null
}
