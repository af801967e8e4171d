import { isAscii, toALabels } from "../../values/idna.ts"
import { type Address, isIpv6, toDotted } from "../../values/ip.ts"
import type { Clock, DnsAnswer, DnsFailure, GiveWay } from "../contract.ts"
import { type Lookups, toTargetName } from "../mail/look-up.ts"
import { expandDomainSpec, lettersOf, type MacroValues } from "./macro.ts"
import { parseRecord } from "./parse.ts"
import {
  type Budget,
  type DomainSpec,
  limits,
  type MacroLetter,
  type MacroString,
  type SpfRecord,
} from "./record.ts"
import type { SpfInput } from "./schema.ts"
import { chooseName, findHostNames } from "./validated-names.ts"

/** The parts that the report and the check of an address share in one validation. */
export type Session = { readonly identity: Identity; readonly lookups: Lookups; readonly policies: Policies }

/**
 * The name that a term asks for while `domain` is evaluated: `domain` itself without a domain-spec (RFC 7208 §4.8). Null
 * when the term cannot match, because a local-part with characters outside ASCII is never put into a name (RFC 8616 §4).
 */
export async function toTarget(spec: DomainSpec | null, domain: string, session: Session) {
  if (spec === null) return domain
  const [literal = "", ...more] = spec.macro
  // Nearly every term has a name and no macro.
  if (typeof literal === "string" && more.length === 0) return toAskedName(literal)
  if (usesNonAsciiLocalPart(spec.macro, session)) return null
  const values = await valuesFor(spec.macro, domain, session)
  return toAskedName(expandDomainSpec(spec.macro, values))
}

/** A backslash of a domain-spec stands for itself; in a name that is asked for it begins an escape. */
function toAskedName(expanded: string): string {
  return toTargetName(expanded).replaceAll("\\", "\\\\")
}

/** The macro values for one macro-string; host names are looked up only if it uses `p`. */
export async function valuesFor(macro: MacroString, domain: string, session: Session): Promise<MacroValues> {
  const { identity, lookups } = session
  const name =
    identity.ip !== null && lettersOf(macro).has("p")
      ? chooseName(await findHostNames(identity.ip, lookups), domain)
      : "unknown"
  return macroValues(identity, domain, name)
}

export function usesNonAsciiLocalPart(macro: MacroString, { identity }: Session): boolean {
  const letters = lettersOf(macro)
  return (letters.has("s") || letters.has("l")) && !isAscii(identity.localPart)
}

/** The parameters, in quotes, that a domain-spec needs and that were not given. */
export function missingParameters(spec: DomainSpec | null, { identity }: Session): string[] {
  if (spec === null || spec.macro.every((part) => typeof part === "string")) return []
  const unknown = [...lettersOf(spec.macro)].filter((letter) => !identity.known.has(letter))
  return [...new Set(unknown.map((letter) => parameterOf[letter] ?? "ip"))].map((name) => `'${name}'`)
}

/** The other letters of a domain-spec come from `ip`, except `d`, which is always known. */
const parameterOf: Readonly<Record<string, string>> = { s: "sender", l: "sender", o: "sender", h: "helo" }

/** The sender of a mail, from whom macros take their values (RFC 7208 §7.2). */
type Identity = Awaited<ReturnType<typeof toIdentity>>

/** Defaults are those of an empty MAIL FROM: postmaster at the domain, which also is the HELO name (RFC 7208 §2.4, §4.3). */
export async function toIdentity(
  domain: string,
  ip: Address | null,
  { sender, helo }: Pick<SpfInput, "sender" | "helo">,
  clock: Clock,
) {
  const given = sender || `postmaster@${domain}`
  const at = given.lastIndexOf("@")
  const senderDomain = given.slice(at + 1)
  return {
    ip,
    localPart: at > 0 ? given.slice(0, at) : "postmaster",
    senderDomain: (await toALabels(senderDomain)) ?? senderDomain,
    helo: helo === undefined ? domain : ((await toALabels(helo)) ?? helo),
    /** The macro letters whose value comes from the caller and is not a default. */
    known: new Set<MacroLetter>([
      "d",
      ...(ip === null ? [] : (["i", "v", "p"] as const)),
      ...(sender ? (["s", "l", "o"] as const) : []),
      ...(helo === undefined ? [] : (["h"] as const)),
    ]),
    /** Unix time in whole seconds, for `t`. */
    timestamp: Math.floor(clock.now() / 1000),
  }
}

/** The macro values while `domain` is evaluated; `validatedName` is the value of `p`. */
function macroValues(identity: Identity, domain: string, validatedName: string): MacroValues {
  const { ip, localPart, senderDomain, helo, timestamp } = identity
  const values: Record<MacroLetter, () => string> = {
    s: () => `${localPart}@${senderDomain}`,
    l: () => localPart,
    o: () => senderDomain,
    d: () => domain,
    i: () => (ip === null ? "" : toDotted(ip).toUpperCase()),
    p: () => validatedName,
    v: () => (ip !== null && isIpv6(ip) ? "ip6" : "in-addr"),
    h: () => helo,
    c: () => (ip === null ? "" : ip.toString()),
    // RFC 7208 §7.3 has this word for a receiving host that does not give its name away.
    r: () => "unknown",
    t: () => String(timestamp),
  }
  return (letter) => values[letter]()
}

/** The policy that a domain publishes, by the selection rule of RFC 7208 §4.4 and §4.5. */
export type Policy =
  | { readonly kind: "failure"; readonly reason: DnsFailure }
  /** The TXT records are over the limit and were not read: a permerror, as for any limit of RFC 7208 §4.6.4. */
  | { readonly kind: "unread"; readonly bytes: number }
  | {
      readonly kind: "none"
      readonly exists: boolean
      /** The domain's other TXT records. */
      readonly others: readonly string[]
    }
  | {
      readonly kind: "found"
      /** In a fixed order. Two or more records are a permerror. */
      readonly records: readonly [SpfRecord, ...SpfRecord[]]
      readonly others: readonly string[]
      /** Bytes of the DNS answer that carried the records; 0 when unknown. */
      readonly messageBytes: number
    }

type Policies = ReturnType<typeof createPolicies>

/** Reads each domain's policy once. */
export function createPolicies(lookups: Lookups, giveWay: GiveWay) {
  const read = new Map<string, Policy>()
  return {
    /** The policy of a lower-case name. The report and the check read in different orders, so each has its own TXT budget. */
    async of(domain: string, textBytes: Budget): Promise<Policy> {
      const answer = await lookups.ask(domain, "TXT")
      if (answer.kind === "failure") return answer
      if (answer.kind !== "records") return { kind: "none", exists: answer.kind === "nodata", others: [] }
      const bytes = answer.records.reduce((sum, text) => sum + text.length, 0)
      if (!textBytes.take(bytes, domain)) return { kind: "unread", bytes }
      const known = read.get(domain)
      if (known !== undefined) return known
      const pause = giveWay()
      if (pause) await pause
      if (lookups.isOver()) return { kind: "failure", reason: "aborted" }
      const policy = select(answer)
      read.set(domain, policy)
      return policy
    },
  }
}

function select({ records, messageBytes }: DnsAnswer<"TXT"> & { readonly kind: "records" }): Policy {
  // Servers rotate their answers; sorted, the same zone makes the same report.
  const [first, ...more] = records.filter(isSpf).sort().slice(0, limits.recordsPerDomain).map(parseRecord)
  const others = records.filter((text) => !isSpf(text))
  if (first === undefined) return { kind: "none", exists: true, others }
  return { kind: "found", records: [first, ...more], others, messageBytes }
}

/** Whether a TXT record is an SPF record: the version, then a space or the end (RFC 7208 §4.5). */
export function isSpf(text: string): boolean {
  return /^v=spf1(?: |$)/i.test(text)
}
