import type { Check } from "./check.ts"
import type { Facts } from "./facts.ts"
import type { Judged } from "./grade.ts"
import { receivingChecks } from "./receiving.ts"
import { sendingChecks } from "./sending.ts"
import { transportChecks } from "./transport.ts"

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
