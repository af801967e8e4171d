import type { Check } from "./check.ts"
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
