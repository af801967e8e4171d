import type { Static } from "@sinclair/typebox"
import type { Example } from "../contract.ts"
import { exampleGiven as given, exampleAnchor as trust_anchor } from "../mail/dnssec/example-zone.ts"
import type { input, output } from "./schema.ts"

type DaneExample = Example<typeof input, typeof output>
type Answer = Static<typeof output>

const digest = "5e".repeat(32)
const value = (kind: string) => `${kind} ${digest.toUpperCase()}`
const unsigned = "The zone plain.test has no DS record in its parent zone (RFC 4035 §5.2)."
const reasonFor = (usage: number) =>
  `Mail servers do not use records of usage ${usage} (RFC 7672 §3.1.3): publish usage 3, or 2 for the certificate of a CA.`
const shortReason =
  "A SHA-256 digest has 64 hexadecimal digits; the data here has 40 characters. 40 is the length of SHA-1, which TLSA does not use."
const shortDigest = "5e".repeat(20)
const tooShort = {
  ...record(3, 1, shortReason),
  ...{ value: `3 1 1 ${shortDigest.toUpperCase()}`, certificate_data: shortDigest },
}

const authenticated: DaneExample = {
  name: "A mail server that senders authenticate",
  input: { host: "good.dane.test", port: 25, trust_anchor },
  given: { ...given, domain: "good.dane.test" },
  output: {
    ...service("good.dane.test"),
    ...state("authenticate", "secure", [record(3, 1)]),
    problems: [],
    mail_servers: mailServers("secure", [server("good.dane.test", null, [record(3, 1)])]),
  },
}

const ofDomain: DaneExample = {
  name: "The mail servers of a domain",
  input: { host: "all.dane.test", trust_anchor },
  given: { ...given, domain: "all.dane.test" },
  output: {
    ...service("all.dane.test"),
    ...state("ordinary", "secure", []),
    problems: [
      {
        code: "no_records",
        severity: "warning",
        message: "_25._tcp.all.dane.test has no TLSA records.",
        where: "_25._tcp.all.dane.test",
      },
    ],
    mail_servers: mailServers("secure", [
      server("good.dane.test", 10, [record(3, 1)]),
      server("mixed.dane.test", 20, [record(1, 1, reasonFor(1)), tooShort, record(3, 1)]),
    ]),
  },
}

const unusable: DaneExample = {
  name: "Records that mail servers cannot use",
  input: { host: "pkix.dane.test", trust_anchor },
  given: { ...given, domain: "pkix.dane.test" },
  output: {
    ...service("pkix.dane.test"),
    ...state("encrypt", "secure", [record(0, 0, reasonFor(0)), record(1, 1, reasonFor(1))]),
    problems: [
      ...[0, 1].map((usage) => ({
        code: "unusable_record" as const,
        severity: "warning" as const,
        message: reasonFor(usage),
        where: `_25._tcp.pkix.dane.test ${value(`${usage} ${usage} 1`).slice(0, 39)}…`,
      })),
      {
        code: "no_usable_record",
        severity: "error",
        message: "Publish a record 3 1 1, the SHA-256 of the server's key.",
        where: "_25._tcp.pkix.dane.test",
      },
    ],
    mail_servers: mailServers("secure", [
      {
        ...server("pkix.dane.test", null, [record(0, 0, reasonFor(0)), record(1, 1, reasonFor(1))]),
        is_usable: false,
        action: "encrypt",
      },
    ]),
  },
}

const insecure: DaneExample = {
  name: "Records that are not signed",
  input: { host: "mail.plain.test", trust_anchor },
  given,
  output: {
    ...service("mail.plain.test"),
    ...state("ordinary", "insecure", [record(3, 1)]),
    problems: [
      {
        code: "not_signed",
        severity: "error",
        message: `Sign the zone by DNSSEC. ${unsigned}`,
        where: "_25._tcp.mail.plain.test",
      },
    ],
    mail_servers: mailServers("insecure", [
      {
        ...server("mail.plain.test", null, [record(3, 1)]),
        ...{ is_usable: false, action: "ordinary", security: "insecure", reason: unsigned },
      },
    ]),
  },
}

export const examples: readonly DaneExample[] = [authenticated, ofDomain, unusable, insecure]

function service(host: string) {
  return { host, port: 25, protocol: "tcp", record_name: `_25._tcp.${host}` }
}

/** The records and their state, which is also that of the addresses. */
function state(action: Answer["action"], security: "secure" | "insecure", records: Answer["records"]) {
  return {
    ...{ is_usable: action === "authenticate", action, security },
    ...{ reason: security === "secure" ? null : unsigned, records, address_security: security },
  }
}

function record(usage: number, selector: number, reason: string | null = null): Answer["records"][number] {
  return {
    ...{
      value: value(`${usage} ${selector} 1`),
      usage,
      selector,
      matching_type: 1,
      certificate_data: digest,
    },
    ...{ is_usable: reason === null, reason },
  }
}

function mailServers(
  security: "secure" | "insecure",
  servers: NonNullable<Answer["mail_servers"]>["servers"],
): Answer["mail_servers"] {
  const is_protected = security === "secure" && servers.every(({ is_usable }) => is_usable)
  return {
    ...{ security, reason: security === "secure" ? null : unsigned, is_protected },
    servers,
    servers_left_out: 0,
  }
}

function server(
  host: string,
  preference: number | null,
  records: Answer["records"],
): NonNullable<Answer["mail_servers"]>["servers"][number] {
  return {
    ...{ host, preference, record_name: `_25._tcp.${host}`, is_usable: true, action: "authenticate" },
    ...{ security: "secure", reason: null, records },
  }
}
