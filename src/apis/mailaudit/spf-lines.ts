import { isWithin } from "../mail/dnssec/names.ts"
import type { Facts } from "./facts.ts"
import type { SpfResult } from "./parts.ts"
import { providers } from "./providers.json"
import { type Fix, isParked, manualFix, recordFix, toStrings } from "./purpose.ts"

/** A provider of mailboxes, or a service that filters mail. */
interface Provider {
  readonly name: string
  /** The domains of its mail servers. */
  readonly servers: readonly string[]
  /** The domain that its customers include in their SPF records; null where it does not send their mail. */
  readonly spf: string | null
}

/** The provider of a mail server; null for others. */
function providerOf(host: string): Provider | null {
  return providers.find(({ servers }) => servers.some((server) => isWithin(host, server))) ?? null
}

/** The SPF record that the domain should publish, composed for the record and its policy; null if both are good. */
export function spfFix(facts: Facts): Fix | null {
  const { domain, spf } = facts
  if (!spf.isKnown) return null
  const { has_spf_record, spf_valid, spf_record, risk_level } = spf.value
  if (!has_spf_record) return firstFix(facts)
  if (facts.mergedSpf !== null) return mergeFix(domain, facts.mergedSpf)
  if (!spf_valid) return manualFix("Call spfvalidator for the domain: it shows each mistake with its term.")
  if (risk_level !== "high") return null
  if (/(?:^|\s)redirect=/i.test(spf_record))
    return manualFix("The record leads to that of another domain, which decides: change it there.")
  const note = "Name all servers that send for the domain before you publish it."
  return lineFix(domain, softfailed(spf_record), note, "replace")
}

function firstFix(facts: Facts): Fix {
  const { domain, route } = facts
  if (isParked(facts)) return lineFix(domain, "v=spf1 -all", "Says that the domain sends no mail.", "add")
  const servers = route.isKnown ? route.value.servers : []
  const hosts = [...new Set(servers.map(({ host }) => providerOf(host)))]
  const [known] = hosts
  if (known?.spf === null)
    return manualFix(
      `${known.name} filters the mail that comes in, so the MX records do not tell who sends. Name the servers and services that send for the domain: "v=spf1 include:… ~all".`,
    )
  if (known && known.spf !== null)
    return lineFix(
      domain,
      `v=spf1 include:${known.spf} ~all`,
      `${known.name} sends from the servers of this include (as documented on 2026-11-28). Add the other services that send for the domain before '~all'.`,
      "add",
    )
  if (servers.length === 0)
    return manualFix(
      'Name the servers and services that send for the domain: "v=spf1 include:… ~all". If none does, publish "v=spf1 -all".',
    )
  const note = "Lets the mail servers of the domain send. Add the services that send for it before '~all'."
  // Without MX records the term mx lets nobody send, though the domain itself takes its mail.
  const term = route.isKnown && route.value.kind === "domain" ? "a" : "mx"
  return lineFix(domain, `v=spf1 ${term} ~all`, note, "add")
}

function mergeFix(domain: string, { text, found }: NonNullable<Facts["mergedSpf"]>): Fix {
  if (!found.isKnown || !found.value.spf_valid)
    return manualFix(
      `Merge the records into one: ${toStrings(text)} would say the same, but receivers could not evaluate it either. Call spfvalidator for each name in it.`,
    )
  const note = "One record in the place of all SPF records of the domain: with two, none counts."
  return lineFix(domain, text, note, "replace", found.value)
}

/** A line of which an audit finds what `found` says. */
function lineFix(domain: string, text: string, note: string, action: "add" | "replace", found?: SpfResult) {
  return recordFix([domain, "TXT", toStrings(text)], note, {
    action,
    after: (facts) => {
      const nothingFound = { dns_lookups_num: 0, spf_records_list: [], issues_found: [] }
      const before = facts.spf.isKnown && facts.spf.value.has_spf_record ? facts.spf.value : nothingFound
      const level = /\s-all$/.test(text) ? "low" : "medium"
      const value = { ...before, ...found, has_spf_record: true, spf_record: text, spf_valid: true } as const
      const issues_found = value.issues_found.filter(
        ({ code }) => code !== "NEUTRAL_ALL" && code !== "NO_ALL_OR_REDIRECT",
      )
      const spf = {
        isKnown: true,
        value: { ...value, issues_found, risk_level: level },
        unanswered: [],
      } as const
      return { ...facts, spf, mergedSpf: null }
    },
  })
}

/** The record with `~all` in the place of a weaker `all`, at its end. */
function softfailed(record: string): string {
  const stricter = record.replace(/(?:^|\s)[+?]?all(?=\s|$)/i, " ~all")
  return stricter === record ? `${record} ~all` : stricter
}
