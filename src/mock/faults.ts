import { keyMatches } from "./keys.ts"

/** What goes wrong with calls that match. */
export interface FaultRule {
  readonly api?: string
  readonly key?: string
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
}

/** The faults of one request. */
export interface ActiveFault {
  /** Statuses by API; those of rules without an API under null. */
  readonly statuses: ReadonlyMap<string | null, number>
  readonly delayMs: number
  readonly reset: boolean
  readonly malformed: boolean
}

export interface Faults {
  /** Adds a rule; it replaces one with the same `api` and `key`. */
  put(rule: FaultRule): void
  clear(): void
  list(): readonly FaultRule[]
  /** The faults of this request; null when no rule matches. Counts as a call of every matching rule. */
  take(target: Target): ActiveFault | null
}

export function createFaults(): Faults {
  let rules: FaultRule[] = []

  return {
    put(rule) {
      rules = [...rules.filter(({ api, key }) => api !== rule.api || key !== rule.key), rule]
    },
    clear() {
      rules = []
    },
    list: () => rules,
    take(target) {
      const matching = rules.filter(
        ({ api, key }) =>
          (api === undefined || target.apis.includes(api)) &&
          (key === undefined || keyMatches(key, target.key)),
      )
      if (matching.length === 0) return null
      rules = rules
        .map((rule) => (matching.includes(rule) ? countDown(rule) : rule))
        .filter(({ times }) => times !== 0)
      return {
        // Later rules win.
        statuses: new Map(
          matching.flatMap(({ api, status }) => (status === undefined ? [] : [[api ?? null, status]])),
        ),
        delayMs: Math.max(...matching.map(({ delay_ms = 0 }) => delay_ms)),
        reset: matching.some(({ reset }) => reset),
        malformed: matching.some(({ malformed }) => malformed),
      }
    },
  }
}

function countDown(rule: FaultRule): FaultRule {
  return rule.times === undefined ? rule : { ...rule, times: rule.times - 1 }
}
