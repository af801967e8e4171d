import { parseAddress } from "../../values/ip.ts"
import type { Facts } from "./facts.ts"
import { type MailServer, reachable } from "./mail-servers.ts"
import {
  type Check,
  type Fix,
  fail,
  few,
  hasNoMail,
  isParked,
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

const mailServers: Check = {
  id: "mail_servers",
  title: "Mail servers (MX)",
  weight: 8,
  source: "RFC 5321 §5.1, RFC 7505",
  judge: (facts) =>
    judgeKnown(facts.route, (route) => {
      const { kind, servers, hasStrayNullMx, others } = route
      const { domain } = facts
      if (kind === "refused") return notApplicable("The domain says that it takes no mail (null MX).")
      if (kind === "missing")
        return fail({
          why: "The domain does not exist.",
          advice: "Check how the name is written, and whether the domain is registered and delegated.",
          best: "F",
        })
      if (kind === "nowhere")
        return fail({
          why: "The domain has neither MX records nor an address, so mail to it cannot arrive.",
          advice: "Publish the names of the mail servers, or a null MX if the domain takes no mail.",
          fix: isParked(facts)
            ? nullMxFix(domain)
            : manualFix("Mail that the domain sends comes back to it if it cannot be delivered."),
        })
      const unknownHosts = servers.filter(({ isKnown, addresses }) => !isKnown && addresses.length === 0)
      const lost = servers.filter(({ addresses, isKnown }) => addresses.length === 0 && isKnown)
      const hidden = servers.filter(({ isHidden }) => isHidden)
      const alive = reachable(route)
      const fix = manualFix(
        "Only you know which servers take the mail of the domain. An MX record names one of them.",
      )
      if (alive.length + others.length === 0)
        return fail({
          why:
            hidden.length > 0
              ? `No mail server has an address that others reach: ${few(hidden.map(({ host, addresses }) => `${host} has ${addresses.join(" and ")}`))}.`
              : `No mail server has an address: ${few(lost.map(nameOf))}.`,
          advice: "Name mail servers that have public A or AAAA records.",
          fix,
          best: "F",
        })
      if (unknownHosts.length > 0)
        return unknown(`The DNS gave no answer for ${few(unknownHosts.map(({ host }) => host))}.`)
      if (lost.length > 0)
        return warning(0.5, {
          why: `Mail servers without an address: ${few(lost.map(nameOf))}. Senders lose time with them.`,
          advice: "Remove their MX records, or give them A or AAAA records.",
          fix,
        })
      if (hidden.length > 0)
        return warning(0.5, {
          why: `Mail servers with private addresses alone: ${few(hidden.map(({ host }) => host))}.`,
          advice: "Remove their MX records, or give them public addresses.",
          fix,
        })
      if (hasStrayNullMx)
        return warning(0.5, {
          why: "A null MX (MX 0 .) stands beside other MX records, though it says that the domain takes no mail (RFC 7505 §3).",
          advice: "Remove the null MX, or all others if the domain takes no mail.",
          fix,
        })
      const aliases = servers.filter(({ isAlias }) => isAlias)
      if (aliases.length > 0)
        return warning(0.75, {
          why: `Mail servers whose name is an alias: ${few(aliases.map(({ host }) => host))}.`,
          advice: "Let the MX records name the targets of the aliases.",
          fix,
        })
      if (kind === "domain" && isParked(facts))
        return warning(0.75, {
          why: "There are no MX records, so senders try the address of the domain itself. Nothing else speaks for mail.",
          advice: "Publish a null MX if the domain has no mail, or an MX record if it has.",
          fix: nullMxFix(domain),
        })
      if (kind === "domain")
        return warning(0.75, {
          why: "There are no MX records, so mail goes to the address of the domain itself.",
          advice: "Publish an MX record for the mail server, or a null MX if the domain takes no mail.",
          fix: recordFix(
            [domain, "MX", `10 ${domain}.`],
            "Says what senders assume now. Put '0 .' if no mail is taken.",
            {
              after: (before) => ({
                ...before,
                route: { ...found(facts), value: { ...route, kind: "servers" } },
              }),
            },
          ),
        })
      return pass(`Mail goes to ${few([...servers.map(({ host }) => host), ...others])}.`)
    }),
}

/** An MX record must name a server; some have its address (RFC 5321 §5.1). */
function nameOf({ host }: MailServer): string {
  return parseAddress(host) === null ? host : `${host}, an address where the name of a server belongs`
}

function found({ route }: Facts) {
  return { isKnown: true, unanswered: route.isKnown ? route.unanswered : [] } as const
}

/** Says that the domain takes no mail (RFC 7505). */
function nullMxFix(domain: string): Fix {
  const note = "Says that the domain takes no mail. If it does, name its mail servers instead."
  return recordFix([domain, "MX", "0 ."], note, {
    after: (facts) => ({
      ...facts,
      route: { ...found(facts), value: { kind: "refused", hasStrayNullMx: false, servers: [], others: [] } },
    }),
  })
}

const reverseNames: Check = {
  id: "reverse_names",
  title: "Names of the mail servers' addresses (PTR, FCrDNS)",
  weight: 3,
  source: "RFC 1912 §2.1",
  judge: (facts) =>
    judgeKnown(facts.reverse, (names) => {
      if (!takesMail(facts)) return notApplicable(noMail)
      if (!facts.route.isKnown) return unknown(facts.route.why)
      const { unanswered } = facts.route
      if (unanswered.length > 0) return unknown(`The DNS gave no answer for ${few(unanswered)}.`)
      if (names.size === 0)
        return fail({
          why: "No mail server that was looked at has an address.",
          advice: "See “Mail servers (MX)”.",
        })
      const without = (found: boolean | null) =>
        [...names].filter(([, { is_confirmed }]) => is_confirmed === found).map(([ip]) => ip)
      const [wrong, open] = [without(false), without(null)]
      if (wrong.length === 0 && open.length > 0)
        return unknown(`Not each name of ${few(open)} was looked at, or answered.`)
      if (wrong.length === 0) return pass("Each address has a name that leads back to it.")
      const advice = "Ask the provider of these addresses to set a name (PTR) that has the address."
      const why = `Addresses without a name that leads back to them: ${few(wrong)}.`
      const fix = manualFix(
        "PTR records are set by whoever provides the address, not in the zone of the domain.",
      )
      return wrong.length < names.size ? warning(0.5, { why, advice, fix }) : fail({ why, advice, fix })
    }),
}

const dnssec: Check = {
  id: "dnssec",
  title: "Signed DNS (DNSSEC)",
  weight: 8,
  source: "RFC 4033 to 4035, RFC 9364",
  judge: (facts) =>
    judgeKnown(facts.dnssec, ({ status, reason }) => {
      if (status === "secure") return pass("The DNS of the domain is signed from the root down.")
      const why = reason ?? "The DNS gave no answer."
      if (status === "bogus")
        return fail({
          why: `The signatures are wrong, so resolvers that check them do not find the domain: ${why}`,
          advice: "Mend the signatures or the DS record at once: much mail is lost.",
          fix: manualFix(
            "Call dnssecvalidator for the domain: its chain shows the key or signature at fault.",
          ),
          best: "F",
        })
      if (status === "indeterminate")
        return {
          ...fail({ why, advice: "See that the DNS servers of the domain answer questions about DNSSEC." }),
          status: "unknown",
        }
      if (hasNoMail(facts))
        return notApplicable("The domain has no mail that forged answers could lead away.")
      return fail({
        why: "The DNS of the domain is not signed, so that others can forge its answers.",
        advice: "Let the provider of the DNS sign the zone, and give its DS record to the registrar.",
        fix: manualFix(
          "Most providers sign a zone with one switch; the DS record goes to the registrar of the domain.",
        ),
      })
    }),
}

const caa: Check = {
  id: "caa",
  title: "Who may issue certificates (CAA)",
  weight: 3,
  source: "RFC 8659",
  judge: (facts) =>
    judgeKnown(facts.caa, ({ is_valid, problems, is_any_ca_permitted, issuers }) => {
      const error = problems.find(({ severity }) => severity === "error")
      if (!is_valid && error)
        return fail({
          why: error.message,
          advice: "Mend the CAA record.",
          fix: manualFix("Call caavalidator for the domain: it shows each mistake."),
        })
      if (!is_any_ca_permitted)
        return pass(
          issuers.length === 0 ? "No authority may issue certificates." : `Only ${few(issuers)} may issue.`,
        )
      if (hasNoMail(facts)) return notApplicable("The domain has no mail servers that need certificates.")
      return fail({
        why: "Every certification authority may issue certificates for the domain.",
        advice: "Name the authority that you use.",
        // A line with the name of another authority than the owner's would stop the next certificate.
        fix: manualFix(
          `Only you know your authority: '${facts.domain}. 3600 IN CAA 0 issue "letsencrypt.org"' lets Let's Encrypt issue and no other. Publish a record for each that you use.`,
        ),
      })
    }),
}

/** The checks of the servers, the DNS and the certificates of a domain. */
export const receivingChecks = { mailServers, reverseNames, dnssec, caa }
