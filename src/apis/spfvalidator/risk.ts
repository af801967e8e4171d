import type { Qualifier } from "./record.ts"

export interface RiskInput {
  readonly hasRecord: boolean
  /** The qualifier of the `all` that applies in the end, redirects followed; null without one. */
  readonly effectiveAll: Qualifier | null
  readonly lookupTerms: number
  /** Some issue in the tree causes a permerror, so receivers cannot use the record. */
  readonly hasPermerror: boolean
  /** The DNS did not answer for a name in the tree, so it is not known what receivers can use. */
  readonly hasTemperror: boolean
}

export type RiskLevel = "low" | "medium" | "high"

/** How easily others can send mail in the domain's name, from 0 to 100; higher is easier. */
export function toRiskScore(input: RiskInput): number {
  const { hasRecord, effectiveAll, lookupTerms, hasPermerror, hasTemperror } = input
  if (!hasRecord) return hasTemperror ? leastWithTemperror : 100
  const base = effectiveAll === null ? riskWithoutAll : riskOfAll[effectiveAll]
  const nearLimit = lookupTerms === 9 || lookupTerms === 10 ? 5 : 0
  const least = hasPermerror ? leastWithPermerror : hasTemperror ? leastWithTemperror : 0
  return Math.min(100, Math.max(base + nearLimit, least))
}

const riskOfAll: Readonly<Record<Qualifier, number>> = { "-": 0, "~": 40, "?": 70, "+": 95 }
const riskWithoutAll = 75
/** A permerror leaves receivers no policy, whatever the record says. */
const leastWithPermerror = 75
const leastWithTemperror = 40

export function toRiskLevel(score: number): RiskLevel {
  if (score <= 33) return "low"
  return score <= 66 ? "medium" : "high"
}
