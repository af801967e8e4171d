/** What is to go wrong with calls that match. At least one of the effects is there. */
export interface FaultRule {
  /** Only calls of this API. */
  readonly api?: string
  /** Only calls with this key. */
  readonly key?: string
  /** How many calls; without it, all until the rule is taken away. */
  readonly times?: number
  /** HTTP status, 400 to 599. */
  readonly status?: number
  /** How long the answer is held back. */
  readonly delay_ms?: number
  /** The connection is reset without an answer. */
  readonly reset?: boolean
  /** The body of the answer is cut and cannot be parsed. */
  readonly malformed?: boolean
}

/** A request that a rule may match: a GET, POST or batch of one API, a GraphQL query of several, usage of none. */
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
  /** Adds a rule. One with the same `api` and `key` is replaced. */
  put(rule: FaultRule): void
  clear(): void
  list(): readonly FaultRule[]
  /** The faults of this request, null without any. Counts it as a call of every rule that matches. */
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
      const matching = rules.filter((rule) => matches(rule, target))
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

function matches({ api, key }: FaultRule, target: Target): boolean {
  return (api === undefined || target.apis.includes(api)) && (key === undefined || key === target.key)
}

function countDown(rule: FaultRule): FaultRule {
  return rule.times === undefined ? rule : { ...rule, times: rule.times - 1 }
}
