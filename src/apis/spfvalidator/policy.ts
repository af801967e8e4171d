import type { DnsAnswer, DnsFailure } from "../contract.ts"
import { limits } from "./limits.ts"
import type { Lookups } from "./lookups.ts"
import { parseRecord } from "./parse.ts"
import type { SpfRecord } from "./record.ts"

/** What a domain publishes, by the selection rule of RFC 7208 §4.4 and §4.5. */
export type Policy =
  | { readonly kind: "failure"; readonly reason: DnsFailure }
  /** The TXT records are more than may still be read: a permerror, as beyond any limit (RFC 7208 §4.6.4). */
  | { readonly kind: "unread"; readonly octets: number }
  | {
      readonly kind: "none"
      /** False when the domain does not exist. */
      readonly exists: boolean
      /** The domain's other TXT records. */
      readonly others: readonly string[]
    }
  | {
      readonly kind: "found"
      /** One record; with two or more the domain has no usable policy (a permerror). In a fixed order. */
      readonly records: readonly [SpfRecord, ...SpfRecord[]]
      readonly others: readonly string[]
      /** Octets of the DNS answer that carried it; 0 when unknown. */
      readonly messageBytes: number
    }

/**
 * The octets of TXT records that one reader may still read. The report and the check have one each: they read in orders
 * of their own, and what one of them finds must not depend on how far the other has got.
 */
export class TextAllowance {
  readonly #octets: number
  readonly #read = new Set<string>()
  #taken = 0

  constructor(octets: number) {
    this.#octets = octets
  }

  /** Takes the text of a domain, all or none; a text taken before is free. */
  take(domain: string, octets: number): boolean {
    if (this.#read.has(domain)) return true
    if (this.#taken + octets > this.#octets) return false
    this.#taken += octets
    this.#read.add(domain)
    return true
  }
}

/** Reads policies, each domain's once. */
export class Policies {
  readonly #lookups: Lookups
  readonly #giveWay: () => Promise<void> | undefined
  readonly #read = new Map<string, Policy>()

  /** `giveWay` is asked before each domain is read, and waited for. */
  constructor(lookups: Lookups, giveWay: () => Promise<void> | undefined) {
    this.#lookups = lookups
    this.#giveWay = giveWay
  }

  /** The policy of a lower-case name, as far as the reader's allowance goes. */
  async of(domain: string, allowance: TextAllowance): Promise<Policy> {
    const answer = await this.#lookups.ask(domain, "TXT")
    if (answer.kind === "failure") return answer
    if (answer.kind !== "records") return { kind: "none", exists: answer.kind === "nodata", others: [] }
    const octets = answer.records.reduce((sum, text) => sum + text.length, 0)
    if (!allowance.take(domain, octets)) return { kind: "unread", octets }
    const known = this.#read.get(domain)
    if (known !== undefined) return known
    await this.#giveWay()
    if (this.#lookups.isOver) return { kind: "failure", reason: "aborted" }
    const policy = select(answer)
    this.#read.set(domain, policy)
    return policy
  }
}

function select({ records, messageBytes }: DnsAnswer<"TXT"> & { readonly kind: "records" }): Policy {
  // Servers rotate their answers; sorted, the same zone gives the same report.
  const [first, ...more] = records.filter(isSpf).sort().slice(0, limits.recordsPerDomain).map(parseRecord)
  const others = records.filter((text) => !isSpf(text))
  if (first === undefined) return { kind: "none", exists: true, others }
  return { kind: "found", records: [first, ...more], others, messageBytes }
}

/** The version, then a blank or the end (RFC 7208 §4.5). */
export function isSpf(text: string): boolean {
  return /^v=spf1(?: |$)/i.test(text)
}
