/** The module that an own API imports: `import { defineApi, Type } from "penknife/plugin"`. */
declare module "penknife/plugin" {
  /** Describes values. Made with {@link Type}. */
  export interface TSchema {
    readonly static: unknown
  }
  /** The values that a schema describes. */
  export type Static<S extends TSchema> = S["static"]
  interface SchemaOf<T> extends TSchema {
    readonly static: T
  }
  /** Describes a parameter or field that may be absent. */
  export interface TOptional<T = unknown> extends SchemaOf<T> {
    readonly optional: true
  }
  /** Parameters of an API, or fields of its answer, by name. */
  export type TProperties = Readonly<Record<string, TSchema>>
  export interface TObject<F extends TProperties = TProperties> extends SchemaOf<ValuesOf<F>> {
    readonly properties: F
  }
  type OptionalNames<F extends TProperties> = { [K in keyof F]: F[K] extends TOptional ? K : never }[keyof F]
  type ValuesOf<F extends TProperties> = { [K in Exclude<keyof F, OptionalNames<F>>]: F[K]["static"] } & {
    [K in OptionalNames<F>]?: F[K]["static"]
  }

  /** Every parameter and field of the answer needs a description. */
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
    Object<F extends TProperties>(fields: F, rules?: Described<ValuesOf<F>>): TObject<F>
    String(rules?: TextRules): SchemaOf<string>
    Number(rules?: NumberRules): SchemaOf<number>
    Integer(rules?: NumberRules): SchemaOf<number>
    Boolean(rules?: Described<boolean>): SchemaOf<boolean>
    Literal<const V extends string | number | boolean>(value: V, rules?: Described<V>): SchemaOf<V>
    Null(rules?: Described<null>): SchemaOf<null>
    Union<S extends readonly TSchema[]>(
      members: readonly [...S],
      rules?: Described<S[number]["static"]>,
    ): SchemaOf<S[number]["static"]>
    Array<S extends TSchema>(items: S, rules?: ListRules<S["static"]>): SchemaOf<S["static"][]>
    Optional<S extends TSchema>(schema: S): S & TOptional<S["static"]>
  }

  /** Everything about an API except its code. */
  interface ApiFacts<Input extends TObject, Output extends TObject> {
    /** The path segment, GraphQL root field, CLI name and the name of its folder: lower-case letters and digits. */
    readonly id: string
    /** A few words, for headings and menus. */
    readonly title: string
    /** The heading under which it is listed, such as `data`. Without one it stands under "Others". */
    readonly category?: string
    /** Words that people search by and that the title lacks: other names, the task, the standard. */
    readonly keywords?: readonly string[]
    /** One or two sentences for documentation and help. */
    readonly description: string
    /** How parameters travel over HTTP: GET in the query string, POST in a JSON body. */
    readonly method: "GET" | "POST"
    /** Credits for one successful call, unless the operator's configuration says otherwise. */
    readonly credits: number
    /** The parameters, each with a description. If several are invalid, the first in this order is reported. */
    readonly input: Input
    /**
     * Text parameters of a POST that are single values, such as a domain: blanks around them are stripped, as around each parameter
     * of a GET. Other texts of a POST, such as documents and secrets, stay as they are.
     */
    readonly singleValues?: readonly string[]
    /** The `data` object of a successful answer, including premium fields. */
    readonly output: Output
    /** True when a run asks the DNS through `context.ports.dns`: at most 240 questions of one call or GraphQL query. */
    readonly asksDns?: boolean
    /** True when a run reads documents through `context.ports.web`. Each counts as eight of those questions. */
    readonly asksWeb?: boolean
    /** Set when the API will go. Every surface and the documentation say so; after the sunset a call is a 410. */
    readonly deprecation?: Deprecation
    /** Calls with their answers, which documentation shows. They are its tests: an own API is tried with them when it is loaded. */
    readonly examples: readonly Example<Input, Output>[]
  }
  /** One API. Its routes, GraphQL field, OpenAPI operation, CLI command, price and premium fields all follow from this. */
  export interface ApiDefinition<Input extends TObject = TObject, Output extends TObject = TObject> extends ApiFacts<Input, Output> {
    /**
     * Computes the answer. It reaches the outside world through `context.ports` alone.
     * @throws InputRejected through {@link reject}, for input that the schema cannot describe
     * @throws Unavailable through {@link unavailable}, when something outside does not answer
     */
    run(input: Static<Input>, context: RunContext): Static<Output> | Promise<Static<Output>>
  }
  /** A call that must return exactly this answer on a plan with premium fields. */
  export interface Example<Input extends TObject = TObject, Output extends TObject = TObject> {
    readonly name: string
    /** The parameters as a client sends them, without defaults. */
    readonly input: Readonly<Record<string, unknown>> & Partial<Static<Input>>
    readonly output: Static<Output>
    /** The time, the DNS and the documents that the answer depends on. */
    readonly given?: Fixture
    /** Top-level output fields that differ from run to run, such as a duration. */
    readonly varying?: readonly string[]
  }
  /** The world of an example, as the test double has it: `now` is 2025-01-01T00:00:00Z by default. */
  interface Fixture {
    readonly now?: string
    readonly dns?: DnsZone
    readonly web?: WebFixture
  }
  /** Everything that a run gets besides its input. */
  export interface RunContext {
    readonly ports: Ports
    /** Whether the caller sees premium fields. If not, they are removed from the answer: fill them with any value at no cost. */
    readonly premium: boolean
  }
  /**
   * Defines an API. The definition is frozen deeply, so that no surface can change what another one reads.
   * @throws Error for a parameter that has a default and is required, and for a secret one in an API that takes GET
   * @example
   * export const shout = defineApi({
   *   id: "shout",
   *   title: "Shout",
   *   description: "Writes a text in upper case.",
   *   method: "POST",
   *   credits: 1,
   *   input: Type.Object({ text: Type.String({ description: "The text." }) }),
   *   output: Type.Object({ shouted: Type.String({ description: "The text in upper case." }) }),
   *   examples: [{ name: "One word", input: { text: "hello" }, output: { shouted: "HELLO" } }],
   *   run: ({ text }) => ({ shouted: text.toUpperCase() }),
   * })
   */
  export function defineApi<Input extends TObject, Output extends TObject>(definition: ApiDefinition<Input, Output>): ApiDefinition<Input, Output>
  /**
   * Marks an output field or a parameter as premium. On plans without premium fields, the output field is absent and the
   * parameter is checked but has no effect.
   * @example
   * const output = Type.Object({
   *   words: Type.Integer({ description: "The number of words." }),
   *   longest: premium(Type.String({ description: "The longest word." })),
   * })
   */
  export function premium<T extends TSchema>(schema: T): T
  /**
   * Marks a parameter as secret, such as a key or a card number. Its value is used for the run alone. It is in no log, trace,
   * address, code example or error message, and the test double leaves it out of its journal. The API must take POST.
   * @example
   * const input = Type.Object({ token: secret(Type.String({ description: "The token to check." })) })
   */
  export function secret<T extends TSchema>(schema: T): T
  /** Marks a part that should not be used: the day since when, and the day until which it works. */
  export interface Deprecation {
    /** The UTC day since which it is deprecated, `YYYY-MM-DD`. */
    readonly since: string
    /** The UTC day from which on it is gone. Absent while that is not decided. */
    readonly sunset?: string
    /** The replacement: the id of an API, or the name of a parameter or field. */
    readonly successor?: string
  }
  /**
   * Marks a parameter or an output field as deprecated. It keeps working until it is taken out of the definition, so it has no
   * sunset. Usage tells who still uses it.
   * @example
   * const input = Type.Object({
   *   text: Type.String({ description: "The text." }),
   *   txt: Type.Optional(deprecated(Type.String({ description: "The text." }), { since: "2026-01-31", successor: "text" })),
   * })
   */
  export function deprecated<T extends TSchema>(schema: T, deprecation: Omit<Deprecation, "sunset">): T
  /** A schema for a string from a fixed list. */
  export function choice<const V extends readonly [string, ...string[]]>(values: V, options: {
    readonly description: string
    readonly default?: V[number]
  }): TSchema & {
    static: V[number]
  }
  /** A schema for a value that may also be null. */
  export function nullable<T extends TSchema>(schema: T, options: {
    readonly description: string
  }): TSchema & {
    static: Static<T> | null
  }
  /**
   * Refuses a parameter with a 400: the client has to change it. Nothing is charged. `requirement` continues the sentence "The 'x'
   * parameter", without a full stop, and never contains a secret value.
   * @example
   * function requireOrder(from: number, to: number) {
   *   if (from > to) reject("from", "must not be more than to")
   * }
   */
  export function reject(parameter: string, requirement: string): never
  /**
   * Refuses the call with a 503, because something outside does not answer. Nothing is charged. The client gets the sentence, the
   * log gets the reason: one word without input of the client.
   * @example
   * function requireAnswer(answer: DnsAnswer) {
   *   if (answer.kind === "failure") unavailable("The DNS gave no answer. Try again later.", answer.reason)
   * }
   */
  export function unavailable(sentence: string, reason?: string): never
  /** The outside world as an API sees it. The test double has another clock, other randomness, other DNS and HTTPS replies. */
  export interface Ports {
    readonly clock: Clock
    readonly random: Random
    readonly dns: Dns
    readonly web: Web
    readonly timer: Timer
  }

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
    resolve<T extends DnsType>(name: string, type: T): Promise<DnsAnswer<T>>
    /**
     * Asks one question and returns the records of the reply with their owners and TTLs. An alias is followed as far as the server
     * does so. Otherwise it is as {@link Dns.resolve}, except that the name may also be `.`, the root.
     * @example
     * const reply = await dns.exchange("example.com", "MX")
     * const ttls = reply.kind === "reply" ? reply.answer.map(({ ttlSeconds }) => ttlSeconds) : []
     */
    exchange(name: string, type: DnsType, options?: ExchangeOptions): Promise<DnsReply>
  }
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
    MX: {
      readonly preference: number
      readonly exchange: string
    }
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
    CAA: {
      readonly flags: number
      readonly tag: string
      readonly value: string
    }
    /** RFC 6698 §2.1. The data are hexadecimal. */
    TLSA: {
      readonly usage: number
      readonly selector: number
      readonly matchingType: number
      readonly data: string
    }
    /** RFC 4255 §3.1. The fingerprint is hexadecimal. */
    SSHFP: {
      readonly algorithm: number
      readonly fingerprintType: number
      readonly fingerprint: string
    }
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
    NSEC: {
      readonly nextName: string
      readonly types: readonly DnsType[]
    }
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
  export type DnsAnswer<T extends DnsType = DnsType> = {
    readonly kind: "records"
    readonly records: readonly DnsData[T][]
    /** Bytes of the whole answer message, which show whether it fits a UDP datagram; 0 when unknown. */
    readonly messageBytes: number
  }
  /** The name exists but has no such record (RFC 2308 §2.2). */
   | {
    readonly kind: "nodata"
  }
  /** The name does not exist (RFC 8020). */
   | {
    readonly kind: "nxdomain"
  } | DnsFailed
  /** No server gave an answer. */
  export interface DnsFailed {
    readonly kind: "failure"
    readonly reason: DnsFailure
  }
  /** The reply to one question. */
  export type DnsReply = {
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
  } | DnsFailed
  /** A record of a reply. */
  export type DnsRecord = {
    [T in DnsType]: RecordOf<T>
  }[DnsType]
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
  export type ZoneEntry = {
    readonly A: string
  } | {
    readonly AAAA: string
  }
  /** Several strings are the character-strings of one record. */
   | {
    readonly TXT: string | readonly string[]
  } | {
    readonly SPF: string | readonly string[]
  } | {
    readonly MX: readonly [preference: number, exchange: string]
  } | {
    readonly PTR: string
  } | {
    readonly CNAME: string
  }
  /** Data of any other type, as a zone file writes them. */
   | {
    readonly [T in OtherType]: Readonly<Record<T, string>>
  }[OtherType]
  /** The reply to one question of this name, as a DNS server sent it: a whole message in base64. */
   | {
    readonly ANSWER: {
      readonly type: DnsType
      readonly message: string
    }
  } | "TIMEOUT" | "SERVFAIL" | "REFUSED"
  export {}

  /**
   * Reads documents that a domain publishes about itself, over HTTPS.
   * @example
   * async function readPolicy(domain: string, web: Web): Promise<string | null> {
   *   const answer = await web.get(`https://mta-sts.${domain}/.well-known/mta-sts.txt`)
   *   return answer.kind === "reply" && answer.status === 200 ? new TextDecoder().decode(answer.body) : null
   * }
   */
  export interface Web {
    /**
     * Sends one GET without any secret. Every failure is an answer. Only `https:` at port 443 of a name is asked; all addresses of
     * the name must be public, and its certificate must be valid for it. A redirect is a reply, and is not followed. A reply of
     * over 65,536 bytes or 10 seconds is a failure.
     */
    get(url: string): Promise<WebAnswer>
  }
  /** Why there is no reply. */
  export type WebFailure = 
  /** The service sends no such requests (`--no-outbound`). */
  "off"
  /**
   * The URL does not begin with `https:`, has a port other than 443, a user or a password, or an IP address instead of a name.
   */
   | "url"
  /** The name has no address. */
   | "no-address"
  /** The DNS gave no answer. */
   | "dns"
  /** An address of the name is private or special. */
   | "private-address"
  /** Nothing listens at port 443, or the host cannot be reached. */
   | "unreachable"
  /** This machine has no route to an address of the host, such as none for IPv6. It says nothing of the host. */
   | "no-route"
  /** This machine reaches no host: it has no network, or no free file descriptor. */
   | "offline" | "expired-certificate"
  /** The certificate is valid for other names. A common name does not count (RFC 9525 §6.3). */
   | "wrong-certificate"
  /** It, or one that leads to the authority, has RSA under 2,048 bits, or is signed with MD5 or SHA-1. */
   | "weak-certificate"
  /** The certificate is signed by itself, or by an authority that is not trusted. */
   | "untrusted-certificate"
  /** The server does not speak TLS, or not as it should. */
   | "tls"
  /** The connection ended early, or what came is no HTTP. */
   | "broken" | "timeout" | "too-large"
  /** The call gave up, or has sent as many requests as one may. */
   | "aborted"
  /** The answer to one request. */
  export type WebAnswer = WebReply | WebFailed
  /** A reply, read to its end. */
  export interface WebReply {
    readonly kind: "reply"
    readonly status: number
    /** The header `Content-Type` as it came; null without one. */
    readonly contentType: string | null
    readonly body: Uint8Array
    /** The certificates of the server and of those that signed it, as the server sent them: DER in base64. */
    readonly certificates: readonly string[]
  }
  /** No reply came, or it must not be used. */
  export interface WebFailed {
    readonly kind: "failure"
    readonly reason: WebFailure
    /** The certificates that the server sent, although they are not accepted. See {@link WebReply}. Empty for other failures. */
    readonly certificates: readonly string[]
  }
  /** Replies by URL, for examples and tests. All other URLs fail with `no-address`. */
  export type WebFixture = Readonly<Record<string, WebEntry>>
  /** A reply, or the way in which a request fails. */
  export type WebEntry = {
    /** 200 by default. */
    readonly status?: number
    /** The header `Content-Type`; `text/plain` by default. */
    readonly type?: string
    /** The body as text; empty by default. */
    readonly body?: string
    /** The certificates of the server in PEM. */
    readonly certificate?: string
  } | {
    readonly failure: WebFailure
    readonly certificate?: string
  }

  /**
   * Tells the time.
   * @example
   * const today = (clock: Clock) => new Date(clock.now()).toISOString().slice(0, 10)
   */
  export interface Clock {
    /** Wall-clock time in milliseconds since the Unix epoch. May jump. */
    now(): number
    /** Milliseconds from an arbitrary origin, for durations. Never runs backwards. */
    monotonicMs(): number
  }
  /**
   * Sets timers. There are no others, so that tests can move time by hand.
   * @example
   * async function withTimeLimit<T>(timer: Timer, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
   *   const limit = new AbortController()
   *   const cancel = timer.after(20_000, () => limit.abort())
   *   return work(limit.signal).finally(cancel)
   * }
   */
  export interface Timer {
    /** Calls `run` once after `delayMs`, unless the returned function is called before. */
    after(delayMs: number, run: () => void): () => void
  }
  /**
   * Returns random bytes.
   * @example
   * const toToken = (random: Random) => random.bytes(16).toHex()
   */
  export interface Random {
    /** `length` bytes from a cryptographic source. */
    bytes(length: number): Uint8Array
  }

  // Without an empty export everything above would be exported.
  export {}
}
