import { Type } from "@sinclair/typebox"
import { choice, defineApi, nullableText, premium, reject } from "../contract.ts"
import {
  findMailServers,
  findTlsa,
  isMailService,
  type MailServers,
  maxMailServers,
  type ServiceFinding,
  tlsaNameOf,
} from "../mail/dane/service.ts"
import type { JudgedTlsa } from "../mail/dane/tlsa-check.ts"
import { exampleGiven as given, exampleAnchor as trust_anchor } from "../mail/dnssec/example-zone.ts"
import { requireAnchors, rootAnchors } from "../mail/dnssec/root-anchors.ts"
import { createQuestions, createSession, type DelegationSigner, limits } from "../mail/dnssec/session.ts"
import { requireDomain, withTimeLimit } from "../mail/look-up.ts"
import { field, storedExamples } from "../shared.ts"
import answers from "./answers.json"
import { problemList, problemsOf } from "./problems.ts"

const input = Type.Object({
  host: field.text(
    "The host, such as mail.example.com. For the mail servers of a domain, give the domain: they are a premium field.",
    { minLength: 1 },
  ),
  port: field.optional.integer(
    "The port. 25 over TCP is mail between servers, which has stricter rules (RFC 7672); all other services have those of RFC 6698 and 7671.",
    { minimum: 1, maximum: 65_535, default: 25 },
  ),
  protocol: Type.Optional(
    choice(["tcp", "udp", "sctp"], { description: "The transport protocol.", default: "tcp" }),
  ),
  trust_anchor: field.optional.text(
    "For a DNS with its own root: the data of a DS record of the root's key, such as `20326 8 2 E06D…`. Default: the keys of the root of the Internet, or those that the service was given.",
    { maxLength: 300 },
  ),
})

const states = ["secure", "insecure", "bogus", "indeterminate"] as const
const state = (description: string) =>
  choice(states, {
    description: `${description} \`secure\`: signed all the way from the root. \`insecure\`: proven to be unsigned. \`bogus\`: not signed as it should be. \`indeterminate\`: the DNS gave no answer (RFC 4033 §5).`,
  })
const action = choice(["authenticate", "encrypt", "ordinary", "avoid"], {
  description:
    "What a client has to do (RFC 7672 §2.2, RFC 6698 §4.1). `authenticate`: connect by TLS alone, and only if the certificate fits a usable record. `encrypt`: connect by TLS alone, with any certificate. `ordinary`: connect as if there were no TLSA records. `avoid`: do not connect.",
})

const record = Type.Object({
  value: field.text("The record as a zone file writes it."),
  usage: field.integer("The certificate usage."),
  selector: field.integer("The selector."),
  matching_type: field.integer("The matching type."),
  certificate_data: field.text("The certificate association data in hexadecimal."),
  is_usable: field.flag("Whether clients can use it, provided that it is secure."),
  reason: nullableText("Why clients cannot use it; null if they can."),
})

const output = Type.Object({
  host: field.text("The host in lower case and in ASCII (A-labels)."),
  port: field.integer("The port."),
  protocol: field.text("The transport protocol."),
  record_name: field.text(
    "The name of the TLSA records. If the host is an alias, it may be made from the name that the alias leads to (RFC 7671 §7).",
  ),
  is_usable: field.flag(
    "Whether clients authenticate the server by the records: `action` is `authenticate`.",
  ),
  action,
  security: state("The state of the TLSA records, or of the proof that there are none."),
  address_security: state("The state of the addresses of the host."),
  reason: nullableText("Why not both are `secure`, with the section of the standard; null if they are."),
  records: Type.Array(record, { description: "The TLSA records. At most 100." }),
  problems: problemList,
  mail_servers: premium(
    field.nullableGroup(
      "The mail servers of the domain `host`, each on port 25 (MX). Null for other ports and protocols.",
      {
        security: state("The state of the MX records."),
        reason: nullableText("Why they are not `secure`; null if they are."),
        is_protected: field.flag(
          "Whether mail to the domain is protected by DANE: the MX records are secure, and there are mail servers, each with usable records.",
        ),
        servers: field.rows(`The mail servers, best first, at most ${maxMailServers}.`, {
          host: field.text("The name of the mail server."),
          preference: field.nullableInteger(
            "Its preference in the MX record; null if the domain has no MX records and so is its own mail server.",
          ),
          record_name: field.text("The name of its TLSA records."),
          is_usable: field.flag("Whether senders authenticate it by the records."),
          action,
          security: state("The state of its TLSA records."),
          reason: nullableText("Why its records or addresses are not `secure`; null if they are."),
          records: Type.Array(record, { description: "Its TLSA records. At most 100." }),
        }),
        servers_left_out: field.integer("How many more mail servers there are."),
      },
    ),
  ),
})

const examples = storedExamples(
  {
    examples: [
      {
        name: "A mail server that senders authenticate",
        input: { host: "good.dane.test", port: 25, trust_anchor },
        given: { ...given, domain: "good.dane.test" },
      },
      {
        name: "The mail servers of a domain",
        input: { host: "all.dane.test", trust_anchor },
        given: { ...given, domain: "all.dane.test" },
      },
      {
        name: "Records that mail servers cannot use",
        input: { host: "pkix.dane.test", trust_anchor },
        given: { ...given, domain: "pkix.dane.test" },
      },
      { name: "Records that are not signed", input: { host: "mail.plain.test", trust_anchor }, given },
    ],
  },
  answers,
)

/** Questions about the host and its mail servers together. A call may ask 240. */
const maxQuestions = 200
const maxRecords = 100

/** The API with other trust anchors than those of the root of the Internet. */
export function createDanelookup(serviceAnchors: readonly DelegationSigner[]) {
  return defineApi({
    id: "danelookup",
    title: "DANE/TLSA lookup",
    category: "mail",
    keywords: ["DANE", "TLSA", "DNSSEC", "SMTP", "MX", "STARTTLS", "certificate", "RFC 7672", "mail server"],
    description:
      "Looks up the TLSA records of a server, checks them by DNSSEC from the keys of the root down, and says whether clients can use them and what clients have to do (RFC 6698, 7671, 7672). With premium fields, also for all mail servers of a domain. Does not connect to the server.",
    method: "GET",
    credits: 4,
    asksDns: true,
    input,
    output,
    examples,
    async run({ host: text, port = 25, protocol = "tcp", trust_anchor }, { ports, giveWay, premium }) {
      const anchors = requireAnchors(trust_anchor, serviceAnchors)
      const host = await requireDomain(text, { parameter: "host", leastLabels: 1 })
      const service = { host, port, protocol }
      if (tlsaNameOf(service) === null)
        reject("host", `must be at most 253 bytes long together with \`_${port}._${protocol}.\``)
      const now = Math.floor(ports.clock.now() / 1000)
      return withTimeLimit(ports.timer, limits.validationMs, async (signal) => {
        const ask = createQuestions(ports.dns, signal, maxQuestions)
        const begin = () => createSession(ask, now, giveWay)
        const [finding, servers] = await Promise.all([
          findTlsa(service, begin(), anchors),
          premium && isMailService(service) ? findMailServers(host, begin, anchors) : null,
        ])
        return {
          ...{ host, port, protocol },
          ...summaryOf(finding),
          address_security: finding.addressSecurity,
          problems: problemsOf(host, finding),
          mail_servers: servers && toMailServers(servers),
        }
      })
    },
  })
}

export const danelookup = createDanelookup(rootAnchors)

function summaryOf({ tlsaName: record_name, action, security, reason, records }: ServiceFinding) {
  return {
    record_name,
    is_usable: action === "authenticate",
    action,
    security,
    reason: reason?.message ?? null,
    records: records.slice(0, maxRecords).map(toRecord),
  }
}

function toRecord({ text, usage, selector, matchingType, data, fault }: JudgedTlsa) {
  return {
    ...{ value: text, usage, selector, matching_type: matchingType, certificate_data: data },
    ...{ is_usable: fault === null, reason: fault },
  }
}

function toMailServers({ security, reason, servers, leftOut }: MailServers) {
  return {
    security,
    reason: reason?.message ?? null,
    is_protected:
      security === "secure" &&
      leftOut === 0 &&
      servers.length > 0 &&
      servers.every(({ action }) => action === "authenticate"),
    servers: servers.map((server) => ({
      ...{ host: server.host, preference: server.preference },
      ...summaryOf(server),
    })),
    servers_left_out: leftOut,
  }
}
