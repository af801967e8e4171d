/**
 * Looks names up in the DNS.
 * @example
 * async function hasMailServer(domain: string, dns: Dns): Promise<boolean> {
 *   const answer = await dns.resolve(domain, "MX")
 *   if (answer.kind === "failure") unavailable(`The DNS gave no answer for ${domain}.`, answer.reason)
 *   return answer.kind === "records"
 * }
 */
export interface Dns {
  /**
   * Asks one question. Never throws: every failure is an answer. A `name` that cannot be asked for (an empty label, a label
   * over 63 bytes, over 253 bytes in all) is answered `nxdomain` without a query. Questions with the same signal belong
   * to one call: their number in flight is limited, and they take turns with those of other calls. The service adds the
   * account, whose calls have one such limit and one such turn together.
   */
  resolve<T extends DnsType>(
    name: string,
    type: T,
    signal?: AbortSignal,
    account?: string,
  ): Promise<DnsAnswer<T>>
  /** The server that gave an answer of this DNS; null when it came from the cache, or no server gave it. For traces. */
  serverOf?(answer: DnsAnswer): { readonly host: string; readonly port: number } | null
}

/** The data of each record type. Names have no trailing dot. */
export interface DnsData {
  /** A dotted quad. */
  A: string
  /** RFC 5952 text. */
  AAAA: string
  /** The character-strings of one record, joined; each UTF-16 unit is one byte, 0x00–0xFF. */
  TXT: string
  /** The obsolete SPF type 99 (RFC 7208 §3.1), in the form of TXT. */
  SPF: string
  MX: { readonly preference: number; readonly exchange: string }
  PTR: string
}

/** The record types that an API can ask for. */
export type DnsType = keyof DnsData

/** Why there is no answer. RFC 7208 §2.6.6 calls all of them temporary errors. */
export type DnsFailure = "timeout" | "servfail" | "refused" | "malformed" | "network" | "aborted"

/** The answer to one question, with CNAMEs followed (RFC 1034 §3.6.2). */
export type DnsAnswer<T extends DnsType = DnsType> =
  | {
      readonly kind: "records"
      readonly records: readonly DnsData[T][]
      /** Bytes of the whole answer message, which show whether it fits a UDP datagram; 0 when unknown. */
      readonly messageBytes: number
    }
  /** The name exists but has no such record (RFC 2308 §2.2). */
  | { readonly kind: "nodata" }
  /** The name does not exist (RFC 8020). */
  | { readonly kind: "nxdomain" }
  | { readonly kind: "failure"; readonly reason: DnsFailure }

/** Records by name, for examples and tests. A word makes the server fail that way for all types that are not listed. */
export type DnsZone = Readonly<Record<string, readonly ZoneEntry[]>>

/** One record of a name, or the way its server fails. */
export type ZoneEntry =
  | { readonly A: string }
  | { readonly AAAA: string }
  /** Several strings are the character-strings of one record. */
  | { readonly TXT: string | readonly string[] }
  | { readonly SPF: string | readonly string[] }
  | { readonly MX: readonly [preference: number, exchange: string] }
  | { readonly PTR: string }
  | { readonly CNAME: string }
  | "TIMEOUT"
  | "SERVFAIL"
  | "REFUSED"
