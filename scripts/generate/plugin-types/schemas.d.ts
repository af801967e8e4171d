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
export declare const Type: {
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
