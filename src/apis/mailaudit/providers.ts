/** A provider of mailboxes, as its documentation had it on 2026-11-28. */
interface Provider {
  readonly name: string
  /** The domains of its mail servers. */
  readonly servers: readonly string[]
  /** The domain that its customers include in their SPF records; null where it does not send their mail. */
  readonly spf: string | null
}

/**
 * The ten best-known providers, and services that filter mail on its way in: the MX records of a domain then do not tell who
 * sends for it.
 */
const providers: readonly Provider[] = [
  { name: "Google", servers: ["google.com", "googlemail.com"], spf: "_spf.google.com" },
  {
    name: "Microsoft",
    servers: ["mail.protection.outlook.com", "mx.microsoft"],
    spf: "spf.protection.outlook.com",
  },
  { name: "Fastmail", servers: ["messagingengine.com"], spf: "spf.messagingengine.com" },
  { name: "Proton", servers: ["protonmail.ch"], spf: "_spf.protonmail.ch" },
  { name: "Zoho", servers: ["zoho.com"], spf: "zohomail.com" },
  { name: "Zoho", servers: ["zoho.eu"], spf: "zohomail.eu" },
  { name: "iCloud", servers: ["mail.icloud.com"], spf: "icloud.com" },
  { name: "Yandex", servers: ["mx.yandex.net"], spf: "_spf.yandex.net" },
  { name: "IONOS", servers: ["ionos.com"], spf: "_spf-us.ionos.com" },
  { name: "IONOS", servers: ["ionos.de", "kundenserver.de"], spf: "_spf-eu.ionos.com" },
  { name: "OVHcloud", servers: ["mail.ovh.net"], spf: "mx.ovh.com" },
  { name: "mailbox.org", servers: ["mailbox.org"], spf: "mailbox.org" },
  { name: "Proofpoint", servers: ["pphosted.com", "ppe-hosted.com"], spf: null },
  { name: "Mimecast", servers: ["mimecast.com"], spf: null },
  { name: "Barracuda", servers: ["barracudanetworks.com"], spf: null },
]

/** The provider of a mail server; null for others. */
export function providerOf(host: string): Provider | null {
  return providers.find(({ servers }) => servers.some((server) => isBelow(host, server))) ?? null
}

/** Whether a host is a domain or lies below it. */
export function isBelow(host: string, domain: string): boolean {
  return host === domain || host.endsWith(`.${domain}`)
}
