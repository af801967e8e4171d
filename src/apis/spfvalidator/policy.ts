import type { DnsFailure } from "../contract.ts"
import { limits } from "./limits.ts"
import type { Lookups } from "./lookups.ts"
import { parseRecord } from "./parse.ts"
import type { SpfRecord } from "./record.ts"

/** What a domain publishes, by the selection rule of RFC 7208 §4.4 and §4.5. */
export type Policy =
  | { readonly kind: "failure"; readonly reason: DnsFailure }
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

/** Fetches policies, each domain's once. */
export class Policies {
  readonly #lookups: Lookups
  readonly #fetched = new Map<string, Promise<Policy>>()

  constructor(lookups: Lookups) {
    this.#lookups = lookups
  }

  /** The policy of a lower-case name. */
  of(domain: string): Promise<Policy> {
    let policy = this.#fetched.get(domain)
    if (policy === undefined) {
      policy = this.#fetch(domain)
      this.#fetched.set(domain, policy)
    }
    return policy
  }

  async #fetch(domain: string): Promise<Policy> {
    const answer = await this.#lookups.ask(domain, "TXT")
    if (answer.kind === "failure") return answer
    if (answer.kind !== "records") return { kind: "none", exists: answer.kind === "nodata", others: [] }
    // Servers rotate their answers; sorted, the same zone gives the same report.
    const [first, ...more] = answer.records
      .filter(isSpf)
      .sort()
      .slice(0, limits.recordsPerDomain)
      .map(parseRecord)
    const others = answer.records.filter((text) => !isSpf(text))
    if (first === undefined) return { kind: "none", exists: true, others }
    return { kind: "found", records: [first, ...more], others, messageBytes: answer.messageBytes }
  }
}

/** The version, then a blank or the end (RFC 7208 §4.5). */
function isSpf(text: string): boolean {
  return /^v=spf1(?: |$)/i.test(text)
}
