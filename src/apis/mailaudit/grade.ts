import { type Grade, grades } from "../../values/audit-report.ts"
import type { Facts } from "./facts.ts"
import type { Check, Verdict } from "./purpose.ts"
import { receivingChecks } from "./receiving.ts"
import { sendingChecks } from "./sending.ts"
import { transportChecks } from "./transport.ts"

/** A check and what it found. */
export interface Judged {
  readonly check: Check
  readonly verdict: Verdict
}

/** The lowest score for each grade, best first. */
export const lowestScores = { A: 90, B: 80, C: 65, D: 50, E: 30, F: 0 } as const satisfies Record<
  Grade,
  number
>

/** The points of a check. */
export function pointsOf({ check, verdict }: Judged): number {
  return check.weight * verdict.share
}

/** The points in percent of those that the domain could have: checks that do not apply count neither way. */
export function scoreOf(all: readonly Judged[]): number {
  const counted = all.filter(({ verdict }) => verdict.status !== "not_applicable")
  const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0)
  return Math.round((100 * sum(counted.map(pointsOf))) / sum(counted.map(({ check }) => check.weight)))
}

/** The grade of the score, unless a check allows no better one than a worse grade. */
export function gradeOf(all: readonly Judged[]): Grade {
  return grades[Math.max(reachedBy(all), ...all.map(bestOf))] ?? "F"
}

/** The ids of the checks that keep the score from its grade. */
export function limitsOf(all: readonly Judged[]): string[] {
  const reached = reachedBy(all)
  return all.filter((one) => bestOf(one) > reached).map(({ check }) => check.id)
}

/** The place in `grades` that the score alone gives. */
function reachedBy(all: readonly Judged[]): number {
  const score = scoreOf(all)
  return grades.findIndex((grade) => score >= lowestScores[grade])
}

function bestOf({ verdict }: Judged): number {
  return verdict.best === null ? 0 : grades.indexOf(verdict.best)
}

const { mailServers, reverseNames, dnssec, caa } = receivingChecks
const { spfRecord, spfPolicy, dkimKey, dmarcRecord, dmarcPolicy, dmarcReports } = sendingChecks
const { dane, mtaSts, tlsReports, bimi } = transportChecks

/** Every check, in the order of the answer. The weights make 100. `docs/mailaudit.md` has the same table. */
export const checks: readonly Check[] = [
  ...[mailServers, reverseNames],
  ...[spfRecord, spfPolicy, dkimKey, dmarcRecord, dmarcPolicy, dmarcReports],
  ...[dnssec, dane, mtaSts, tlsReports, caa, bimi],
]

/** Runs all checks and returns their results. */
export function judge(facts: Facts): readonly Judged[] {
  return checks.map((check) => ({ check, verdict: check.judge(facts) }))
}
