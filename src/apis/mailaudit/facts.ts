import { InputRejected, type RunContext, Unavailable } from "../contract.ts"
import { findMailRoute, type MailRoute } from "./mail-servers.ts"
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
import { shareQuestions } from "./share-questions.ts"

/** The questions that each part may ask: together no more than a call may, so that none takes those of another. */
export const questionLimits = {
  route: 12,
  spf: 45,
  dmarc: 20,
  dkim: 26,
  caa: 16,
  tlsrpt: 4,
  dnssec: 20,
  dane: 45,
  mtaSts: 6,
  bimi: 9,
  reverse: 13,
} as const

/** Addresses of mail servers whose reverse names are looked up. */
const maxAddresses = 4
/** Selectors found by guessing whose keys are read. */
const maxFoundKeys = 5

/** A result, or why there is none. */
export type Found<T> =
  | { readonly isKnown: true; readonly value: T }
  | { readonly isKnown: false; readonly why: string }

/** What is known of a domain. */
export interface Facts {
  readonly domain: string
  readonly route: Found<MailRoute>
  readonly spf: Found<SpfResult>
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
}

/** What an audit is about. */
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
  const contextFor = (part: keyof typeof questionLimits): RunContext => ({
    ...context,
    // An audit counts what the premium fields of its parts say; its own premium fields are the fixes.
    premium: true,
    ports: { ...context.ports, dns: dnsFor(questionLimits[part]) },
  })
  const anchored = trust_anchor === undefined ? {} : { trust_anchor }
  const route = find(() => findMailRoute(domain, contextFor("route").ports.dns))
  const [spf, dmarc, dkim, caa, tlsrpt, dnssec, dane, mtaSts, bimi, reverse] = await Promise.all([
    find(() => apis.spf.run({ domain }, contextFor("spf"))),
    find(() => apis.dmarc.run({ domain }, contextFor("dmarc"))),
    find(() => findKeys(domain, selectors, apis, contextFor("dkim"))),
    find(() => apis.caa.run({ domain }, contextFor("caa"))),
    find(() => apis.tlsrpt.run({ domain }, contextFor("tlsrpt"))),
    find(() => apis.dnssec.run({ name: domain, type: "SOA", ...anchored }, contextFor("dnssec"))),
    find(() => apis.dane.run({ host: domain, ...anchored }, contextFor("dane"))),
    find(() => apis.mtaSts.run({ domain }, contextFor("mtaSts"))),
    find(() => apis.bimi.run({ domain }, contextFor("bimi"))),
    route.then((found) => find(() => findNames(found, apis, contextFor("reverse")))),
  ])
  return { domain, route: await route, spf, dmarc, dkim, caa, tlsrpt, dnssec, dane, mtaSts, bimi, reverse }
}

async function find<T>(work: () => T | Promise<T>): Promise<Found<T>> {
  try {
    return { isKnown: true, value: await work() }
  } catch (cause) {
    if (cause instanceof Unavailable) return { isKnown: false, why: cause.message }
    // What a part refuses is not wrong in the input of the audit: a service without HTTPS requests cannot read a policy.
    if (cause instanceof InputRejected) return { isKnown: false, why: cause.message }
    throw cause
  }
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

async function findNames(
  route: Found<MailRoute>,
  { reverse }: AuditedApis,
  context: RunContext,
): Promise<ReadonlyMap<string, ReverseResult>> {
  const servers = route.isKnown ? route.value.servers : []
  const addresses = [...new Set(servers.flatMap((server) => server.addresses))].slice(0, maxAddresses)
  const results = await Promise.all(
    addresses.map(async (ip) => [ip, await reverse.run({ ip }, context)] as const),
  )
  return new Map(results)
}
