import {
  type Dns,
  type DnsAnswer,
  type DnsReply,
  InputRejected,
  type RunContext,
  Unavailable,
} from "../contract.ts"
import { isDmarc } from "../mail/dmarc-walk.ts"
import { domainOfUri, findMailRoute, type MailRoute } from "./mail-servers.ts"
import type {
  AuditedApis,
  BimiResult,
  CaaResult,
  DaneResult,
  DkimResult,
  DmarcResult,
  DnssecResult,
  MtaStsResult,
  ReverseResult,
  SpfResult,
  TlsrptResult,
} from "./parts.ts"

/** One record that says what several of a domain say; null for one, or where it takes a person: with `redirect`. */
export function mergedText({ spf_records_list }: SpfResult, domain: string): string | null {
  const records = spf_records_list.filter(({ origin }) => origin === domain).map(({ record }) => record)
  if (records.length < 2) return null
  const terms = records.flatMap((record) => record.trim().split(/ +/).slice(1))
  if (terms.some((term) => /^redirect=/i.test(term))) return null
  const isAll = (term: string) => /^[+?~-]?all$/i.test(term)
  const senders = [...Map.groupBy(terms, (term) => term.toLowerCase()).values()].flatMap(
    ([first = ""]) => first,
  )
  const isStrict = terms.filter(isAll).every((term) => term.startsWith("-"))
  return ["v=spf1", ...senders.filter((term) => !isAll(term)), isStrict ? "-all" : "~all"].join(" ")
}

/** The questions that each part may ask: together no more than a call may, so that none takes those of another. */
export const questionLimits = {
  route: 12,
  spf: 34,
  mergedSpf: 10,
  dmarc: 20,
  dkim: 26,
  caa: 16,
  tlsrpt: 6,
  dnssec: 20,
  dane: 32,
  mtaSts: 10,
  bimi: 11,
  reverse: 13,
  reports: 6,
} as const

/** Parts whose results are true without some of their questions. */
const tellsNotAsked = new Set<string>(["reverse", "reports"])
/** Addresses of mail servers whose reverse names are looked up. */
const maxAddresses = 4
/** Domains that reports are sent to whose mail servers are looked for. */
const maxReportDomains = 2
/** Selectors found by guessing whose keys are read. */
const maxFoundKeys = 5

/** A result, or why there is none. */
export type Found<T> =
  | {
      readonly isKnown: true
      readonly value: T
      /** The names for which the DNS gave no answer on the way. */
      readonly unanswered: readonly string[]
    }
  | { readonly isKnown: false; readonly why: string; readonly advice?: string }

/** The facts about a domain. Each may be unknown. */
export interface Facts {
  readonly domain: string
  readonly route: Found<MailRoute>
  readonly spf: Found<SpfResult>
  /** For a domain with several SPF records: one record that says the same, with its check. Null if there is one or none. */
  readonly mergedSpf: { readonly text: string; readonly found: Found<SpfResult> } | null
  readonly dmarc: Found<DmarcResult>
  /** The keys of the domain: those asked for, and those with usual selectors. */
  readonly dkim: Found<readonly DkimResult[]>
  readonly caa: Found<CaaResult>
  readonly tlsrpt: Found<TlsrptResult>
  readonly dnssec: Found<DnssecResult>
  readonly dane: Found<DaneResult>
  readonly mtaSts: Found<MtaStsResult>
  readonly bimi: Found<BimiResult>
  /** By address. */
  readonly reverse: Found<ReadonlyMap<string, ReverseResult>>
  /** Where mail goes to of other domains that get reports about DMARC, by domain. */
  readonly reports: Found<ReadonlyMap<string, MailRoute>>
}

/** The subject of an audit. */
export interface Subject {
  readonly domain: string
  readonly selectors: readonly string[]
  readonly trust_anchor: string | undefined
}

/** Asks all parts at the same time. A part that gets no answer is unknown and does not hold up the others. */
export async function gatherFacts(
  { domain, selectors, trust_anchor }: Subject,
  apis: AuditedApis,
  context: RunContext,
  signal: AbortSignal,
): Promise<Facts> {
  const dnsFor = shareQuestions(context.ports.dns, signal)
  type Part = keyof typeof questionLimits
  async function find<T>(part: Part, work: (own: RunContext) => T | Promise<T>): Promise<Found<T>> {
    const unanswered: string[] = []
    const limit = questionLimits[part]
    let isOver = false
    const dns = dnsFor(limit, unanswered, () => {
      isOver = true
    })
    // An audit counts what the premium fields of its parts say; its own premium fields are the fixes.
    const own = { ...context, premium: true, ports: { ...context.ports, dns } }
    try {
      const value = await work(own)
      if (!isOver || tellsNotAsked.has(part)) return { isKnown: true, value, unanswered }
      return {
        isKnown: false,
        why: `The audit asks at most ${limit} DNS questions for this, and the domain needs more.`,
        advice: "Call the API that is about this alone: it may ask more.",
      }
    } catch (cause) {
      // A part that refuses does not mean that the audit's input is wrong: a service without HTTPS requests cannot read a policy.
      if (cause instanceof Unavailable || cause instanceof InputRejected)
        return { isKnown: false, why: cause.message }
      throw cause
    }
  }
  const anchored = trust_anchor === undefined ? {} : { trust_anchor }
  const route = find("route", ({ ports }) => findMailRoute(domain, ports.dns))
  const dmarc = find("dmarc", async (own) => {
    const found = await apis.dmarc.run({ domain }, own)
    // Receivers ignore several records. The question is one that was asked.
    const answer = await own.ports.dns.resolve(`_dmarc.${domain}`, "TXT")
    const texts = answer.kind === "records" ? answer.records.filter(isDmarc) : []
    return texts.length < 2 ? found : { ...found, ignored: texts }
  })
  const spf = find("spf", (own) => apis.spf.run({ domain }, own))
  const [mergedSpf, dkim, caa, tlsrpt, dnssec, dane, mtaSts, bimi, reverse, reports] = await Promise.all([
    spf.then(async (found) => {
      const text = found.isKnown ? mergedText(found.value, domain) : null
      if (text === null) return null
      const runMerged = (own: RunContext) => apis.spf.run({ domain }, withRecord(own, domain, text))
      return { text, found: await find("mergedSpf", runMerged) }
    }),
    find("dkim", (own) => findKeys(domain, selectors, apis, own)),
    find("caa", (own) => apis.caa.run({ domain }, own)),
    find("tlsrpt", (own) => apis.tlsrpt.run({ domain }, own)),
    find("dnssec", (own) => apis.dnssec.run({ name: domain, type: "SOA", ...anchored }, own)),
    find("dane", (own) => apis.dane.run({ host: domain, ...anchored }, own)),
    find("mtaSts", (own) => findHosted(apis.mtaSts.run({ domain }, own), own)),
    find("bimi", (own) => findHosted(apis.bimi.run({ domain }, own), own)),
    route.then((found) => find("reverse", (own) => findNames(found, apis, own))),
    dmarc.then((found) => find("reports", ({ ports }) => findReportRoutes(found, domain, ports.dns))),
  ])
  return {
    ...{ domain, route: await route, spf: await spf, mergedSpf, dmarc: await dmarc, dkim, caa, tlsrpt },
    ...{ dnssec, dane, mtaSts, bimi, reverse, reports },
  }
}

/** The same with another SPF record at a domain. */
function withRecord(context: RunContext, domain: string, record: string): RunContext {
  const { dns } = context.ports
  const changed: Dns = {
    ...dns,
    async resolve(name, type, signal) {
      const answer = await dns.resolve(name, type, signal)
      if (type !== "TXT" || name.toLowerCase() !== domain || answer.kind !== "records") return answer
      return { ...answer, records: [record] as readonly unknown[] as typeof answer.records }
    },
  }
  return { ...context, ports: { ...context.ports, dns: changed } }
}

/** A document that cannot be read may be missing, or its host's name may get no answer: one more question tells. */
async function findHosted<T extends MtaStsResult | BimiResult>(found: T | Promise<T>, { ports }: RunContext) {
  for (const { code, where } of (await found).problems)
    if (/_unreachable$/.test(code) && where !== null) await ports.dns.resolve(new URL(where).hostname, "A")
  return found
}

/** Where the reports go that leave the domain. */
async function findReportRoutes(dmarc: Found<DmarcResult>, domain: string, dns: Dns) {
  const addresses = dmarc.isKnown ? dmarc.value.rua.filter(({ is_valid }) => is_valid) : []
  const domains = new Set(addresses.map(({ uri }) => domainOfUri(uri)).filter((one) => one !== domain))
  const routes = [...domains]
    .slice(0, maxReportDomains)
    .map(async (one) => [one, await findMailRoute(one, dns)] as const)
  return new Map(await Promise.all(routes))
}

async function findKeys(
  domain: string,
  selectors: readonly string[],
  { dkim }: AuditedApis,
  context: RunContext,
): Promise<readonly DkimResult[]> {
  const [first = "default"] = selectors
  const { usual_selectors } = await dkim.run({ domain, selector: first }, context)
  const found = usual_selectors.filter((selector) => !selectors.includes(selector)).slice(0, maxFoundKeys)
  const wanted = [...selectors, ...found]
  return Promise.all(wanted.map((selector) => dkim.run({ domain, selector }, { ...context, premium: false })))
}

async function findNames(route: Found<MailRoute>, { reverse }: AuditedApis, context: RunContext) {
  const servers = route.isKnown ? route.value.servers : []
  const addresses = [...new Set(servers.flatMap((server) => server.addresses))].slice(0, maxAddresses)
  const results = await Promise.all(
    addresses.map(async (ip) => [ip, await reverse.run({ ip }, context)] as const),
  )
  return new Map(results)
}

/**
 * Shares the questions of an audit between its parts, so that each is asked once. All of them have the same signal.
 * @returns a function that makes the DNS of a part, which may ask so many questions that no part before it has asked.
 * It adds the names for which it got no answer to `unanswered`, and calls `onLimit` for a question that it may not ask.
 */
function shareQuestions(dns: Dns, signal: AbortSignal) {
  const asked = new Map<string, Promise<DnsAnswer | DnsReply>>()

  return (limit: number, unanswered: string[], onLimit: () => void): Dns => {
    let left = limit
    async function once<Answer extends DnsAnswer | DnsReply>(
      name: string,
      key: string,
      ask: () => Promise<Answer>,
    ): Promise<Answer> {
      // The key holds the operation and the type, so the answer is of this type.
      let asking = asked.get(key) as Promise<Answer> | undefined
      if (!asking && left === 0) onLimit()
      else if (!asking) {
        left -= 1
        asking = ask()
        asked.set(key, asking)
      }
      const answer = (await asking) ?? ({ kind: "failure", reason: "aborted" } as Answer)
      if (answer.kind === "failure") unanswered.push(name)
      return answer
    }
    return {
      resolve: (name, type) =>
        once(name, `resolve ${type} ${name.toLowerCase()}`, () => dns.resolve(name, type, signal)),
      exchange: (name, type, options) =>
        once(name, `exchange ${options?.dnssec === true} ${type} ${name.toLowerCase()}`, () =>
          dns.exchange(name, type, options, signal),
        ),
    }
  }
}
