import { isIpv6 } from "../../values/ip.ts"
import { stepsOf } from "./branch.ts"
import { toDisplayText } from "./issues.ts"
import { reachedOf, type SpfRecord } from "./record.ts"
import { domainOf } from "./survey.ts"
import type { TreeNode } from "./tree.ts"

/** One record as the answer's list has it. */
export interface RecordEntry {
  origin: string
  record: string
  chars_num: number
  use_macro: boolean
  domains?: string[]
  authorized_ips?: { ipv4: string[]; ipv6?: string[] }
}

/** The records of a domain: one, none, or by mistake several, of which the first was followed. */
export function toEntries({ domain, policy, branches }: TreeNode): RecordEntry[] {
  if (policy.kind !== "found") return []
  return policy.records.map((record, index) => {
    const domains =
      index === 0 ? branches.map(domainOf) : stepsOf(record).map(({ spec }) => spec?.text ?? null)
    return toEntry(domain, record, domains)
  })
}

function toEntry(origin: string, record: SpfRecord, targets: readonly (string | null)[]): RecordEntry {
  const text = toDisplayText(record.text)
  const domains = [...new Set(targets.filter((target) => target !== null))]
  const ipv4 = networksOf(record, false)
  const ipv6 = networksOf(record, true)
  return {
    origin,
    record: text,
    chars_num: text.length,
    use_macro: record.text.replaceAll("%%", "").includes("%{"),
    ...(domains.length > 0 && { domains }),
    ...(ipv4.length + ipv6.length > 0 && { authorized_ips: ipv6.length > 0 ? { ipv4, ipv6 } : { ipv4 } }),
  }
}

/** The literal networks that may send, as written: those with qualifier `+` that do not stand behind `all`. */
function networksOf(record: SpfRecord, isSix: boolean): string[] {
  return reachedOf(record).flatMap(({ mechanism, qualifier }) => {
    if ((mechanism.kind !== "ip4" && mechanism.kind !== "ip6") || qualifier !== "+") return []
    return isIpv6(mechanism.network.address) === isSix ? [mechanism.network.text] : []
  })
}
