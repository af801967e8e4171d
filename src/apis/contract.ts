import { FormatRegistry, type Static, type TObject, type TSchema, Type } from "@sinclair/typebox"

/**
 * One API of the catalog: everything that any surface needs to offer it, and nothing about how it is offered.
 * The REST route, the batch route, the GraphQL field, the OpenAPI operation, the CLI command, the price and the
 * premium mask are all read from here.
 */
export interface ApiDefinition<Input extends TObject = TObject, Output extends TObject = TObject> {
  /** Path segment, GraphQL root field and CLI name: lower-case letters and digits. */
  readonly id: string
  /** A few words, for headings and menus. */
  readonly title: string
  /** One or two sentences in plain words, for documentation and help. */
  readonly description: string
  /** How parameters travel over HTTP: in the query string, or in a JSON body. */
  readonly method: "GET" | "POST"
  /** Credits one successful call costs, unless the operator's configuration says otherwise. */
  readonly credits: number
  /** Parameters; each with a description. Order matters: the first one that fails is the one that is named. */
  readonly input: Input
  /** The `data` object of a successful answer, premium fields included and marked with {@link premium}. */
  readonly output: Output
  /** True when an input is an uploaded file, which GraphQL cannot carry. */
  readonly takesFile?: boolean
  /** Executable examples: documentation shows them, the contract tests run them over every surface. */
  readonly examples: readonly Example<Input, Output>[]
  /**
   * Computes the answer. Pure but for `context.ports`. May throw through {@link reject} for input that the schema
   * cannot describe and {@link unavailable} when something outside did not answer; anything else thrown is a bug.
   */
  run(input: Static<Input>, context: RunContext): Static<Output> | Promise<Static<Output>>
}

/** A call that must give exactly this answer on a plan with premium fields. */
export interface Example<Input extends TObject = TObject, Output extends TObject = TObject> {
  readonly name: string
  /** Parameters as a client sends them, defaults left out. */
  readonly input: Readonly<Record<string, unknown>> & Partial<Static<Input>>
  readonly output: Static<Output>
  /** The outside world in which the example holds; without it, any. */
  readonly given?: { readonly now?: string; readonly dns?: DnsZone }
  /** Top-level output fields that differ from run to run, such as a duration. */
  readonly varying?: readonly string[]
}

/** What a run is given besides its input. */
export interface RunContext {
  readonly ports: Ports
}

/** The outside world as an API sees it. Live and mock variants stand in `src/ports`. */
export interface Ports {
  readonly clock: Clock
  readonly random: Random
  readonly dns: Dns
  readonly timer: Timer
}

export interface Clock {
  /** Wall-clock time in milliseconds since the Unix epoch. May jump. */
  now(): number
  /** Milliseconds from an arbitrary origin, for durations. Never runs backwards. */
  monotonicMs(): number
}

/** Timers. APIs have no others, so that tests can move time by hand. */
export interface Timer {
  /** Calls `run` once after `delayMs`, unless the returned function is called before. */
  after(delayMs: number, run: () => void): () => void
  /** Resolves in a later turn of the event loop, so that other work comes in between. */
  turn(): Promise<void>
}

export interface Random {
  /** `length` octets from a cryptographic source. */
  bytes(length: number): Uint8Array
}

/** What each record type carries. Names have no trailing dot. */
export interface DnsData {
  /** Dotted quad. */
  A: string
  /** RFC 5952 text. */
  AAAA: string
  /** The character-strings of one record joined as octets; each UTF-16 unit is one octet, 0x00–0xFF. */
  TXT: string
  /** The obsolete SPF type 99 (RFC 7208 §3.1), as TXT. */
  SPF: string
  MX: { readonly preference: number; readonly exchange: string }
  PTR: string
}
export type DnsType = keyof DnsData

/** Why no answer could be had. All of them are temporary errors to RFC 7208 (§2.6.6). */
export type DnsFailure = "timeout" | "servfail" | "refused" | "malformed" | "network" | "aborted"

/** The answer to one question, CNAMEs followed (RFC 1034 §3.6.2). */
export type DnsAnswer<T extends DnsType = DnsType> =
  | {
      readonly kind: "records"
      readonly records: readonly DnsData[T][]
      /** Octets of the whole answer message, to tell whether it fits a plain UDP datagram; 0 when unknown. */
      readonly messageBytes: number
    }
  /** The name exists but has no such record (RFC 2308 §2.2). */
  | { readonly kind: "nodata" }
  /** The name does not exist (RFC 8020). */
  | { readonly kind: "nxdomain" }
  | { readonly kind: "failure"; readonly reason: DnsFailure }

export interface Dns {
  /**
   * Asks one question. Never throws: every way of failing is an answer. A `name` that cannot be asked (an empty label,
   * a label over 63 octets, over 253 octets in all) is answered `nxdomain` without a query. Questions with one signal are
   * those of one call: they take turns with the questions of other calls, and not too many of them go out at a time.
   */
  resolve<T extends DnsType>(name: string, type: T, signal?: AbortSignal): Promise<DnsAnswer<T>>
}

/** Records by name, as fixtures write them; a word stands for a server that behaves so when asked for any other type. */
export type DnsZone = Readonly<Record<string, readonly ZoneEntry[]>>
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

/** Thrown by {@link reject}: the caller has to change a parameter. */
export class InputRejected extends Error {
  override readonly name = "InputRejected"
  readonly parameter: string
  constructor(parameter: string, requirement: string) {
    super(`The '${parameter}' parameter ${requirement}.`)
    this.parameter = parameter
  }
}

/** Thrown by {@link unavailable}: nobody's input is wrong, something outside does not answer. */
export class Unavailable extends Error {
  override readonly name = "Unavailable"
  /** A word for the log: nothing of a caller's input. */
  readonly reason: string
  constructor(sentence: string, reason = "unavailable") {
    super(sentence)
    this.reason = reason
  }
}

/** Refuses a parameter: `reject("lat", "must be a number from -90 to 90")`. No full stop, no value of a secret. */
export function reject(parameter: string, requirement: string): never {
  throw new InputRejected(parameter, requirement)
}

/** Gives up because of the outside world; the sentence goes to the client, the reason to the log. */
export function unavailable(sentence: string, reason?: string): never {
  throw new Unavailable(sentence, reason)
}

/** Defines an API and freezes it to the last schema node, so that no surface can bend another's copy. */
export function defineApi<Input extends TObject, Output extends TObject>(
  definition: ApiDefinition<Input, Output>,
): ApiDefinition<Input, Output> {
  return deepFreeze(definition)
}

const premiumMark = "x-premium"

/**
 * Marks a field or a parameter as Premium: on plans without it an output field is absent and a parameter is checked
 * but takes no effect.
 */
export function premium<T extends TSchema>(schema: T): T {
  return { ...schema, [premiumMark]: true }
}

export function isPremium(schema: TSchema): boolean {
  return schema[premiumMark] === true
}

/** A string out of a fixed list. */
export function choice<const V extends readonly [string, ...string[]]>(
  values: V,
  options: { description: string; default?: V[number] },
): TSchema & { static: V[number] } {
  return Type.Union(
    values.map((value) => Type.Literal(value)),
    options,
  )
}

/** The list of a {@link choice}, or null for any other schema. */
export function choicesOf(schema: TSchema): readonly string[] | null {
  const members: unknown = schema.anyOf
  if (!Array.isArray(members)) return null
  const values = members.map((member: TSchema) => member.const as unknown)
  return values.every((value) => typeof value === "string") ? values : null
}

/** A value that may also be null. */
export function nullable<T extends TSchema>(schema: T, options: { description: string }) {
  return Type.Union([schema, Type.Null()], options)
}

/**
 * Names a check on strings that no JSON Schema keyword can express; a schema uses it with `format: name` and says
 * what it wants in `x-requirement`, in the words that follow "The 'x' parameter …".
 */
export function defineFormat(name: string, isValid: (text: string) => boolean): void {
  FormatRegistry.Set(name, isValid)
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const key of Reflect.ownKeys(value)) deepFreeze(Reflect.get(value, key))
  return value
}
