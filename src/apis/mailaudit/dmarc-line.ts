import { readDestinations, readTags } from "../mail/dmarc-walk.ts"
import type { Facts } from "./facts.ts"
import type { DmarcResult } from "./parts.ts"
import { type Fix, hasNoMail, recordFix, sendsMail, takesMail, toStrings } from "./purpose.ts"

const policies = ["none", "quarantine", "reject"] as const
type Policy = (typeof policies)[number]

/**
 * The one record for `_dmarc`, composed for record, policy and reports: what the present one says rightly stays. The policy gets
 * stricter only where somebody reads the reports, since they show whether one's own mail passes. Null if the record is good.
 */
export function dmarcFix(facts: Facts): Fix | null {
  const { domain, dmarc } = facts
  if (!dmarc.isKnown) return null
  const { record, record_domain, policy, ignored } = dmarc.value
  const isOwn = record_domain === domain || ignored !== undefined
  // Reports cannot go into a domain that takes no mail.
  const mailbox = takesMail(facts) && !hasNoMail(facts) ? `mailto:dmarc-reports@${domain}` : null
  const next = nextPolicy(facts)
  const text = compose(dmarc.value, next, mailbox)
  if (record !== null && isOwn && text === record.trim()) return null
  const note = noteFor(facts, next, policy, mailbox)
  return recordFix([`_dmarc.${domain}`, "TXT", toStrings(text)], note, {
    action: isOwn ? "replace" : "add",
    after: (before) => ({
      ...before,
      dmarc: { isKnown: true, value: resultOf(text, domain), unanswered: [] },
    }),
  })
}

function nextPolicy(facts: Facts): Policy {
  if (hasNoMail(facts) || !sendsMail(facts)) return "reject"
  const { dmarc } = facts
  const present = dmarc.isKnown ? dmarc.value.policy : null
  if (present !== null && present !== "none") return present
  return dmarc.isKnown &&
    dmarc.value.ignored === undefined &&
    dmarc.value.rua.some(({ is_valid }) => is_valid)
    ? "quarantine"
    : "none"
}

function compose({ record, rua, ignored = [] }: DmarcResult, policy: Policy, mailbox: string | null): string {
  const given = new Map(readTags(record ?? ""))
  // From records that receivers ignore, only the addresses are kept: their policies never applied.
  const ruf = ignored.flatMap((text) => readTags(text).get("ruf") ?? [])
  if (ruf.length > 0) given.set("ruf", [...new Set(ruf)].join(","))
  const named = ignored.flatMap((text) => readDestinations(readTags(text).get("rua")))
  const valid = [...rua.filter(({ is_valid }) => is_valid), ...named.filter(({ isUri }) => isUri)]
  const reports = [...new Set(valid.map(({ uri }) => uri))].join(",") || mailbox
  const kept = (name: string, form: RegExp) => {
    const value = given.get(name)
    return value !== undefined && form.test(value) ? [`${name}=${value}`] : []
  }
  return [
    "v=DMARC1",
    `p=${policy}`,
    ...kept("sp", policy === "none" ? /^(?:quarantine|reject)$/i : /^reject$/i),
    ...kept("np", /^(?:quarantine|reject)$/i),
    ...(reports === null ? [] : [`rua=${reports}`]),
    ...kept("ruf", /^mailto:[^\s;]+$/i),
    ...kept("adkim", /^[rs]$/i),
    ...kept("aspf", /^[rs]$/i),
    ...(given.has("ruf") ? kept("fo", /^[01ds](?::[01ds])*$/i) : []),
  ].join("; ")
}

function noteFor(facts: Facts, next: Policy, present: Policy | null, mailbox: string | null): string {
  const box =
    mailbox === null ? "" : " The mailbox for reports must exist; mailreportparser reads what comes in."
  if (hasNoMail(facts)) return "The domain has no mail, so all mail in its name is forged."
  if (!sendsMail(facts)) return `The domain sends no mail, so all mail in its name is forged.${box}`
  if (next === "none")
    return `The first step: nobody has read reports yet, so 'p=none' delivers all mail and only asks for them.${box} When they show for some weeks that your own mail passes, make the policy quarantine, then reject.`
  if (present === next) {
    const below = facts.dmarc.isKnown ? facts.dmarc.value.policies?.subdomains : undefined
    const isWeaker = policies.some((one, rank) => one === below && rank < policies.indexOf(next))
    const widened = " It then holds for the domains below too: see in the reports first which of them send."
    return `The present policy, without what is wrong in the record.${isWeaker ? widened : ""}${box}`
  }
  return "Read the reports first: mail of yours that passes neither SPF nor DKIM goes to the folder for junk."
}

/** The result that dmarcvalidator would give for such a record. */
function resultOf(text: string, domain: string): DmarcResult {
  const tag = (name: string) => new RegExp(`; ${name}=([^;]*)`).exec(text)?.[1]
  const policy = policies.find((one) => one === tag("p")) ?? "none"
  const below = policies.find((one) => one === tag("sp")?.toLowerCase()) ?? policy
  const uris = tag("rua")?.split(",") ?? []
  return {
    ...{ problems: [], record_domain: domain, record: text, policy, policies: { subdomains: below } },
    ...{ is_testing: false, is_in_dns: true, report_permissions: [] },
    rua: uris.map((uri) => ({ uri, is_valid: true })),
  }
}

/** The record by which another domain takes the reports. It belongs into that domain's zone. */
export function permissionFix({ domain, dmarc }: Facts, host: string): Fix {
  const owner = dmarc.isKnown ? (dmarc.value.record_domain ?? domain) : domain
  const note = `Belongs into the zone of ${host}, which takes the reports: ask whoever runs it.`
  return recordFix([`${owner}._report._dmarc.${host}`, "TXT", '"v=DMARC1"'], note, {
    after: (facts) =>
      facts.dmarc.isKnown
        ? { ...facts, dmarc: { ...facts.dmarc, value: { ...facts.dmarc.value, report_permissions: [] } } }
        : facts,
  })
}
