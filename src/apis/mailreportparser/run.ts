import type { RunOf } from "../contract.ts"
import { readAggregate } from "./aggregate.ts"
import { Findings } from "./findings.ts"
import type { mailreportparser } from "./index.ts"
import { openFile } from "./open-file.ts"
import { Totals } from "./rows.ts"
import { Sources } from "./sources.ts"
import { readTlsReport } from "./tls-report.ts"

export const run: RunOf<typeof mailreportparser> = async ({ report }, { ports: { dns, timer }, premium }) => {
  const findings = new Findings()
  const totals = new Totals()
  const sources = new Sources()
  const text = openFile(report, findings)
  const { rows, left_out, tls_policies, ...fields } = text.startsWith("<")
    ? ofAggregate(readAggregate(text, findings, totals, sources))
    : ofTls(readTlsReport(text, findings, totals, sources))
  return {
    is_valid: findings.isValid,
    problems: findings.list(),
    ...fields,
    totals: totals.list(rows.length + tls_policies.length + left_out),
    rows,
    tls_policies,
    rows_left_out: left_out,
    sources: premium ? await sources.list(dns, timer) : [],
  }
}

function ofAggregate({ list, leftOut, ...fields }: ReturnType<typeof readAggregate>) {
  return { kind: "dmarc" as const, ...fields, rows: list, tls_policies: [], left_out: leftOut }
}

function ofTls({ list, leftOut, ...fields }: ReturnType<typeof readTlsReport>) {
  const none = { contact_details: null, generator: null, errors: [], published: null }
  return {
    ...{ kind: "tls" as const, standard: "rfc8460" as const },
    ...{ ...fields, ...none, rows: [], tls_policies: list, left_out: leftOut },
  }
}
