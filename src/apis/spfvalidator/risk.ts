import type { Qualifier } from "./record.ts"

export interface RiskInput {
  readonly hasRecord: boolean
  /** The `all` that judges in the end, redirects followed; null where there is none. */
  readonly effectiveAll: Qualifier | null
  readonly lookupTerms: number
  /** A permerror somewhere in the tree makes the record useless. */
  readonly hasPermerror: boolean
}

export type RiskLevel = "low" | "medium" | "high"

/** How easily the domain is spoofed, from 0 to 100; higher is easier. */
export function toRiskScore({ hasRecord, effectiveAll, lookupTerms, hasPermerror }: RiskInput): number {
  if (!hasRecord) return 100
  const base = effectiveAll === null ? riskWithoutAll : riskOfAll[effectiveAll]
  const nearLimit = lookupTerms === 9 || lookupTerms === 10 ? 5 : 0
  return Math.min(100, base + nearLimit + (hasPermerror ? 25 : 0))
}

const riskOfAll: Readonly<Record<Qualifier, number>> = { "-": 0, "~": 40, "?": 70, "+": 95 }
const riskWithoutAll = 75

/** The band of a score. */
export function toRiskLevel(score: number): RiskLevel {
  if (score <= 33) return "low"
  return score <= 66 ? "medium" : "high"
}
