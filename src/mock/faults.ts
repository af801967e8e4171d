import { type Static, Type } from "@sinclair/typebox"
import { reject } from "../apis/contract.ts"
import { keyMatches } from "./keys.ts"
import {
  type Chance,
  delaySchema,
  hasValues,
  isSameInput,
  joinEdits,
  keyText,
  ruleFields,
  type SeededRandom,
  toChance,
  toDelay,
  type Values,
} from "./rule.ts"

const flag = Type.Optional(Type.Boolean())

/** A failure, and the calls that it applies to; with `webhook` the deliveries. */
export const faultSchema = Type.Object({
  api: Type.Optional(Type.String()),
  key: Type.Optional(keyText),
  ...ruleFields,
  /** How many calls; without it, all until the rule is removed; 0 removes it. */
  times: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
  status: Type.Optional(Type.Integer({ minimum: 400, maximum: 599 })),
  delay_ms: Type.Optional(delaySchema),
  /** How fast the body of the answer is sent. */
  bytes_per_second: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000 })),
  /** The first byte of the body is sent, then nothing; no answer; a body that cannot be parsed. */
  ...{ hang: flag, reset: flag, malformed: flag },
  /** The attempt is lost, so later webhooks overtake this one; sent twice; signed with another secret, or ten minutes before. */
  ...{ webhook: flag, drop: flag, twice: flag, bad_signature: flag, late_timestamp: flag },
})

type Fault = Static<typeof faultSchema>
type OfWebhooks = "drop" | "twice" | "bad_signature" | "late_timestamp"

/** A failure of calls. */
type FaultRule = Omit<Fault, "webhook" | OfWebhooks>

/**
 * A failure on the way to a webhook's receiver. With `status` the receiver is not asked, and counts as having answered so. With
 * `delay_ms` the first attempt is made so much later, by the clock of the test double. `times` counts attempts.
 */
export type WebhookFault = Pick<Fault, keyof Chance | "times" | "status" | OfWebhooks> & {
  readonly webhook: true
  readonly delay_ms?: number
}

/** A request that a rule may match: a call or batch of one API, a GraphQL query of several, usage of none. */
export interface Target {
  readonly apis: readonly string[]
  readonly key: string | null
  /** Returns the inputs for an API as it would get them; those that it would refuse are left out. */
  readonly inputsOf: (api: string) => readonly Values[]
}

type NoEffect = "api" | "key" | "input" | "times" | keyof Chance
/** The effects that a fault has, as the journal shows them, with the delay that was drawn. */
export type FaultEffects = Omit<FaultRule, NoEffect | "delay_ms"> & { readonly delay_ms?: number }

/** The effects of a fault besides `headers` and `body`. */
export const effectNames = ["status", "delay_ms", "bytes_per_second", "hang", "reset", "malformed"] as const

/** The faults of one request. */
export type ActiveFault = ReturnType<typeof toActiveFault>

export type Faults = ReturnType<typeof createFaults>

export type Rule = FaultRule | WebhookFault

/** Named sets of faults. */
export type Profiles = Readonly<Record<string, readonly Rule[]>>

export const standardProfiles: Profiles = {
  ok: [],
  flaky: [
    { status: 503, probability: 0.1 },
    { reset: true, probability: 0.05, seed: 1 },
    { delay_ms: { min: 0, max: 500 } },
  ],
  slow: [{ delay_ms: { p50: 500, p99: 5_000 }, bytes_per_second: 20_000 }],
  // As a proxy answers for a service that is down: batches and queries fail as a whole too.
  outage: [{ status: 502 }],
  throttled: [{ status: 429, probability: 0.5 }],
}

/**
 * Creates a list of faults, at first those of a profile. Randomness decides which calls a rule with a probability hits.
 * @param own profiles besides those that every test double has
 */
export function createFaults(createRandom: SeededRandom, own: Profiles = {}, start = "ok") {
  const profiles = { ...standardProfiles, ...own }
  let profile = start
  let entries: readonly ReturnType<typeof toEntry>[] = []

  function toEntry(rule: Rule, isOfProfile: boolean) {
    const delayMs = toDelay(rule.delay_ms ?? 0, rule.seed ?? 0, createRandom)
    return { rule, isOfProfile, applies: toChance(rule, createRandom), delayMs }
  }

  function useProfile(name: string): void {
    const rules = Object.hasOwn(profiles, name) ? profiles[name] : undefined
    if (!rules) reject("name", `must be one of ${Object.keys(profiles).join(", ")}`)
    profile = name
    entries = [...rules.map((rule) => toEntry(rule, true)), ...entries.filter((one) => !one.isOfProfile)]
  }

  /** The rules that apply, with the delay of this time. Counts as a call of each of them. */
  function hit<Hit extends Rule>(matches: (rule: Rule) => rule is Hit): readonly Hit[] {
    const active = new Set(entries.filter(({ rule, applies }) => matches(rule) && applies()))
    entries = entries
      .map((entry) => (active.has(entry) ? { ...entry, rule: countDown(entry.rule) } : entry))
      .filter(({ rule }) => rule.times !== 0)
    const drawn = [...active].map(({ rule, delayMs }) =>
      rule.delay_ms === undefined ? rule : { ...rule, delay_ms: delayMs() },
    )
    return drawn.filter(matches)
  }

  useProfile(start)
  return {
    useProfile,
    /** The name of the profile in use, and all that there are. */
    profile: () => ({ name: profile, profiles }),
    /** Adds a rule, or with `times: 0` none. It replaces one with the same `api`, `key` and `input`, or the one for webhooks. */
    put(rule: Rule) {
      const others = entries.filter((one) => one.isOfProfile || !isSameTarget(one.rule, rule))
      entries = rule.times === 0 ? others : [...others, toEntry(rule, false)]
    },
    /** Removes all faults but those of the profile. */
    clear() {
      entries = entries.filter(({ isOfProfile }) => isOfProfile)
    },
    /** All faults but those of the profile. */
    list: () => entries.filter(({ isOfProfile }) => !isOfProfile).map(({ rule }) => rule),
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

export function isForWebhooks(rule: Rule): rule is WebhookFault {
  return "webhook" in rule && rule.webhook
}

/** Whether a rule takes the place of another one. */
export function isSameTarget(one: Rule, other: Rule): boolean {
  if (isForWebhooks(one) || isForWebhooks(other)) return isForWebhooks(one) && isForWebhooks(other)
  return one.api === other.api && one.key === other.key && isSameInput(one.input, other.input)
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
function toActiveFault(rules: readonly FaultRule[]) {
  const withStatus = rules.flatMap(({ api = null, input = {}, status }) =>
    status === undefined ? [] : [{ api, input, status }],
  )
  const latest = (name: (typeof effectNames)[number]) => {
    const value = rules.findLast((rule) => rule[name])?.[name]
    return value === undefined ? [] : [[name, value]]
  }
  const effects: FaultEffects = { ...Object.fromEntries(effectNames.flatMap(latest)), ...joinEdits(rules) }
  return {
    /** Statuses by API; those of rules without an API under null. */
    statuses: new Map(withStatus.map(({ api, status }) => [api, status])),
    /** The status for one input of an API; null without one. */
    statusFor(id: string, given: Values) {
      const own = withStatus.findLast(({ api, input }) => api === id && hasValues(given, input))
      return (own ?? withStatus.findLast(({ api }) => api === null))?.status ?? null
    },
    effects,
  }
}
