import { isWithin } from "../mail/dnssec/names.ts"
import type { Facts } from "./facts.ts"
import { reachable } from "./mail-servers.ts"
import type { DaneResult, MtaStsResult } from "./parts.ts"
import {
  type Check,
  type Fix,
  fail,
  few,
  judgeKnown,
  manualFix,
  notApplicable,
  pass,
  recordFix,
  takesMail,
  unknown,
  warning,
} from "./purpose.ts"

const noMail = "The domain takes no mail."

const dane: Check = {
  id: "dane",
  title: "Encrypted delivery by DANE (TLSA, STARTTLS)",
  weight: 7,
  source: "RFC 7672",
  judge: (facts) => {
    if (!takesMail(facts)) return notApplicable(noMail)
    return judgeKnown(facts.dane, ({ mail_servers }) => {
      // A server without an address is a fault of the MX records, not of DANE.
      const dead = facts.route.isKnown ? deadHosts(facts) : new Set<string>()
      const servers = (mail_servers?.servers ?? []).filter(({ host }) => !dead.has(host))
      const usable = servers.filter(({ action }) => action === "authenticate")
      const others = servers.filter((server) => !usable.includes(server))
      const fix = daneFix(
        facts,
        others.map(({ host }) => host),
      )
      if (servers.length === 0)
        return fail({ why: "No mail server can be delivered to.", advice: "See “Mail servers (MX)”.", fix })
      if (mail_servers?.security === "secure" && usable.length === servers.length)
        return pass(
          "Senders check the certificate of each mail server by DANE. Whether the certificates fit the records was not looked at.",
        )
      const avoided = servers.filter(({ action }) => action === "avoid")
      const [first] = avoided
      if (first && avoided.every(({ security }) => security === "indeterminate"))
        return unknown(first.reason ?? `The DNS gave no answer for ${first.host}.`)
      if (first)
        return fail({
          why: `Senders that use DANE do not deliver to ${few(avoided.map(({ host }) => host))}: ${first.reason ?? "its records are not usable."}`,
          advice: "Mend the signatures of the TLSA records or of the addresses.",
          fix: manualFix("Call danelookup for the domain: it shows what is wrong."),
          best: "D",
        })
      const ignored = servers.filter(({ action }) => action === "encrypt")
      const advice = "Publish TLSA records 3 1 1 for each mail server, in a signed zone."
      if (usable.length > 0)
        return warning(0.5, {
          why: `Only some of the mail servers have usable records: ${few(usable.map(({ host }) => host))}. Not so ${few(others.map((server) => `${server.host} (${whyUnusable(server)})`))}.`,
          advice,
          fix,
        })
      return fail({
        why:
          ignored.length > 0
            ? `Mail servers ignore the TLSA records of ${few(ignored.map(({ host }) => host))}: usages 0 and 1 do not count for mail (RFC 7672 §3.1.3), or the data is wrong.`
            : "No mail server has TLSA records that senders can use.",
        advice,
        fix,
      })
    })
  },
}

type MailServers = NonNullable<DaneResult["mail_servers"]>

/** Why senders cannot use the records of a mail server, in a few words. */
function whyUnusable({ action, security, records }: MailServers["servers"][number]): string {
  if (action === "encrypt") return "its records are of a kind that mail ignores"
  if (security !== "secure") return "its zone is not signed"
  return records.length === 0 ? "it has no TLSA record" : "its records are not usable"
}

/** The mail servers that nobody can deliver to. One check is about them. */
export function deadHosts({ route }: Facts): ReadonlySet<string> {
  if (!route.isKnown) return new Set()
  const alive = new Set(reachable(route.value).map(({ host }) => host))
  return new Set(route.value.servers.map(({ host }) => host).filter((host) => !alive.has(host)))
}

function daneFix({ domain, dnssec: zone }: Facts, hosts: readonly string[]): Fix {
  const foreign = hosts.filter((host) => !isWithin(host, domain))
  if (foreign.length > 0 && foreign.length === hosts.length)
    return manualFix(
      `The mail servers are not below ${domain} (${few(foreign)}): only whoever runs them can sign their zone and publish TLSA records. Ask there, or rely on MTA-STS, which needs nothing of them.`,
    )
  const isSigned = zone.isKnown && zone.value.status === "secure"
  return manualFix(
    `The record holds a fingerprint of the certificate's key: '_25._tcp.' and the name of the server, TLSA 3 1 1.${isSigned ? "" : " The zone must be signed first."}`,
  )
}

const mtaSts: Check = {
  id: "mta_sts",
  title: "Encrypted delivery by MTA-STS",
  weight: 7,
  source: "RFC 8461",
  judge: (facts) => {
    if (!takesMail(facts)) return notApplicable(noMail)
    return judgeKnown(facts.mtaSts, (found) => {
      const { record, mode } = found
      // Nobody misses a server without an address in the policy: it is a fault of the MX records.
      const dead = deadHosts(facts)
      const mx_matches = found.mx_matches.filter(({ host }) => !dead.has(host))
      const problems = found.problems.filter(
        ({ code, where }) => code !== "mx_not_covered" || !dead.has(where ?? ""),
      )
      const silent = problems.find(({ code }) => code === "policy_timeout")
      if (silent) return unknown(silent.message)
      const uncovered = mx_matches.filter(({ matched_by }) => matched_by === null).map(({ host }) => host)
      if (mode === "enforce" && uncovered.length > 0)
        return fail({
          why: `The policy does not cover ${few(uncovered)}, so mail is not delivered there.`,
          advice: "Name all mail servers in the policy, and change the id of the record.",
          fix: policyFix(facts),
          best: "D",
        })
      const error = problems.find(({ severity }) => severity === "error")
      if (record !== null && error)
        return fail({
          why: error?.message ?? "Senders cannot use the policy.",
          advice: "Mend the record or the policy: mtastsvalidator shows each mistake.",
          // A policy that enforces may be there: a first one, which only tests, must not take its place.
          fix: isHostAtFault(error)
            ? manualFix("Mend the host of the policy: what the policy says now could not be read.")
            : policyFix(facts),
        })
      if (record === null || mode === null || mode === "none")
        return fail({
          why: problems[0]?.message ?? "The domain does not ask for encryption.",
          advice: "Publish a record and a policy.",
          fix: policyFix(facts),
        })
      if (mode === "testing")
        return warning(0.5, {
          why: "The policy is in test mode: mail is delivered without encryption too.",
          advice: "Change the mode to enforce, and the id of the record.",
          fix: policyFix(facts),
        })
      const doubt = problems.find(({ severity }) => severity === "warning")
      if (doubt)
        return warning(0.9, {
          why: doubt.message,
          advice: "Mend the policy or its host: mtastsvalidator shows each problem.",
          fix: manualFix("Senders follow the policy as it is."),
        })
      return pass("Senders deliver by verified TLS alone.")
    })
  },
}

/** Whether there may be a policy behind what keeps it from being read. */
function isHostAtFault({ code, message }: MtaStsResult["problems"][number]): boolean {
  if (code === "policy_status") return / status 5\d\d\.$/.test(message)
  const isThere = message !== "The host has no address."
  return isThere && /^policy_(?:certificate|private_address|redirect|too_large|unreachable)$/.test(code)
}

/**
 * A record and a policy for the mail servers that can be reached. A first policy only tests: an error in one that enforces keeps
 * mail away (RFC 8461 §5.1).
 */
function policyFix({ domain, route, mtaSts: found }: Facts): Fix {
  const hosts = route.isKnown
    ? [...reachable(route.value).map(({ host }) => host), ...route.value.others]
    : []
  const present = found.isKnown ? found.value.mode : null
  const mode = present === "testing" || present === "enforce" ? "enforce" : "testing"
  if (hosts.length === 0) return manualFix("Mail servers come first, see “Mail servers (MX)”.")
  const lines = [
    "version: STSv1",
    `mode: ${mode}`,
    ...hosts.map((host) => `mx: ${host}`),
    "max_age: 604800",
    "",
  ]
  const text = lines.join("\r\n")
  const id = new Bun.CryptoHasher("sha256").update(text).digest("hex").slice(0, 16)
  const next =
    mode === "testing"
      ? " It only tests: when the reports about encrypted delivery show no failure for some weeks, change the mode to enforce and the id."
      : ""
  const record = `v=STSv1; id=${id}`
  const fix = recordFix(
    [`_mta-sts.${domain}`, "TXT", `"${record}"`],
    `Publish the policy first: the name mta-sts.${domain} must lead to a web server with a certificate for it.${next}`,
    {
      action: found.isKnown && found.value.record !== null ? "replace" : "add",
      after: (facts) => {
        const matches = hosts.map((host) => ({ host, matched_by: host }))
        const value = {
          is_valid: true,
          problems: [],
          record,
          mode,
          max_age: 604_800,
          mx_matches: matches,
        } as const
        return { ...facts, mtaSts: { isKnown: true, value, unanswered: [] } }
      },
    },
  )
  return { ...fix, file: { url: `https://mta-sts.${domain}/.well-known/mta-sts.txt`, text } }
}

const bimi: Check = {
  id: "bimi",
  title: "Logo in mailboxes (BIMI)",
  weight: 2,
  source: "draft-brand-indicators-for-message-identification",
  judge: ({ bimi: found }) =>
    judgeKnown(found, ({ is_valid, problems, record, is_declined }) => {
      if (record === null || is_declined)
        return notApplicable("The domain publishes no logo (BIMI), which is a matter of taste.")
      if (is_valid) return pass("Mailboxes can show the logo of the domain.")
      const silent = problems.find(({ code }) => code === "document_timeout")
      if (silent) return unknown(silent.message)
      return fail({
        why: problems.find(({ severity }) => severity === "error")?.message ?? "The logo cannot be shown.",
        advice: "Mend the record or the logo: bimivalidator shows each mistake.",
        fix: manualFix("Without a valid record mailboxes show initials instead; mail arrives all the same."),
      })
    }),
}

const tlsReports: Check = {
  id: "tls_reports",
  title: "Reports about encrypted delivery (TLSRPT)",
  weight: 4,
  source: "RFC 8460",
  judge: (facts) => {
    if (!takesMail(facts)) return notApplicable(noMail)
    return judgeKnown(facts.tlsrpt, ({ is_valid, problems, record }) => {
      if (is_valid) return pass("Senders report deliveries that could not be encrypted.")
      if (record !== null)
        return fail({
          why: problems.find(({ severity }) => severity === "error")?.message ?? "The record is not valid.",
          advice: "Mend the record.",
          fix: manualFix("Call tlsrptvalidator for the domain: it shows each mistake."),
        })
      return fail({
        why: problems.at(-1)?.message ?? "There is no record.",
        advice: "Ask senders for reports.",
        fix: recordFix(
          [`_smtp._tls.${facts.domain}`, "TXT", `"v=TLSRPTv1; rua=mailto:tls-reports@${facts.domain}"`],
          "The mailbox must exist. mailreportparser reads what comes in.",
          { after: withTlsReports },
        ),
      })
    })
  },
}

function withTlsReports(facts: Facts): Facts {
  const value = { is_valid: true, problems: [], record: "v=TLSRPTv1" }
  return { ...facts, tlsrpt: { isKnown: true, value, unanswered: [] } }
}

/** Whether mail to the domain is encrypted on its way. */
export const transportChecks = { dane, mtaSts, tlsReports, bimi }
