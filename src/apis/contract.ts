import { FormatRegistry, type Static, type TObject, type TSchema, Type } from "@sinclair/typebox"
import type { DataList } from "../values/data-list.ts"
import { frozenWhenRead } from "../values/frozen.ts"
import type { Dns, DnsZone } from "./dns-port.ts"
import type { Clock, Random, Timer } from "./machine-ports.ts"
import type { Web, WebFixture } from "./web-port.ts"

export type * from "./dns-port.ts"
export type * from "./machine-ports.ts"
export type * from "./web-port.ts"

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
  /** The parameters that are checked before the run; all of `input` by default. The run checks the others. @internal */
  readonly inputCheck?: TObject
  /** The `data` object of a successful answer, including premium fields. */
  readonly output: Output
  /** True when an input is an uploaded file, which GraphQL cannot carry. @internal */
  readonly takesFile?: boolean
  /** True when a run asks the DNS through `context.ports.dns`: at most 240 questions of one call or GraphQL query. */
  readonly asksDns?: boolean
  /** True when a run reads documents through `context.ports.web`. Each counts as eight of those questions. */
  readonly asksWeb?: boolean
  /** The lists of others that it uses. OpenAPI and health have their dates, and most answers too: see `dataDate`. @internal */
  readonly lists?: readonly DataList[]
  /** Set when the API will go. Every surface and the documentation say so; after the sunset a call is a 410. */
  readonly deprecation?: Deprecation
  /** Calls with their answers, which documentation shows. They are its tests: an own API is tried with them when it is loaded. */
  readonly examples: readonly Example<Input, Output>[]
  /** Set when its runs take place in a thread, see {@link defineIsolatedApi}. @internal */
  readonly isolated?: Isolation
  /** Loads libraries that take over 20 ms. Called once after the start of a service, when nobody waits for it. @internal */
  readonly warm?: () => Promise<unknown>
}

/** One API. Its routes, GraphQL field, OpenAPI operation, CLI command, price and premium fields all follow from this. */
export interface ApiDefinition<Input extends TObject = TObject, Output extends TObject = TObject>
  extends ApiFacts<Input, Output> {
  /**
   * Computes the answer. It reaches the outside world through `context.ports` alone.
   * @throws InputRejected through {@link reject}, for input that the schema cannot describe
   * @throws Unavailable through {@link unavailable}, when something outside does not answer
   */
  run(input: Static<Input>, context: RunContext): Static<Output> | Promise<Static<Output>>
}

/** The limit of runs in a thread. @internal */
export interface Isolation {
  /** Processor time of a run in milliseconds, without loading libraries. A longer run is a 400 that names the parameters. */
  readonly limitMs: number
  /**
   * Makes the run's input from the checked input, in the service: for what a thread does not know, such as the operator's lists.
   * @throws InputRejected through {@link reject}
   */
  prepare?(input: Readonly<Record<string, unknown>>): Promise<Record<string, unknown>>
  /** Whether the steps of a small input are at most about the square of its size. Such a run takes place in the service. */
  isBounded?(input: Readonly<Record<string, unknown>>): boolean
  /** The most characters of texts and names, and inner values, of a small input; 300 by default. Its slowest run takes 5 ms. */
  readonly maxSmallSize?: number
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
  /** A sentence that is shown with the example. @internal */
  readonly note?: string
}

/** The world of an example, as the test double has it: `now` is 2025-01-01T00:00:00Z by default. */
interface Fixture {
  readonly now?: string
  readonly dns?: DnsZone
  readonly web?: WebFixture
  /** Parameters whose values belong to this world: a service with the real DNS leaves them out of the example. @internal */
  readonly parameters?: readonly string[]
  /** The domain that the call is about; by default the last two labels of the first name in the input. @internal */
  readonly domain?: string
}

/** Everything that a run gets besides its input. */
export interface RunContext {
  readonly ports: Ports
  /** @internal */
  readonly giveWay: GiveWay
  /** Whether the caller sees premium fields. If not, they are removed from the answer: fill them with any value at no cost. */
  readonly premium: boolean
  /** For whom it runs, for limits that each account has. Absent where nothing is metered. @internal */
  readonly account?: string
  /** Throws when the caller has left, so that nobody needs the answer. @internal */
  requirePresent?(): void
}

/**
 * Lets other work run. A run that may compute for more than 10 ms is divided into steps of a few milliseconds. It calls this
 * before each step, and awaits the promise if there is one. All long work of the process shares one slice of time in each turn
 * of the event loop. When that is used up, the work waits, and the accounts take turns. @internal
 * @example
 * async function shoutAll(texts: readonly string[], { giveWay }: RunContext) {
 *   const shouted: string[] = []
 *   for (const text of texts) {
 *     const pause = giveWay()
 *     if (pause) await pause
 *     shouted.push(text.toUpperCase())
 *   }
 *   return { shouted }
 * }
 */
export type GiveWay = () => Promise<void> | undefined

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
export function defineApi<Input extends TObject, Output extends TObject>(
  definition: ApiDefinition<Input, Output>,
): ApiDefinition<Input, Output> {
  const { id, input, method } = definition
  const [inAddress] = method === "GET" ? secretsOf(definition) : []
  if (inAddress !== undefined)
    throw new Error(
      `The parameter '${inAddress}' of '${id}' is secret, and GET would put it into addresses, which browsers and proxies keep: take POST.`,
    )
  for (const name of input.required ?? []) {
    if (input.properties[name]?.default === undefined) continue
    throw new Error(
      `The parameter '${name}' of '${id}' is required but has a default: put its schema in Type.Optional(…).`,
    )
  }
  return frozenWhenRead(definition)
}

/**
 * Defines an API with a library that cannot give way to other calls. Its code is in `run.ts` next to the definition, is listed
 * in `isolated-runs.ts`, and is loaded with its first run. A run with too much time, memory, stack or output is a 400. @internal
 * @example
 * export const shout = defineIsolatedApi({
 *   id: "shout",
 *   title: "Shout",
 *   description: "Writes a text in upper case.",
 *   method: "POST",
 *   credits: 1,
 *   input: Type.Object({ text: Type.String({ description: "The text." }) }),
 *   output: Type.Object({ shouted: Type.String({ description: "The text in upper case." }) }),
 *   examples: [{ name: "One word", input: { text: "hello" }, output: { shouted: "HELLO" } }],
 *   isolated: { limitMs: 500 },
 * })
 * // In run.ts:
 * export const run: RunOf<typeof shout> = ({ text }) => ({ shouted: text.toUpperCase() })
 */
export function defineIsolatedApi<Input extends TObject, Output extends TObject>(
  facts: ApiFacts<Input, Output> & { readonly isolated: Isolation },
): ApiDefinition<Input, Output> {
  return defineApi({
    ...facts,
    run() {
      throw new Error(`'${facts.id}' runs in a thread, which is missing here`)
    },
  })
}

/** The function that computes the answer of an API. @internal */
export type RunOf<Api> =
  Api extends ApiDefinition<infer Input, infer Output>
    ? (input: Static<Input>, context: RunContext) => Static<Output> | Promise<Static<Output>>
    : never

const premiumMark = "x-premium"

/**
 * Marks an output field or a parameter as premium. On plans without premium fields, the output field is absent and the
 * parameter is checked but has no effect.
 * @example
 * const output = Type.Object({
 *   words: Type.Integer({ description: "The number of words." }),
 *   longest: premium(Type.String({ description: "The longest word." })),
 * })
 */
export function premium<T extends TSchema>(schema: T): T {
  return { ...schema, [premiumMark]: true }
}

/** Whether a schema is marked with {@link premium}. @internal */
export function isPremium(schema: TSchema): boolean {
  return schema[premiumMark] === true
}

const secretMark = "x-secret"

/**
 * Marks a parameter as secret, such as a key or a card number. Its value is used for the run alone. It is in no log, trace,
 * address, code example or error message, and the test double leaves it out of its journal. The API must take POST.
 * @example
 * const input = Type.Object({ token: secret(Type.String({ description: "The token to check." })) })
 */
export function secret<T extends TSchema>(schema: T): T {
  return { ...schema, [secretMark]: true }
}

/** Whether a schema is marked with {@link secret}. @internal */
export function isSecret(schema: TSchema): boolean {
  return schema[secretMark] === true
}

/** The names of the parameters that are marked with {@link secret}. @internal */
export function secretsOf({ input }: { readonly input: TObject }): readonly string[] {
  return Object.entries(input.properties ?? {}).flatMap(([name, schema]) => (isSecret(schema) ? [name] : []))
}

/** Marks a part that should not be used: the day since when, and the day until which it works. */
export interface Deprecation {
  /** The UTC day since which it is deprecated, `YYYY-MM-DD`. */
  readonly since: string
  /** The UTC day from which on it is gone. Absent while that is not decided. */
  readonly sunset?: string
  /** The replacement: the id of an API, or the name of a parameter or field. */
  readonly successor?: string
}

const deprecationMark = "x-deprecation"

/**
 * Marks a parameter or an output field as deprecated. It keeps working until it is taken out of the definition, so it has no
 * sunset. Usage tells who still uses it.
 * @example
 * const input = Type.Object({
 *   text: Type.String({ description: "The text." }),
 *   txt: Type.Optional(deprecated(Type.String({ description: "The text." }), { since: "2026-01-31", successor: "text" })),
 * })
 */
export function deprecated<T extends TSchema>(schema: T, deprecation: Omit<Deprecation, "sunset">): T {
  return { ...schema, deprecated: true, [deprecationMark]: deprecation }
}

/** The mark of {@link deprecated}; null for any other schema. @internal */
export function deprecationOf(schema: TSchema): Deprecation | null {
  return (schema[deprecationMark] as Deprecation | undefined) ?? null
}

/** `Deprecated since 2026-01-31. Use 'text' instead. It is gone from 2026-12-31 on.` @internal */
export function deprecationText({ since, sunset, successor }: Deprecation): string {
  const instead = successor === undefined ? "" : ` Use '${successor}' instead.`
  return `Deprecated since ${since}.${instead}${sunset === undefined ? "" : ` It is gone from ${sunset} on.`}`
}

/** A schema for a string from a fixed list. */
export function choice<const V extends readonly [string, ...string[]]>(
  values: V,
  options: { readonly description: string; readonly default?: V[number] },
): TSchema & { static: V[number] } {
  return Type.Union(
    values.map((value) => Type.Literal(value)),
    options,
  )
}

/** The list of a {@link choice}; null for any other schema. @internal */
export function choicesOf(schema: TSchema): readonly string[] | null {
  const members: unknown = schema.anyOf
  if (!Array.isArray(members)) return null
  const values = members.map((member: TSchema) => member.const as unknown)
  return values.every((value) => typeof value === "string") ? values : null
}

/** A schema for a value that may also be null. */
export function nullable<T extends TSchema>(schema: T, options: { readonly description: string }) {
  const either: TSchema & { static: Static<T> | null } = Type.Union([schema, Type.Null()], options)
  return either
}

/** A schema for a string that may also be null. @internal */
export function nullableText(description: string) {
  return nullable(Type.String(), { description })
}

/** Names a check of strings, for `format: name` of a schema whose `x-requirement` goes on from "The 'x' parameter". @internal */
export function defineFormat(name: string, isValid: (text: string) => boolean): void {
  FormatRegistry.Set(name, isValid)
}

/**
 * Refuses a parameter with a 400: the client has to change it. Nothing is charged. `requirement` continues the sentence "The 'x'
 * parameter", without a full stop, and never contains a secret value.
 * @example
 * function requireOrder(from: number, to: number) {
 *   if (from > to) reject("from", "must not be more than to")
 * }
 */
export function reject(parameter: string, requirement: string): never {
  throw new InputRejected(parameter, requirement)
}

/** Thrown by {@link reject}. @internal */
export class InputRejected extends Error {
  override readonly name = "InputRejected"
  readonly parameter: string
  readonly requirement: string
  constructor(parameter: string, requirement: string) {
    super(`The '${parameter}' parameter ${requirement}.`)
    this.parameter = parameter
    this.requirement = requirement
  }
}

/**
 * Refuses the call with a 503, because something outside does not answer. Nothing is charged. The client gets the sentence, the
 * log gets the reason: one word without input of the client.
 * @example
 * function requireAnswer(answer: DnsAnswer) {
 *   if (answer.kind === "failure") unavailable("The DNS gave no answer. Try again later.", answer.reason)
 * }
 */
export function unavailable(sentence: string, reason?: string): never {
  throw new Unavailable(sentence, reason)
}

/** Thrown by {@link unavailable}. @internal */
export class Unavailable extends Error {
  override readonly name = "Unavailable"
  readonly reason: string
  readonly retryAfterSeconds?: number
  constructor(sentence: string, reason = "unavailable") {
    super(sentence)
    this.reason = reason
  }
}

/** Refuses a call since others use what it needs. It may succeed after so many seconds. @internal */
export class Busy extends Error {
  override readonly name = "Busy"
  readonly retryAfterSeconds: number
  constructor(sentence: string, retryAfterSeconds: number) {
    super(sentence)
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/**
 * A mistake of an API that holds nothing from a client's input, so that the log may show its message. The client gets an internal
 * error. `detail` may hold input; it is for those who try the API. @internal
 */
export class ApiMistake extends Error {
  override readonly name = "ApiMistake"
  readonly detail: string
  constructor(message: string, detail = message) {
    super(message)
    this.detail = detail
  }
}

/** The outside world as an API sees it. The test double has another clock, other randomness, other DNS and HTTPS replies. */
export interface Ports {
  readonly clock: Clock
  readonly random: Random
  readonly dns: Dns
  readonly web: Web
  readonly timer: Timer
}
