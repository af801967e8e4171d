import type { Dns, DnsFailed } from "../contract.ts"
import { type ReportAddress, readReportAddresses, toReportAddress } from "./report-address.ts"
import { readTagList, type Tag } from "./tag-list.ts"
import { isRecordOf } from "./text-records.ts"

/** A record of DMARC. */
export interface DmarcRecord {
  readonly domain: string
  readonly text: string
  /** The first value of each tag. Names in lower case, values without blanks around them. */
  readonly tags: ReadonlyMap<string, string>
}

/** The result for one name of a tree walk. */
type DmarcStep =
  /** `texts` are all TXT records of the name. Several records of DMARC count as none. */
  | {
      readonly kind: "answer"
      readonly domain: string
      readonly texts: readonly string[]
      readonly record: DmarcRecord | null
    }
  | ({ readonly domain: string } & DnsFailed)

/**
 * Asks for the records of a domain and of the domains above it, at most the last seven: at most eight questions (RFC 9989 §4.10).
 * The walk ends at the first record that says whether its domain is a public suffix.
 */
export async function walkDmarc(domain: string, dns: Dns, signal: AbortSignal) {
  const steps = await Promise.all(
    namesOf(domain).map(async (name): Promise<DmarcStep> => {
      const answer = await dns.resolve(`_dmarc.${name}`, "TXT", signal)
      if (answer.kind === "failure") return { ...answer, domain: name }
      const texts = answer.kind === "records" ? answer.records : []
      const [text, second] = texts.filter(isDmarc)
      const record =
        text === undefined || second !== undefined ? null : { domain: name, text, tags: readTags(text) }
      return { kind: "answer", domain: name, texts, record }
    }),
  )
  const last = steps.findIndex((step) => step.kind === "answer" && step.record && psdOf(step.record) !== "u")
  return last < 0 ? steps : steps.slice(0, last + 1)
}

/** The first of these that the DNS gave no answer for. */
export function failureOf(steps: readonly DmarcStep[]): (DmarcStep & DnsFailed) | undefined {
  return steps.find((step) => step.kind === "failure")
}

/** The domain to which others align (RFC 9989 §4.10.2). For a domain without any record it is the domain itself. */
export function organizationalDomain(domain: string, steps: readonly DmarcStep[]): string {
  const records = recordsOf(steps)
  const last = records.at(-1)
  if (last === undefined) return domain
  // The domain where the walk starts can be a public suffix only for those below it.
  if (psdOf(last) !== "y" || last.domain === domain) return last.domain
  return domain
    .split(".")
    .slice(-last.domain.split(".").length - 1)
    .join(".")
}

/**
 * The record that applies to mail from a domain: its own, that of its organizational domain, or that of the public suffix
 * (§4.10.1).
 */
export function policyRecord(domain: string, steps: readonly DmarcStep[]): DmarcRecord | undefined {
  const records = recordsOf(steps)
  const organizational = organizationalDomain(domain, steps)
  return [domain, organizational]
    .map((name) => records.find((record) => record.domain === name))
    .concat(records.at(-1))
    .find((record) => record !== undefined)
}

/** Whether a text is a record of DMARC: it begins with the version (§4.7). */
export function isDmarc(text: string): boolean {
  return isRecordOf("dmarc", text)
}

/** A longer record is not read. */
export const maxRecordBytes = 4_096

/**
 * Whether the domain of a record is a public suffix: `y`, `n`, or `u` for unknown. A top-level name that does not say so is one:
 * as an organizational domain (§4.10.2) it would let each domain below pass for each other.
 */
export function psdOf({ domain, tags }: DmarcRecord): "y" | "n" | "u" {
  const value = tags.get("psd")?.toLowerCase()
  return value === "y" || value === "n" ? value : domain.includes(".") ? "u" : "y"
}

/** The parts of a record after the version. Names in lower case. */
export function partsOf(text: string): readonly Tag[] {
  return readTagList(text)
    .slice(1)
    .map((tag) => ({ ...tag, name: tag.name.toLowerCase() }))
}

/** The first value of each tag after the version. */
export function readTags(text: string): ReadonlyMap<string, string> {
  const tags = new Map<string, string>()
  for (const { name, value } of partsOf(text)) if (value !== null && !tags.has(name)) tags.set(name, value)
  return tags
}

function recordsOf(steps: readonly DmarcStep[]): readonly DmarcRecord[] {
  return steps.flatMap((step) => (step.kind === "answer" && step.record ? [step.record] : []))
}

function namesOf(domain: string): readonly string[] {
  const above = domain.split(".").slice(1).slice(-7)
  return [domain, ...above.map((_, index) => above.slice(index).join("."))]
}

/** The policies of DMARC, the weakest first (RFC 9989 §4.7). */
export const dmarcPolicies = ["none", "quarantine", "reject"] as const
type DmarcPolicyName = (typeof dmarcPolicies)[number]

const absent = { policy: null, record_domain: null, record: null } as const

/**
 * Finds the policy for mail from a domain, which is taken to exist, by the tree walk of RFC 9989 §4.10.
 * @returns `has_record` is null if the DNS did not answer; `record_domain` is the domain or its organizational domain
 */
export async function findDmarc(domain: string, dns: Dns, signal: AbortSignal) {
  const steps = await walkDmarc(domain, dns, signal)
  const [first] = steps
  const own = first?.kind === "answer" ? first.record : null
  if (own === null && failureOf(steps)) return { has_record: null, ...absent }
  const used = own ?? policyRecord(domain, steps)
  const policies = used && policiesOf(used)
  if (!used || !policies) return { has_record: false, ...absent }
  const { domain: record_domain, text: record } = used
  return { has_record: true, policy: policies[record_domain === domain ? "p" : "sp"], record_domain, record }
}

/**
 * The policies of a record for its domain, for domains below it, and for those that do not exist (RFC 9989 §4.10.1). Null for a
 * record that does not count, since it has neither a valid policy nor an address for reports.
 */
export function policiesOf(record: DmarcRecord): Readonly<Record<"p" | "sp" | "np", DmarcPolicyName>> | null {
  const { tags } = record
  const read = (tag: string) => {
    const value = tags.get(tag)?.toLowerCase()
    return value === undefined ? undefined : (dmarcPolicies.find((one) => one === value) ?? null)
  }
  const [p, sp, np] = [read("p"), read("sp"), read("np")]
  if (p && sp !== null && np !== null) return { p, sp: sp ?? p, np: np ?? sp ?? p }
  // With one that cannot be read, a record that asks for reports counts as `p=none`.
  const isAsking = readDestinations(tags.get("rua")).some(({ isUri }) => isUri)
  return isAsking ? { p: "none", sp: "none", np: "none" } : null
}

/** An address for reports of DMARC. */
export interface Destination extends ReportAddress {
  /** It had a largest size of reports, such as `!10m`, which receivers ignore (RFC 9989 §4.8, obs-dmarc-report-size). */
  readonly hadSize: boolean
}

/** The addresses of `rua` or `ruf`, without the sizes of RFC 7489 §6.2 after them. */
export function readDestinations(value: string | undefined): Destination[] {
  if (value === undefined || value.length > maxRecordBytes) return []
  return readReportAddresses(value).map((written) => {
    const uri = written.uri.replace(/!\d+[kmgt]?$/i, "")
    return { ...toReportAddress(uri), hadSize: uri !== written.uri }
  })
}
