/** The module that an own API imports: `import { defineApi, Type } from "penknife/plugin"`. */
declare module "penknife/plugin" {
  /** Describes values of the type T. Made with {@link Type}. */
  export interface Schema<T = unknown> {
    readonly static: T
  }
  /** Describes a parameter or field that may be absent. */
  export interface OptionalSchema<T = unknown> extends Schema<T> {
    readonly optional: true
  }
  /** Parameters of an API, or fields of its answer, by name. */
  export type Fields = Readonly<Record<string, Schema>>
  export interface ObjectSchema<F extends Fields> extends Schema<ValuesOf<F>> {
    readonly fields: F
  }
  type OptionalNames<F extends Fields> = {
    [K in keyof F]: F[K] extends OptionalSchema ? K : never
  }[keyof F]
  /** The values that fields describe. */
  export type ValuesOf<F extends Fields> = { [K in Exclude<keyof F, OptionalNames<F>>]: F[K]["static"] } & {
    [K in OptionalNames<F>]?: F[K]["static"]
  }

  /** Every parameter and field of the answer needs one. */
  interface Described<T> {
    readonly description?: string
    /** The value of an absent parameter. */
    readonly default?: T
  }
  interface TextRules extends Described<string> {
    readonly minLength?: number
    readonly maxLength?: number
    /** A regular expression. It runs in the thread of the API, within the time limit of a call. */
    readonly pattern?: string
  }
  interface NumberRules extends Described<number> {
    readonly minimum?: number
    readonly maximum?: number
    readonly exclusiveMinimum?: number
    readonly exclusiveMaximum?: number
    readonly multipleOf?: number
  }
  interface ListRules<T> extends Described<readonly T[]> {
    readonly minItems?: number
    readonly maxItems?: number
  }

  /** Makes schemas. */
  export const Type: {
    Object<F extends Fields>(fields: F, rules?: Described<ValuesOf<F>>): ObjectSchema<F>
    String(rules?: TextRules): Schema<string>
    Number(rules?: NumberRules): Schema<number>
    Integer(rules?: NumberRules): Schema<number>
    Boolean(rules?: Described<boolean>): Schema<boolean>
    Literal<const V extends string | number | boolean>(value: V, rules?: Described<V>): Schema<V>
    Null(rules?: Described<null>): Schema<null>
    Union<S extends readonly Schema[]>(
      members: readonly [...S],
      rules?: Described<S[number]["static"]>,
    ): Schema<S[number]["static"]>
    Array<S extends Schema>(items: S, rules?: ListRules<S["static"]>): Schema<S["static"][]>
    Optional<S extends Schema>(schema: S): S & OptionalSchema<S["static"]>
  }

  /** A text from a fixed list. */
  export function choice<const V extends readonly [string, ...string[]]>(
    values: V,
    rules: { readonly description: string; readonly default?: V[number] },
  ): Schema<V[number]>
  /** A value that may also be null. */
  export function nullable<S extends Schema>(
    schema: S,
    rules: { readonly description: string },
  ): Schema<S["static"] | null>
  /** A parameter that has no effect, or a field that is absent, on plans without premium fields. */
  export function premium<S extends Schema>(schema: S): S
  /**
   * A parameter such as a key or a card number. Its value is in no log, trace, address, code example or error message, and the
   * test double leaves it out of its journal. The API must take POST.
   */
  export function secret<S extends Schema>(schema: S): S
  /** A parameter or field that will go. Days are UTC, `YYYY-MM-DD`. */
  export function deprecated<S extends Schema>(schema: S, deprecation: Deprecation): S

  export interface Deprecation {
    readonly since: string
    /** The day from which on it is gone. */
    readonly sunset?: string
    /** The API, parameter or field to use instead. */
    readonly successor?: string
  }

  /** Refuses a parameter with a 400: `reject("text", "must not be empty")`. Nothing is charged. */
  export function reject(parameter: string, requirement: string): never
  /**
   * Refuses the call with a 503, because something outside does not answer. Nothing is charged. The reason, one word, is for the
   * log.
   */
  export function unavailable(sentence: string, reason?: string): never

  /** One API. */
  export interface ApiDefinition<Input extends Fields, Output extends Fields> {
    /** The name of its folder: lower-case letters and digits. */
    readonly id: string
    readonly title: string
    /** The heading under which it is listed, such as `data`. Without one it stands under "Others". */
    readonly category?: string
    /** Words that people search by and that the title lacks. */
    readonly keywords?: readonly string[]
    readonly description: string
    /** How parameters travel over HTTP: GET in the query string, POST in a JSON body. */
    readonly method: "GET" | "POST"
    /** Text parameters of a POST around which blanks are stripped, as around each parameter of a GET. */
    readonly singleValues?: readonly string[]
    /** Credits for one successful call, unless the configuration says otherwise. */
    readonly credits: number
    readonly input: ObjectSchema<Input>
    readonly output: ObjectSchema<Output>
    /** True when it uses `ports.dns`. */
    readonly asksDns?: boolean
    /** True when it uses `ports.web`. */
    readonly asksWeb?: boolean
    readonly deprecation?: Deprecation
    /** Calls with their answers, one at least. They are tried when the API is loaded. */
    readonly examples: readonly Example<Input, Output>[]
    /** Computes the answer. Whatever it throws, besides reject and unavailable, is a 500 that costs nothing. */
    run(
      input: ValuesOf<Input>,
      context: {
        readonly ports: Ports
        /** Whether the caller sees premium fields. Without it they are taken out of the answer: leave out the work for them. */
        readonly premium: boolean
      },
    ): ValuesOf<Output> | Promise<ValuesOf<Output>>
  }

  export interface Example<Input extends Fields, Output extends Fields> {
    readonly name: string
    readonly input: Partial<ValuesOf<Input>>
    /** The answer on a plan with premium fields. */
    readonly output: ValuesOf<Output>
    /** The time (2025-01-01T00:00:00Z by default), the DNS and the HTTPS replies that the answer depends on. */
    readonly given?: {
      readonly now?: string
      readonly dns?: Readonly<Record<string, unknown>>
      readonly web?: Readonly<Record<string, unknown>>
    }
    /** Fields that differ from run to run. */
    readonly varying?: readonly (keyof Output & string)[]
  }

  /** The outside world. The test double has another clock, other randomness, other DNS and other HTTPS replies. */
  export interface Ports {
    readonly clock: {
      /** When the call began, milliseconds since the Unix epoch. */
      now(): number
      /** Milliseconds from an arbitrary origin, for durations. */
      monotonicMs(): number
    }
    readonly random: {
      /** Bytes from a cryptographic source. */
      bytes(length: number): Uint8Array
    }
    readonly dns: {
      /** Asks one question, and follows aliases. Every failure is an answer. */
      resolve<T extends DnsType>(name: string, type: T): Promise<DnsAnswer<DnsData[T]>>
      /**
       * Asks one question and returns the records of the reply with their owners and TTLs. With `dnssec` also those of DNSSEC,
       * and an answer that the server has not checked.
       */
      exchange(name: string, type: DnsType, options?: { readonly dnssec?: boolean }): Promise<DnsReply>
    }
    readonly web: {
      /**
       * Sends a GET to an `https:` URL at port 443 of a name whose addresses are public. A redirect is a reply, and is not
       * followed. Over 65,536 bytes or 10 seconds it fails. Every failure is an answer, such as `private-address` or `timeout`;
       * with `--no-outbound` it is `off`.
       */
      get(url: string): Promise<WebAnswer>
    }
    readonly timer: {
      /** Calls `run` once, unless the returned function is called before. */
      after(delayMs: number, run: () => void): () => void
    }
  }

  export type WebAnswer =
    | {
        readonly kind: "reply"
        readonly status: number
        /** The header `Content-Type`; null without one. */
        readonly contentType: string | null
        readonly body: Uint8Array
        /** DER in base64, that of the server first. */
        readonly certificates: readonly string[]
      }
    | { readonly kind: "failure"; readonly reason: string; readonly certificates: readonly string[] }

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
    SRV: {
      readonly priority: number
      readonly weight: number
      readonly port: number
      readonly target: string
    }
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
   * The record types that an API can ask for. Others are `TYPE` and their number from 1 to 65279 (RFC 3597 §5), but for those
   * that are no data: 41 (OPT) and 128 to 255.
   */
  export type DnsType = keyof DnsData

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
        /** The records of the name and of the aliases that lead on from it. Those of other names are left out. */
        readonly answer: readonly DnsRecord[]
        /** As the server sent them, such as the SOA of a negative answer. Only a signature tells whether they are true. */
        readonly authority: readonly DnsRecord[]
        /** Bytes of the whole message; 0 when unknown. */
        readonly messageBytes: number
      }
    | { readonly kind: "failure"; readonly reason: string }

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

  export type DnsAnswer<T> =
    | { readonly kind: "records"; readonly records: readonly T[] }
    /** The name exists, but has no such record. */
    | { readonly kind: "nodata" }
    /** The name does not exist. */
    | { readonly kind: "nxdomain" }
    | { readonly kind: "failure"; readonly reason: string }

  /** Defines an API: `export default defineApi({ … })`. */
  export function defineApi<Input extends Fields, Output extends Fields>(
    definition: ApiDefinition<Input, Output>,
  ): ApiDefinition<Input, Output>
}
