import { fromUtf8 } from "../../values/byte-text.ts"
import { isValid } from "../../values/problems.ts"
import type { DnsData, Ports, WebAnswer } from "../contract.ts"
import { requireRecords, withTimeLimit } from "./look-up.ts"
import { coverBy, readId, readPolicy } from "./mta-sts-policy.ts"
import {
  firstProblems,
  type MtaStsCode,
  type MtaStsProblem,
  newProblems,
  problem,
} from "./mta-sts-problems.ts"
import { readDocument } from "./read-document.ts"
import { readServerCertificate, type ServerCertificate } from "./server-certificate.ts"
import { selectRecord } from "./text-records.ts"

/** Longer than one request may take. */
const limitMs = 15_000
/** Certificates are renewed at least so long before their end. */
const soonDays = 7

const nothing = { version: null, mode: null, mx: [], max_age: null } as const

/**
 * Checks the record, the policy and the mail servers of a domain (RFC 8461).
 * @param domain in lower case and in A-labels; null checks a policy alone
 * @param given the text of a policy, which is then not read from its host
 * @throws Unavailable when the DNS does not answer for the record or the mail servers
 */
export async function checkMtaSts(
  domain: string | null,
  given: string | null,
  ports: Pick<Ports, "clock" | "dns" | "timer" | "web">,
) {
  if (domain === null) return resultOf({}, { text: given, problems: [] }, [], [])
  return withTimeLimit(ports.timer, limitMs, async (signal) => {
    const record_name = `_mta-sts.${domain}`
    const ask = (name: string) => ports.dns.resolve(name, "TXT", signal)
    const [{ record, problems: about }, servers] = await Promise.all([
      selectRecord("mtaSts", domain, [record_name], ask, problem),
      ports.dns.resolve(domain, "MX", signal),
    ])
    const { id, problems: inside } = record === null ? { id: null, problems: [] } : readId(record)
    const policy_url = `https://mta-sts.${domain}/.well-known/mta-sts.txt`
    const place = { record_name, record, id, policy_url }
    const read =
      given !== null
        ? { text: given, problems: [] }
        : record === null
          ? { text: null, problems: [] }
          : await readFrom(policy_url, await ports.web.get(policy_url, signal), ports.clock.now())
    const hosts = await mailServersOf(domain, requireRecords(servers, domain), ports.dns, signal)
    return resultOf(place, read, [...about, ...inside], hosts, domain)
  })
}

interface ReadPolicy {
  readonly text: string | null
  readonly problems: readonly MtaStsProblem[]
  readonly content_type?: string | null
  readonly certificate?: ServerCertificate | null
}

interface MailServer {
  readonly host: string
  readonly preference: number
}

/** The mail servers, best first. A domain without MX records is its own, if it has an address (RFC 5321 §5.1). */
async function mailServersOf(
  domain: string,
  written: readonly DnsData["MX"][],
  dns: Ports["dns"],
  signal: AbortSignal,
): Promise<readonly MailServer[]> {
  if (written.length > 0)
    return written
      .toSorted((one, other) => one.preference - other.preference)
      .map(({ preference, exchange }) => ({ preference, host: exchange.toLowerCase() }))
  const [ipv4, ipv6] = await Promise.all([
    dns.resolve(domain, "A", signal),
    dns.resolve(domain, "AAAA", signal),
  ])
  const hasAddress = ipv4.kind === "records" || requireRecords(ipv6, domain).length > 0
  return hasAddress || requireRecords(ipv4, domain).length > 0 ? [{ host: domain, preference: 0 }] : []
}

function resultOf(
  place: Partial<Record<"record_name" | "record" | "id" | "policy_url", string | null>>,
  { text, content_type = null, certificate = null, problems: read }: ReadPolicy,
  about: readonly MtaStsProblem[],
  hosts: readonly MailServer[],
  domain: string | null = null,
) {
  const { policy, problems: inside } = text === null ? { policy: nothing, problems: [] } : readPolicy(text)
  const covering = coverBy(policy.mx)
  const isNull = hosts.length === 1 && hosts[0]?.host === ""
  const mx_matches =
    text === null || isNull ? [] : hosts.map((server) => ({ ...server, matched_by: covering(server.host) }))
  const problems = [...about, ...read, ...inside]
  if (text !== null && domain !== null && policy.mode !== "none")
    problems.push(...aboutServers(policy.mx, mx_matches, domain))
  return {
    is_valid: isValid(problems),
    problems: firstProblems(problems),
    ...{ record_name: null, record: null, id: null, policy_url: null },
    ...place,
    ...{ policy: text, content_type, ...policy, mx: [...policy.mx] },
    mx_matches,
    certificate,
  }
}

function aboutServers(
  mx: readonly string[],
  matches: readonly { readonly host: string; readonly matched_by: string | null }[],
  domain: string,
): readonly MtaStsProblem[] {
  if (matches.length === 0) return [problem("no_mail", domain, `${domain} has no mail server.`)]
  const used = new Set(matches.map(({ matched_by }) => matched_by))
  return [
    ...matches.flatMap(({ host, matched_by }) =>
      matched_by === null ? [problem("mx_not_covered", host, `No mx of the policy covers ${host}.`)] : [],
    ),
    ...mx.flatMap((one) =>
      used.has(one) ? [] : [problem("unused_mx", one, `The mx ${one} covers none of the mail servers.`)],
    ),
  ]
}

/** Judges the answer of the policy's host (§3.3). */
async function readFrom(url: string, answer: WebAnswer, nowMs: number): Promise<ReadPolicy> {
  const certificate = await readServerCertificate(answer.certificates, nowMs)
  const refused = (code: MtaStsCode, message: string): ReadPolicy => ({
    text: null,
    problems: [problem(code, url, message)],
    certificate,
  })
  const { body, contentType: content_type, refusal } = readDocument("policy", answer)
  if (refusal) return refused(refusal[0], refusal[1])
  // A byte order mark is no part of a policy, so it must be seen.
  const text = fromUtf8(body)
  if (text === null) return refused("policy_text", "The policy is not text in UTF-8.")
  const [problems, add] = newProblems()
  if (!/^text\/plain[ \t]*(?:;|$)/i.test(content_type ?? ""))
    add("content_type", url, "The policy is not served as text/plain.")
  if (certificate && certificate.days_left < soonDays)
    add("certificate_ends_soon", url, `The certificate ends at ${certificate.valid_until}.`)
  return { text, problems, content_type, certificate }
}
