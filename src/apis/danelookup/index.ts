import type { Static } from "@sinclair/typebox"
import { defineApi, reject } from "../contract.ts"
import { findMailServers, type MailServers } from "../mail/dane/mail-servers.ts"
import { findTlsa, isMailService, type ServiceFinding, tlsaNameOf } from "../mail/dane/service.ts"
import type { JudgedTlsa } from "../mail/dane/tlsa-check.ts"
import { exampleGiven as given, exampleAnchor as trust_anchor } from "../mail/dnssec/example-zone.ts"
import type { DelegationSigner } from "../mail/dnssec/keys.ts"
import { limits } from "../mail/dnssec/limits.ts"
import { requireAnchors, rootAnchors } from "../mail/dnssec/root-anchors.ts"
import { createQuestions, createSession } from "../mail/dnssec/session.ts"
import { requireDomain } from "../mail/domain-name.ts"
import { withTimeLimit } from "../mail/look-up.ts"
import { storedExamples } from "../shared.ts"
import answers from "./answers.json"
import { problemsOf } from "./problems.ts"
import { input, output } from "./schema.ts"

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

type Answer = Static<typeof output>

function toMailServers({ security, reason, servers, leftOut }: MailServers): Answer["mail_servers"] {
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
