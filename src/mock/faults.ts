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
  /** How many calls; without it, all until the rule is removed; 0 removes it. */
  readonly times?: number
  /** HTTP status, 400 to 599. */
  readonly status?: number
  readonly delay_ms?: number
  /** Resets the connection without an answer. */
  readonly reset?: boolean
  /** Cuts the body of the answer so that it cannot be parsed. */
  readonly malformed?: boolean
}

/**
 * A failure on the way to a webhook's receiver. With `status` the receiver is not asked, and counts as having answered so. With
 * `delay_ms` the first attempt is made so much later, by the clock of the test double. `times` counts attempts.
 */
export interface WebhookFault extends Chance, Pick<FaultRule, "times" | "status" | "delay_ms"> {
  readonly webhook: true
  /** The attempt is lost. The next one comes as after any failure, so later webhooks overtake this one. */
  readonly drop?: boolean
  /** The same request is sent twice. */
  readonly twice?: boolean
  /** Signed with another secret. */
  readonly bad_signature?: boolean
  /** Signed with a time of ten minutes before. */
  readonly late_timestamp?: boolean
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

type Rule = FaultRule | WebhookFault
type Entry = { readonly rule: Rule; readonly applies: () => boolean }

/** Creates an empty list of faults. Randomness decides which calls a rule with a probability hits. */
export function createFaults(createRandom: SeededRandom) {
  let entries: readonly Entry[] = []

  /** The rules that apply. Counts as a call of each of them. */
  function hit<Hit extends Rule>(matches: (rule: Rule) => rule is Hit): readonly Hit[] {
    const active = entries.filter(({ rule, applies }) => matches(rule) && applies())
    if (active.length === 0) return []
    entries = entries
      .map((entry) => (active.includes(entry) ? { ...entry, rule: countDown(entry.rule) } : entry))
      .filter(({ rule }) => rule.times !== 0)
    return active.map(({ rule }) => rule).filter(matches)
  }

  return {
    /** Adds a rule, or with `times: 0` none. It replaces one with the same `api`, `key` and `input`, or the one for webhooks. */
    put(rule: Rule) {
      const others = entries.filter((entry) => !isSameTarget(entry.rule, rule))
      entries = rule.times === 0 ? others : [...others, { rule, applies: toChance(rule, createRandom) }]
    },
    clear() {
      entries = []
    },
    list: () => entries.map(({ rule }) => rule),
    /** The faults of this request; null when no rule applies. */
    take(target: Target): ActiveFault | null {
      const active = hit((rule): rule is FaultRule => matches(rule, target))
      return active.length === 0 ? null : toActiveFault(active)
    },
    /** The fault of an attempt to deliver a webhook, after so many others; null without one. A delay is for the first attempt. */
    takeForWebhook(attempts: number): WebhookFault | null {
      const isMeant = (rule: Rule) => isForWebhooks(rule) && (attempts === 0 || rule.delay_ms === undefined)
      return hit((rule): rule is WebhookFault => isMeant(rule))[0] ?? null
    },
  }
}

function isForWebhooks(rule: Rule): rule is WebhookFault {
  return "webhook" in rule
}

function isSameTarget(one: Rule, other: Rule): boolean {
  if (isForWebhooks(one) || isForWebhooks(other)) return isForWebhooks(one) && isForWebhooks(other)
  return one.api === other.api && one.key === other.key && isDeepStrictEqual(one.input, other.input)
}

function matches(rule: Rule, target: Target): rule is FaultRule {
  if (isForWebhooks(rule)) return false
  const { api, key, input } = rule
  return (
    (api === undefined || target.apis.includes(api)) &&
    (key === undefined || keyMatches(key, target.key)) &&
    (api === undefined ||
      input === undefined ||
      target.inputsOf(api).some((given) => hasValues(given, input)))
  )
}

function countDown<R extends Rule>(rule: R): R {
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
