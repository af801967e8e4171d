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
   * Asks one question. Every failure is an answer; only a type that cannot be asked for is an error. A `name` that cannot be
   * asked for (an empty label, a label over 63 bytes, over 253 bytes in all) is answered `nxdomain` without a query.
   */
  resolve<T extends DnsType>(name: string, type: T, ...asker: Asker): Promise<DnsAnswer<T>>
  /**
   * Asks one question and returns the records of the reply with their owners and TTLs. An alias is followed as far as the server
   * does so. Otherwise it is as {@link Dns.resolve}, except that the name may also be `.`, the root.
   * @example
   * const reply = await dns.exchange("example.com", "MX")
   * const ttls = reply.kind === "reply" ? reply.answer.map(({ ttlSeconds }) => ttlSeconds) : []
   */
  exchange(name: string, type: DnsType, options?: ExchangeOptions, ...asker: Asker): Promise<DnsReply>
  /**
   * Whether any server answers now: asks for the name servers of the root, past the cache. It tells a server of the operator that
   * is dead, or refuses or fails everything, from a domain whose own servers do. Without it, they answer.
   * @internal
   */
  answers?(): Promise<boolean>
  /** The server that gave an answer of this DNS; null when it came from the cache, or no server gave it. For traces. @internal */
  serverOf?(answer: DnsAnswer | DnsReply): { readonly host: string; readonly port: number } | null
}

/**
 * The caller. Questions or requests with the same signal belong to one call: their number under way is limited, and they take
 * turns with those of other calls. The service adds the account, whose calls have one such limit and one such turn together.
 * @internal
 */
export type Asker = readonly [signal?: AbortSignal | undefined, account?: string | undefined]

/** How a question is asked. */
export interface ExchangeOptions {
  /**
   * Asks for the records of DNSSEC, and for an answer that the server has not checked: the flags DO (RFC 3225) and CD (RFC 4035
   * §3.2.2). False by default.
   */
  readonly dnssec?: boolean
}

/**
 * The data of each record type. Names have no trailing dot. A dot or backslash inside a label has a backslash before it, also in
 * names that are asked for (RFC 1035 §5.1).
 */
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
  /** The target of an alias. It is not followed when it is asked for. */
  CNAME: string
  /** The target of an alias for all names below the owner (RFC 6672). */
  DNAME: string
  NS: string
  SOA: {
    readonly primaryServer: string
    /** The address of the person responsible, as a name: `hostmaster.example.com`. */
    readonly mailbox: string
    readonly serial: number
    readonly refresh: number
    readonly retry: number
    readonly expire: number
    readonly minimum: number
  }
  SRV: { readonly priority: number; readonly weight: number; readonly port: number; readonly target: string }
  /** RFC 3403 §4.1. */
  NAPTR: {
    readonly order: number
    readonly preference: number
    readonly flags: string
    readonly services: string
    readonly regexp: string
    readonly replacement: string
  }
  /** RFC 8659 §4.1. The tag and the value have the form of TXT. */
  CAA: { readonly flags: number; readonly tag: string; readonly value: string }
  /** RFC 6698 §2.1. The data are hexadecimal. */
  TLSA: {
    readonly usage: number
    readonly selector: number
    readonly matchingType: number
    readonly data: string
  }
  /** RFC 4255 §3.1. The fingerprint is hexadecimal. */
  SSHFP: { readonly algorithm: number; readonly fingerprintType: number; readonly fingerprint: string }
  /** RFC 4034 §5.1. The digest is hexadecimal. */
  DS: {
    readonly keyTag: number
    readonly algorithm: number
    readonly digestType: number
    readonly digest: string
  }
  /** RFC 4034 §2.1. The key is base64. */
  DNSKEY: {
    readonly flags: number
    readonly protocol: number
    readonly algorithm: number
    readonly publicKey: string
  }
  /** RFC 4034 §3.1. Times are seconds since the Unix epoch, modulo 2³²; the signature is base64. */
  RRSIG: {
    readonly typeCovered: DnsType
    readonly algorithm: number
    readonly labels: number
    readonly originalTtl: number
    readonly expiration: number
    readonly inception: number
    readonly keyTag: number
    readonly signer: string
    readonly signature: string
  }
  /** RFC 4034 §4.1. */
  NSEC: { readonly nextName: string; readonly types: readonly DnsType[] }
  /** RFC 5155 §3.2. The salt is hexadecimal, the hash base32hex in lower case without padding. */
  NSEC3: {
    readonly hashAlgorithm: number
    readonly flags: number
    readonly iterations: number
    readonly salt: string
    readonly nextHash: string
    readonly types: readonly DnsType[]
  }
  /** RFC 5155 §4.2. The salt is hexadecimal. */
  NSEC3PARAM: {
    readonly hashAlgorithm: number
    readonly flags: number
    readonly iterations: number
    readonly salt: string
  }
  /** RFC 9460 §2.2. */
  SVCB: ServiceBinding
  /** RFC 9460 §9. */
  HTTPS: ServiceBinding
  /** Any other type, by its number: the data in hexadecimal. */
  [other: `TYPE${number}`]: string
}

/** The data of SVCB and HTTPS. */
export interface ServiceBinding {
  /** 0 makes the record an alias for `target`. */
  readonly priority: number
  /** Empty for the root, which stands for the owner itself, or, in an alias, for no service. */
  readonly target: string
  readonly parameters: readonly ServiceParameter[]
}

/** A parameter of SVCB and HTTPS (RFC 9460 §7). */
export interface ServiceParameter {
  /** `mandatory`, `alpn`, `no-default-alpn`, `port`, `ipv4hint`, `ech`, `ipv6hint`, `dohpath`, or `key` and a number. */
  readonly key: string
  /** The items of its list; of any other known key one value; of an unknown key its bytes, in the form of TXT. */
  readonly values: readonly string[]
}

/**
 * The record types that an API can ask for. Others are `TYPE` and their number from 1 to 65279 (RFC 3597 §5), but for those that
 * are no data: 41 (OPT) and 128 to 255.
 */
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
  | DnsFailed

/** No server gave an answer. */
export interface DnsFailed {
  readonly kind: "failure"
  readonly reason: DnsFailure
}

/** The reply to one question. */
export type DnsReply =
  | {
      readonly kind: "reply"
      /** Whether the name at the end of the aliases exists. Other codes are failures. */
      readonly rcode: "NOERROR" | "NXDOMAIN"
      /**
       * Whether the server says that it has checked the reply by DNSSEC (AD, RFC 6840 §5.8). Trust it as far as the way to the
       * server.
       */
      readonly authenticated: boolean
      /** The records of the name and of the aliases that lead on from it. Records of other names are left out. */
      readonly answer: readonly DnsRecord[]
      /** The records of the server, such as the SOA of a negative answer. Only a signature tells whether they are true. */
      readonly authority: readonly DnsRecord[]
      /** Bytes of the whole message; 0 when unknown. */
      readonly messageBytes: number
    }
  | DnsFailed

/** A record of a reply. */
export type DnsRecord = { [T in DnsType]: RecordOf<T> }[DnsType]

/** A record of one type. */
export interface RecordOf<T extends DnsType> {
  /** In lower case, without a trailing dot; empty for the root. */
  readonly owner: string
  readonly type: T
  /** From the cache, what is left of it. */
  readonly ttlSeconds: number
  readonly data: DnsData[T]
  /** The data as a zone file writes them (RFC 1035 §5.1): `10 mail.example.com.` */
  readonly text: string
  /** The data as they are sent, in hexadecimal, but with names in full (RFC 4034 §6.2, item 1). */
  readonly wire: string
}

/** Records by name, for examples and tests. A word makes the server fail that way for all types that are not listed. */
export type DnsZone = Readonly<Record<string, readonly ZoneEntry[]>>

type OtherType = Exclude<DnsType, "A" | "AAAA" | "TXT" | "SPF" | "MX" | "PTR" | "CNAME">

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
  /** Data of any other type, as a zone file writes them. */
  | { readonly [T in OtherType]: Readonly<Record<T, string>> }[OtherType]
  /** The reply to one question of this name, as a DNS server sent it: a whole message in base64. */
  | { readonly ANSWER: { readonly type: DnsType; readonly message: string } }
  | "TIMEOUT"
  | "SERVFAIL"
  | "REFUSED"
