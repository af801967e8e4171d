import { isDeepStrictEqual } from "node:util"
import { keyMatches } from "./keys.ts"
import { type AnswerEdit, type Chance, hasValues, joinEdits, type SeededRandom, toChance } from "./rule.ts"

type Values = Readonly<Record<string, unknown>>

/** A failure, and the calls that it applies to. */
export interface FaultRule extends AnswerEdit, Chance {
  readonly api?: string
  readonly key?: string
  /** Only for inputs of `api` with these values. */
  readonly input?: Values
  /** How many calls; without it, all until the rule is removed. */
  readonly times?: number
  /** HTTP status, 400 to 599. */
  readonly status?: number
  readonly delay_ms?: number
  /** Resets the connection without an answer. */
  readonly reset?: boolean
  /** Cuts the body of the answer so that it cannot be parsed. */
  readonly malformed?: boolean
}

/** A request that a rule may match: a call or batch of one API, a GraphQL query of several, usage of none. */
export interface Target {
  readonly apis: readonly string[]
  readonly key: string | null
  /** Returns the inputs for an API as it would get them; those that it would refuse are left out. */
  readonly inputsOf: (api: string) => readonly Values[]
}

/** The faults of one request. */
export interface ActiveFault {
  /** Statuses by API; those of rules without an API under null. */
  readonly statuses: ReadonlyMap<string | null, number>
  /** The status for one input of an API; null without one. */
  readonly statusFor: (api: string, input: Values) => number | null
  readonly delayMs: number
  readonly reset: boolean
  readonly malformed: boolean
  /** Null when the answer keeps its headers and body. */
  readonly edit: AnswerEdit | null
}

export type Faults = ReturnType<typeof createFaults>

type Entry = { readonly rule: FaultRule; readonly applies: () => boolean }

/** Creates an empty list of faults. Randomness decides which calls a rule with a probability hits. */
export function createFaults(createRandom: SeededRandom) {
  let entries: readonly Entry[] = []

  return {
    /** Adds a rule; it replaces one with the same `api`, `key` and `input`. */
    put(rule: FaultRule) {
      const others = entries.filter((entry) => !isSameTarget(entry.rule, rule))
      entries = [...others, { rule, applies: toChance(rule, createRandom) }]
    },
    clear() {
      entries = []
    },
    list: () => entries.map(({ rule }) => rule),
    /** The faults of this request; null when no rule applies. Counts as a call of every rule that does. */
    take(target: Target) {
      const active = entries.filter(({ rule, applies }) => matches(rule, target) && applies())
      if (active.length === 0) return null
      entries = entries
        .map((entry) => (active.includes(entry) ? { ...entry, rule: countDown(entry.rule) } : entry))
        .filter(({ rule }) => rule.times !== 0)
      return toActiveFault(active.map(({ rule }) => rule))
    },
  }
}

function isSameTarget(one: FaultRule, other: FaultRule): boolean {
  return one.api === other.api && one.key === other.key && isDeepStrictEqual(one.input, other.input)
}

function matches({ api, key, input }: FaultRule, target: Target): boolean {
  return (
    (api === undefined || target.apis.includes(api)) &&
    (key === undefined || keyMatches(key, target.key)) &&
    (api === undefined ||
      input === undefined ||
      target.inputsOf(api).some((given) => hasValues(given, input)))
  )
}

function countDown(rule: FaultRule): FaultRule {
  return rule.times === undefined ? rule : { ...rule, times: rule.times - 1 }
}

/** Later rules win; of two, the one that names the API. */
function toActiveFault(rules: readonly FaultRule[]): ActiveFault {
  const withStatus = rules.flatMap(({ api = null, input = {}, status }) =>
    status === undefined ? [] : [{ api, input, status }],
  )
  return {
    statuses: new Map(withStatus.map(({ api, status }) => [api, status])),
    statusFor(id, given) {
      const own = withStatus.findLast(({ api, input }) => api === id && hasValues(given, input))
      return (own ?? withStatus.findLast(({ api }) => api === null))?.status ?? null
    },
    delayMs: Math.max(...rules.map(({ delay_ms = 0 }) => delay_ms)),
    reset: rules.some(({ reset }) => reset),
    malformed: rules.some(({ malformed }) => malformed),
    edit: joinEdits(rules),
  }
}
