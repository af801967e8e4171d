import type { Dns } from "../contract.ts"

/** The DMARC policy for mail from a domain. */
interface DmarcPolicy {
  /** `unknown`: the DNS did not answer. */
  readonly found: "yes" | "no" | "unknown"
  /** What receivers are asked to do with mail that fails; null without a record. */
  readonly policy: "none" | "quarantine" | "reject" | null
  /** The domain that has the record: the given one, or its organizational domain; null without a record. */
  readonly domain: string | null
  readonly record: string | null
}

interface DmarcRecord {
  readonly domain: string
  readonly text: string
  readonly tags: ReadonlyMap<string, string>
}

const absent = { policy: null, domain: null, record: null } as const

/** Finds the policy for mail from a domain by the tree walk of RFC 9989 §4.10. */
export async function findDmarc(domain: string, dns: Dns, signal: AbortSignal): Promise<DmarcPolicy> {
  const found: DmarcRecord[] = []
  for (const name of namesToAsk(domain)) {
    const answer = await dns.resolve(`_dmarc.${name}`, "TXT", signal)
    if (answer.kind === "failure") return { found: "unknown", ...absent }
    const records = answer.kind === "records" ? answer.records.filter(isDmarc) : []
    const [text] = records
    // A name with several records counts as a name without one (RFC 9989 §4.10).
    if (text === undefined || records.length > 1) continue
    const record = { domain: name, text, tags: readTags(text) }
    found.push(record)
    if (name === domain || record.tags.has("psd")) break
  }
  const used = policyRecord(found)
  if (used === undefined) return { found: "no", ...absent }
  return { found: "yes", policy: policyOf(used, domain), domain: used.domain, record: used.text }
}

/** The domain and the names above it, at most the last seven: a policy takes at most eight DNS questions (RFC 9989 §4.10). */
function namesToAsk(domain: string): readonly string[] {
  const labels = domain.split(".")
  const above = labels.slice(1).slice(-7)
  return [domain, ...above.map((_, index) => above.slice(index).join("."))]
}

function isDmarc(text: string): boolean {
  return /^v[ \t]*=[ \t]*DMARC1[ \t]*(?:;|$)/.test(text)
}

function readTags(text: string): ReadonlyMap<string, string> {
  return new Map(
    text.split(";").flatMap((part) => {
      const [, name = "", value = ""] = /^\s*([a-z]+)\s*=\s*(.*?)\s*$/is.exec(part) ?? []
      return name === "" ? [] : [[name.toLowerCase(), value.toLowerCase()]]
    }),
  )
}

/** The record that applies: the last found, or the one before it if the last is a public suffix (`psd=y`). */
function policyRecord(found: readonly DmarcRecord[]): DmarcRecord | undefined {
  const last = found.at(-1)
  const before = found.at(-2)
  if (last?.tags.get("psd") !== "y" || before === undefined) return last
  return before.domain.split(".").length === last.domain.split(".").length + 1 ? before : last
}

/** A policy that is missing or not known counts as `none` (RFC 9989 §4.7). */
function policyOf({ domain, tags }: DmarcRecord, asked: string): "none" | "quarantine" | "reject" {
  const own = known(tags.get("p")) ?? "none"
  return domain === asked ? own : (known(tags.get("sp")) ?? own)
}

function known(value: string | undefined) {
  return (["none", "quarantine", "reject"] as const).find((policy) => policy === value)
}
