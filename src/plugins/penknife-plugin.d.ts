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
   * A parameter such as a key or a card number. Its value is in no log, trace, address, code example or error message, and the test
   * double leaves it out of its journal. The API must take POST.
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
    /** Credits for one successful call, unless the configuration says otherwise. */
    readonly credits: number
    readonly input: ObjectSchema<Input>
    readonly output: ObjectSchema<Output>
    /** True when it uses `ports.dns`. */
    readonly asksDns?: boolean
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
    /** The time (2025-01-01T00:00:00Z by default) and the DNS that the answer depends on. */
    readonly given?: { readonly now?: string; readonly dns?: Readonly<Record<string, unknown>> }
    /** Fields that differ from run to run. */
    readonly varying?: readonly (keyof Output & string)[]
  }

  /** The outside world. The test double has another clock, other randomness and other DNS. */
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
    readonly dns: { resolve<T extends keyof DnsData>(name: string, type: T): Promise<DnsAnswer<DnsData[T]>> }
    readonly timer: {
      /** Calls `run` once, unless the returned function is called before. */
      after(delayMs: number, run: () => void): () => void
    }
  }
  export interface DnsData {
    A: string
    AAAA: string
    TXT: string
    MX: { readonly preference: number; readonly exchange: string }
    PTR: string
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
