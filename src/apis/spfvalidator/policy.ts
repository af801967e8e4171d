import type { DnsAnswer, DnsFailure, GiveWay } from "../contract.ts"
import type { Lookups } from "../mail/look-up.ts"
import { type Budget, limits } from "./limits.ts"
import { parseRecord } from "./parse.ts"
import type { SpfRecord } from "./record.ts"

/** The policy that a domain publishes, by the selection rule of RFC 7208 §4.4 and §4.5. */
export type Policy =
  | { readonly kind: "failure"; readonly reason: DnsFailure }
  /** The TXT records are over the limit and were not read: a permerror, as for any limit of RFC 7208 §4.6.4. */
  | { readonly kind: "unread"; readonly bytes: number }
  | {
      readonly kind: "none"
      readonly exists: boolean
      /** The domain's other TXT records. */
      readonly others: readonly string[]
    }
  | {
      readonly kind: "found"
      /** In a fixed order. Two or more records are a permerror. */
      readonly records: readonly [SpfRecord, ...SpfRecord[]]
      readonly others: readonly string[]
      /** Bytes of the DNS answer that carried the records; 0 when unknown. */
      readonly messageBytes: number
    }

export type Policies = ReturnType<typeof createPolicies>

/** Reads each domain's policy once. */
export function createPolicies(lookups: Lookups, giveWay: GiveWay) {
  const read = new Map<string, Policy>()
  return {
    /** The policy of a lower-case name. The report and the check read in different orders, so each has its own TXT budget. */
    async of(domain: string, textBytes: Budget): Promise<Policy> {
      const answer = await lookups.ask(domain, "TXT")
      if (answer.kind === "failure") return answer
      if (answer.kind !== "records") return { kind: "none", exists: answer.kind === "nodata", others: [] }
      const bytes = answer.records.reduce((sum, text) => sum + text.length, 0)
      if (!textBytes.take(bytes, domain)) return { kind: "unread", bytes }
      const known = read.get(domain)
      if (known !== undefined) return known
      const pause = giveWay()
      if (pause) await pause
      if (lookups.isOver()) return { kind: "failure", reason: "aborted" }
      const policy = select(answer)
      read.set(domain, policy)
      return policy
    },
  }
}

function select({ records, messageBytes }: DnsAnswer<"TXT"> & { readonly kind: "records" }): Policy {
  // Servers rotate their answers; sorted, the same zone makes the same report.
  const [first, ...more] = records.filter(isSpf).sort().slice(0, limits.recordsPerDomain).map(parseRecord)
  const others = records.filter((text) => !isSpf(text))
  if (first === undefined) return { kind: "none", exists: true, others }
  return { kind: "found", records: [first, ...more], others, messageBytes }
}

/** Whether a TXT record is an SPF record: the version, then a space or the end (RFC 7208 §4.5). */
export function isSpf(text: string): boolean {
  return /^v=spf1(?: |$)/i.test(text)
}
