import type { TlsaRdata } from "../mail/dane/tlsa-check.ts"
import { toTerm } from "./terms.ts"

export const securityLevels = ["Recommended", "Acceptable", "Discouraged", "Insecure"] as const
export type SecurityLevel = (typeof securityLevels)[number]

/** Usage, selector and matching type, as the record has them. */
export type Combination = `${0 | 1 | 2 | 3} ${0 | 1} ${0 | 1 | 2}`

/** Whether a record has valid numbers, so that {@link recommendations} has a text for it. */
function isCombination(text: string): text is Combination {
  return Object.hasOwn(recommendations, text)
}

/** The level of a valid record (RFC 7671 §5). A digest does the same as full data in less space (RFC 7671 §10.1). */
function toSecurityLevel(combination: Combination): SecurityLevel {
  if (combination.endsWith("0")) return "Discouraged"
  return combination === "3 1 1" || combination === "2 0 1" ? "Recommended" : "Acceptable"
}

/** What to publish, from RFC 7671 §5 and §10.1 and, for mail, RFC 7672 §3.1. */
export const recommendations: Readonly<Record<Combination, string>> = {
  "0 0 0":
    "The record holds the whole certificate of a CA, which makes DNS answers large and gains nothing over its digest (RFC 7671 §10.1). A new certificate of the CA needs a new record. SMTP clients treat usage 0 as unusable (RFC 7672 §3.1.3). Publish 0 0 1 instead, or 2 0 1 if the clients' own lists of CAs should not matter.",
  "0 0 1":
    "Ties the service to one CA certificate on top of ordinary validation. Server certificates from that CA can be renewed freely; a new CA certificate needs a new record first. Choose the CA that issues the server certificates directly, because clients may end the chain at another root (RFC 7671 §5.4). Not for SMTP, whose clients treat usage 0 as unusable (RFC 7672 §3.1.3): publish 3 1 1 or 2 0 1 there.",
  "0 0 2":
    "Ties the service to one CA certificate on top of ordinary validation, by SHA-512, which clients need not support (RFC 6698 §6): publish 0 0 1 beside it. A new CA certificate needs new records first; server certificates can be renewed freely. Not for SMTP, whose clients treat usage 0 as unusable (RFC 7672 §3.1.3).",
  "0 1 0":
    "The record holds the whole public key of a CA, which makes DNS answers large and gains nothing over its digest (RFC 7671 §10.1). It matches every certificate with that CA key, also a renewed or cross-signed one. SMTP clients treat usage 0 as unusable (RFC 7672 §3.1.3). Publish 0 1 1 instead.",
  "0 1 1":
    "Ties the service to the key of one CA on top of ordinary validation. The key matches the CA's renewed and cross-signed certificates too, so it lasts longer than 0 0 1; server certificates can be renewed freely. Not for SMTP, whose clients treat usage 0 as unusable (RFC 7672 §3.1.3): publish 3 1 1 or 2 1 1 there.",
  "0 1 2":
    "Ties the service to the key of one CA on top of ordinary validation, by SHA-512, which clients need not support (RFC 6698 §6): publish 0 1 1 beside it. Matches renewed and cross-signed certificates of the CA. Not for SMTP, whose clients treat usage 0 as unusable (RFC 7672 §3.1.3).",
  "1 0 0":
    "The record holds the whole server certificate, which makes DNS answers large (RFC 7671 §10.1), and each renewal needs a new record first. Ordinary CA validation is needed as well. SMTP clients treat usage 1 as unusable (RFC 7672 §3.1.3). Publish 1 1 1 to keep the CA check, or 3 1 1.",
  "1 0 1":
    "Ties the service to one server certificate on top of ordinary CA validation. Each renewal needs a new record at least two TTLs before the certificate is installed; 1 1 1 avoids this as long as the key stays the same. Not for SMTP, whose clients treat usage 1 as unusable (RFC 7672 §3.1.3): publish 3 1 1 there.",
  "1 0 2":
    "Ties the service to one server certificate on top of ordinary CA validation, by SHA-512, which clients need not support (RFC 6698 §6): publish 1 0 1 beside it, or better 1 1 1. Each renewal needs new records at least two TTLs ahead. Not for SMTP, whose clients treat usage 1 as unusable (RFC 7672 §3.1.3).",
  "1 1 0":
    "The record holds the whole public key of the server, which makes DNS answers large and gains nothing over its digest (RFC 7671 §10.1). Renewal with the same key needs no change. SMTP clients treat usage 1 as unusable (RFC 7672 §3.1.3). Publish 1 1 1 to keep the CA check, or 3 1 1.",
  "1 1 1":
    "Ties the service to the server's key on top of ordinary CA validation: the best form where both checks are wanted. Renewal with the same key needs no change; publish the record of a new key at least two TTLs before using it. Not for SMTP, whose clients treat usage 1 as unusable (RFC 7672 §3.1.3): publish 3 1 1 there.",
  "1 1 2":
    "Ties the service to the server's key on top of ordinary CA validation, by SHA-512, which clients need not support (RFC 6698 §6): publish 1 1 1 beside it. Renewal with the same key needs no change. Not for SMTP, whose clients treat usage 1 as unusable (RFC 7672 §3.1.3).",
  "2 0 0":
    "The record holds the whole certificate of the trust anchor, which makes DNS answers large (RFC 7671 §10.1), and not every client can add it to a chain that lacks it (RFC 7671 §5.2.1). A new anchor certificate needs a new record. Publish 2 0 1 instead, also for SMTP, and have the server send the anchor's certificate.",
  "2 0 1":
    "This is the recommended form for a trust anchor (RFC 7671 §5.2.1), and the second choice for SMTP after 3 1 1 (RFC 7672 §3.1). One record covers all servers with certificates from that CA, and these can be renewed freely; a new anchor certificate needs a new record at least two TTLs ahead. Each server has to send the anchor's certificate in its chain, and names and dates are checked.",
  "2 0 2":
    "Names the trust anchor's certificate by SHA-512, which clients need not support (RFC 6698 §6): publish 2 0 1 beside it. Server certificates can be renewed freely; a new anchor certificate needs new records. Good for SMTP too, if each server sends the anchor's certificate in its chain (RFC 7672 §3.1.2).",
  "2 1 0":
    "The record holds the whole public key of the trust anchor. Many clients cannot use a bare key when the anchor's certificate is missing from the chain (RFC 7671 §5.2.3), and DNS answers become large (RFC 7671 §10.1). Publish 2 1 1 for the same key or, better, 2 0 1, also for SMTP.",
  "2 1 1":
    "Names the trust anchor's key: a renewed anchor certificate with the same key still matches, and server certificates can be renewed freely. Limits written in the anchor's certificate, on names or path length, may not be checked, which 2 0 1 avoids (RFC 7671 §5.2.1). Good for SMTP too, if each server sends the anchor's certificate in its chain (RFC 7672 §3.1.2).",
  "2 1 2":
    "Names the trust anchor's key by SHA-512, which clients need not support (RFC 6698 §6): publish 2 1 1 beside it. A renewed anchor certificate with the same key still matches; limits written in that certificate may not be checked (RFC 7671 §5.2.1). For SMTP each server has to send the anchor's certificate in its chain (RFC 7672 §3.1.2).",
  "3 0 0":
    "The record holds the whole server certificate, which makes DNS answers large (RFC 7671 §10.1), and each renewal needs a new record first, or SMTP clients stop delivering mail. Publish 3 1 1 instead.",
  "3 0 1":
    "Ties the service to exactly one server certificate. Each renewal, even with the same key, needs a new record at least two TTLs before the certificate is installed (RFC 7671 §8.1); without it, SMTP clients stop delivering mail. With automatic renewal publish 3 1 1 and keep the key.",
  "3 0 2":
    "Ties the service to exactly one server certificate, by SHA-512, which clients need not support (RFC 6698 §6): publish 3 0 1 beside it, or better 3 1 1 alone. Each renewal needs new records at least two TTLs ahead, or SMTP clients stop delivering mail (RFC 7671 §8.1).",
  "3 1 0":
    "The record holds the whole public key of the server, which makes DNS answers large and gains nothing over its digest (RFC 7671 §10.1). Renewal with the same key needs no change, as with 3 1 1. Publish 3 1 1 instead, also for SMTP.",
  "3 1 1":
    "This is the recommended configuration, for SMTP and any other service (RFC 7671 §5.1, RFC 7672 §3.1). It ties the service to the server's key, so that renewal with the same key needs no change; publish the record of a new key at least two TTLs before using it (RFC 7671 §8.1). The zone has to be signed with DNSSEC.",
  "3 1 2":
    "Ties the service to the server's key, so that renewal with the same key needs no change. Clients need not support SHA-512 (RFC 6698 §6): publish 3 1 1 beside it and, when the key changes, both digests of both keys (RFC 7671 §9). Good for SMTP too where the client knows SHA-512.",
}

/** Explains a record and rates it. A record with faults is Insecure whatever its numbers: no client can use it. */
export function interpretTlsa({ usage, selector, matching }: TlsaRdata, faults: readonly string[]) {
  return {
    usage: toTerm("usage", usage),
    selector: toTerm("selector", selector),
    matching: toTerm("matching", matching),
    ...rate(`${usage} ${selector} ${matching}`, faults),
  }
}

type Rating = { readonly security_level: SecurityLevel; readonly recommendation: string }

function rate(combination: string, faults: readonly string[]): Rating {
  const isKnown = isCombination(combination)
  if (isKnown && faults.length === 0)
    return { security_level: toSecurityLevel(combination), recommendation: recommendations[combination] }
  const remedy = isKnown ? "Correct the data and check again." : "The recommended configuration is 3 1 1."
  return {
    security_level: "Insecure",
    recommendation: `Do not publish this record: name servers refuse it, or no client can use it (RFC 6698 §4.1). ${faults.join(" ")} ${remedy}`,
  }
}
