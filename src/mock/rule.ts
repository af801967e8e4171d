import { isDeepStrictEqual } from "node:util"
import { type Static, type TObject, Type } from "@sinclair/typebox"
import type { Random } from "../apis/contract.ts"

/** Parameters by name. */
export type Values = Readonly<Record<string, unknown>>

const few = { maxProperties: 50, "x-requirement": "must be an object of at most 50 texts" }
export const texts = Type.Record(Type.String(), Type.String(), few)
export const values = Type.Record(Type.String(), Type.Unknown(), { "x-requirement": "must be an object" })
export const keyText = Type.String({ minLength: 1, maxLength: 200 })

/** The fields that faults and stubs share. */
export const ruleFields = {
  /** Only for inputs with these values. */
  input: Type.Optional(values),
  /** How likely it applies to a call that matches; without it always. */
  probability: Type.Optional(
    Type.Number({ exclusiveMinimum: 0, maximum: 1, "x-requirement": "must be a number over 0 and up to 1" }),
  ),
  /** Another seed gives another sequence of luck; without it 0. */
  seed: Type.Optional(Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 })),
  /** Headers that are set in the answer, by name. */
  headers: Type.Optional(texts),
  /** The body of the answer: a text unchanged, any other value as JSON. */
  body: Type.Optional(Type.Unknown()),
}

type Fields = Static<TObject<typeof ruleFields>>
/** The parts of an answer that a fault or a stub replaces. */
export type AnswerEdit = Pick<Fields, "headers" | "body">
/** How often a fault or a stub applies to the calls that it matches. */
export type Chance = Pick<Fields, "probability" | "seed">

/** Makes randomness that is the same for the same seed. */
export type SeededRandom = (seed: string) => Random

/** Whether an input has these values. A parameter that takes numbers and texts has 76 in JSON and "76" in a query: both match. */
export function hasValues(input: Values, wanted: Values): boolean {
  return Object.entries(wanted).every(([name, value]) =>
    isDeepStrictEqual(asText(input[name]), asText(value)),
  )
}

/** Whether two rules are for the same inputs. */
export function isSameInput(one: Values = {}, other: Values = {}): boolean {
  return hasValues(one, other) && hasValues(other, one)
}

function asText(value: unknown): unknown {
  return typeof value === "number" ? String(value) : value
}

/** Makes a function that is true as often as `probability` says, in a sequence that depends only on the seed. */
export function toChance({ probability = 1, seed = 0 }: Chance, createRandom: SeededRandom) {
  if (probability === 1) return () => true
  const random = createRandom(`chance ${seed}`)
  return () => fractionOf(random) < probability
}

/** The longest delay. */
export const maxDelayMs = 600_000
const ms = (minimum: number) => Type.Integer({ minimum, maximum: maxDelayMs })
const closed = { additionalProperties: false }

/** Milliseconds: a fixed time, one between two bounds, or log-normal times of which half are below `p50` and 99 % below `p99`. */
export const delaySchema = Type.Union(
  [ms(0), Type.Object({ min: ms(0), max: ms(0) }, closed), Type.Object({ p50: ms(1), p99: ms(1) }, closed)],
  {
    "x-requirement": `must be whole milliseconds up to ${maxDelayMs}: a number, {"min", "max"} or {"p50", "p99"}`,
  },
)
export type Delay = Static<typeof delaySchema>

/** Makes a function that draws a delay in whole milliseconds, in a sequence that depends only on the seed. */
export function toDelay(delay: Delay, seed: number, createRandom: SeededRandom): () => number {
  if (typeof delay === "number") return () => delay
  const random = createRandom(`delay ${seed}`)
  if ("min" in delay) return () => Math.round(delay.min + fractionOf(random) * (delay.max - delay.min))
  // 99 % of a normal distribution are below 2.3263 standard deviations.
  const deviation = Math.log(delay.p99 / delay.p50) / 2.3263
  // Box and Muller (1958). A fraction of 0 has no logarithm.
  const normal = () =>
    Math.sqrt(-2 * Math.log(1 - fractionOf(random))) * Math.cos(2 * Math.PI * fractionOf(random))
  return () => Math.min(maxDelayMs, Math.round(delay.p50 * Math.exp(deviation * normal())))
}

/** From 0 to below 1. */
function fractionOf(random: Random): number {
  return Buffer.from(random.bytes(4)).readUInt32BE() / 2 ** 32
}

/** Joins edits; later ones win. Null when they change nothing. */
export function joinEdits(edits: readonly AnswerEdit[]): AnswerEdit | null {
  const headers = Object.assign({}, ...edits.map(({ headers }) => headers))
  const body = edits.findLast((edit) => edit.body !== undefined)?.body
  if (body === undefined && Object.keys(headers).length === 0) return null
  return { headers, ...(body !== undefined && { body }) }
}
