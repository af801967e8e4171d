import { defineProblems } from "../../values/problems.ts"
import type { ServiceFinding } from "../mail/dane/service.ts"
import type { JudgedTlsa } from "../mail/dane/tlsa-check.ts"

export const { problemList, problem, newProblems } = defineProblems({
  no_address: "error: the host has no address, so nobody can connect to it",
  addresses_fail: "warning: DNSSEC fails for the addresses of one family, IPv4 or IPv6",
  not_secure: "error: DNSSEC fails for the addresses or the TLSA records: clients do not connect",
  not_signed: "error: the TLSA records are not signed by DNSSEC, so clients ignore them",
  no_records: "warning: the host has no TLSA records",
  unusable_record: "warning: a TLSA record that clients cannot use",
  no_usable_record: "error: no TLSA record can be used",
  no_sha256:
    "warning: records with SHA-512 and none with SHA-256, which alone all clients know (RFC 6698 §6)",
  missing_digest:
    "warning: not as many records with SHA-512 as with SHA-256: clients use the stronger alone (RFC 7671 §9)",
  full_data: "warning: a whole certificate or key instead of its digest (RFC 7671 §10.1)",
})

type Problem = ReturnType<typeof problem>

/** Finds the problems of a host's TLSA records, and of the names that lead to them. */
export function problemsOf(host: string, finding: ServiceFinding): Problem[] {
  const { tlsaName, security, addressSecurity, addressFailure, hasAddress, isUnsigned, records, reason } =
    finding
  const isFailed = [security, addressSecurity].some((one) => one === "bogus" || one === "indeterminate")
  const [found, add] = newProblems()
  if (isFailed && reason) add("not_secure", reason.at || ".", reason.message)
  else if (!hasAddress) add("no_address", host, `Give ${host} an A or AAAA record.`)
  if (finding.action === "avoid" && isFailed) return found
  if (addressFailure) add("addresses_fail", addressFailure.at, addressFailure.message)
  if (records.length === 0) {
    add("no_records", tlsaName, `${tlsaName} has no TLSA records.`)
    return found
  }
  if (security === "insecure" || isUnsigned)
    add("not_signed", tlsaName, `Sign the zone by DNSSEC. ${reason?.message ?? ""}`.trimEnd())
  return [...found, ...recordProblems(tlsaName, records)]
}

function recordProblems(tlsaName: string, records: readonly JudgedTlsa[]): Problem[] {
  const usable = records.filter(({ fault }) => fault === null)
  const found = records.flatMap(({ fault, text }) =>
    fault === null ? [] : [problem("unusable_record", `${tlsaName} ${shorten(text)}`, fault)],
  )
  if (usable.length === 0)
    found.push(
      problem("no_usable_record", tlsaName, "Publish a record 3 1 1, the SHA-256 of the server's key."),
    )
  for (const [kind, group] of Map.groupBy(usable, ({ usage, selector }) => `${usage} ${selector}`)) {
    const count = (matchingType: number) => group.filter((one) => one.matchingType === matchingType).length
    const [full, sha256, sha512] = [count(0), count(1), count(2)]
    const where = `${tlsaName} ${kind}`
    if (full > 0)
      found.push(problem("full_data", `${where} 0`, `Publish ${kind} 1 instead: a digest is shorter.`))
    if (sha512 > 0 && sha256 === 0)
      found.push(problem("no_sha256", `${where} 2`, `Publish ${kind} 1 beside ${kind} 2.`))
    if (sha512 > 0 && sha256 > sha512)
      found.push(
        problem(
          "missing_digest",
          `${where} 2`,
          `Publish both digests of each key or certificate, or SHA-256 alone.`,
        ),
      )
  }
  return found
}

/** Enough of a record to know it by. */
function shorten(text: string): string {
  return text.length > 40 ? `${text.slice(0, 39)}…` : text
}
