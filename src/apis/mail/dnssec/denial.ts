import type { DnsRecord, DnsType, RecordOf } from "../../contract.ts"
import { Ended } from "./ended.ts"
import {
  commonAncestor,
  compareNames,
  isBelow,
  isWithin,
  labelsOf,
  lower,
  parentOf,
  suffixOf,
  toWire,
  wildcardOf,
} from "./names.ts"
import { type Delegation, delegationOf, isCut, lacks, type Proof, type Proven } from "./proof.ts"
import { findSet, limits, ofType, type Session, signedLabels } from "./session.ts"
import { type TrustedZone, verifySet } from "./verify-set.ts"

/**
 * Reads the NSEC and NSEC3 records of a reply that the zone has signed. Records that it has not signed prove nothing.
 * @throws Ended when the zone needs too many iterations
 */
export async function readProof(
  section: readonly DnsRecord[],
  zone: TrustedZone,
  session: Session,
): Promise<{ readonly proof: Proof; readonly failure: Ended | null }> {
  let failure: Ended | null = null
  const records: DnsRecord[] = []
  for (const type of ["NSEC", "NSEC3"] as const) {
    const owners = new Set(ofType(section, type).map(({ owner }) => owner))
    for (const owner of [...owners].filter((one) => isWithin(one, zone.name)).slice(0, limits.denials)) {
      const set = findSet(section, owner, type)
      if (!set) continue
      try {
        const labels = await verifySet(set, zone, session)
        // Made from a wildcard, it would be about another name.
        if (labels === signedLabels(owner)) records.push(...set.records)
      } catch (thrown) {
        if (!(thrown instanceof Ended) || thrown.code === "too_much_work") throw thrown
        failure = thrown
      }
    }
  }
  const hashed = ofType(records, "NSEC3")
  const proof =
    hashed.length > 0 ? new Nsec3Proof(hashed, zone.name, session) : new NsecProof(ofType(records, "NSEC"))
  return { proof, failure }
}

type Nsec = RecordOf<"NSEC">

/** Proofs by NSEC records (RFC 4035 §5.4). */
class NsecProof implements Proof {
  readonly #records: readonly Nsec[]

  constructor(records: readonly Nsec[]) {
    this.#records = records
  }

  noData(name: string, type: DnsType): Proven {
    const own = this.#own(name)
    if (own) return lacks(own.data.types, name, type) ? "proven" : null
    const cover = this.#cover(name)
    if (!cover) return null
    if (isAbove(name, cover)) return "proven"
    const wildcard = this.#own(wildcardOf(encloserOf(name, cover)))
    return wildcard && lacks(wildcard.data.types, wildcard.owner, type) ? "proven" : null
  }

  noName(name: string): Proven {
    const cover = this.#cover(name)
    if (!cover || isAbove(name, cover)) return null
    const wildcard = wildcardOf(encloserOf(name, cover))
    const wildcardCover = this.#cover(wildcard)
    return wildcardCover && !isAbove(wildcard, wildcardCover) ? "proven" : null
  }

  noCloserName(name: string): Proven {
    const cover = this.#cover(name)
    return cover && !isAbove(name, cover) ? "proven" : null
  }

  delegation(name: string): Delegation {
    const own = this.#own(name)
    if (own) return delegationOf(own.data.types)
    return this.#cover(name) ? "none" : null
  }

  #own(name: string): Nsec | undefined {
    return this.#records.find(({ owner }) => owner === name)
  }

  /** The record in whose span a name is: after its owner, and before the next name or after the last one. */
  #cover(name: string): Nsec | undefined {
    return this.#records.find(({ owner, data }) => {
      const next = lower(data.nextName)
      const isLast = compareNames(next, owner) <= 0
      const isBefore = isLast ? isWithin(name, next) : compareNames(name, next) < 0
      return compareNames(owner, name) < 0 && isBefore && !isCut(owner, data.types, name)
    })
  }
}

/** Whether a name has no records, but the next name is below it (RFC 4592 §2.2.2). */
function isAbove(name: string, { data }: Nsec): boolean {
  return isBelow(lower(data.nextName), name)
}

/** The closest name above `name` that exists: it is above one end of the span. */
function encloserOf(name: string, { owner, data }: Nsec): string {
  const [one, other] = [commonAncestor(name, owner), commonAncestor(name, lower(data.nextName))]
  return isWithin(one, other) ? one : other
}

type Nsec3 = RecordOf<"NSEC3">

const digits = "0123456789abcdefghijklmnopqrstuv"
const sha1 = 1
const optOut = 1

/** Proofs by NSEC3 records (RFC 5155 §8). */
class Nsec3Proof implements Proof {
  readonly #records: readonly Nsec3[]
  readonly #zone: string
  readonly #session: Session
  readonly #hashes = new Map<string, string>()

  /** @throws Ended when the hash needs more iterations than the limit */
  constructor(records: readonly Nsec3[], zone: string, session: Session) {
    const [first] = records
    // §8.2: other algorithms and flags are ignored; all records of a reply have the same parameters.
    this.#records = records.filter(
      ({ owner, data }) =>
        data.hashAlgorithm === sha1 &&
        (data.flags & ~optOut) === 0 &&
        data.salt === first?.data.salt &&
        data.iterations === first.data.iterations &&
        parentOf(owner) === zone,
    )
    this.#zone = zone
    this.#session = session
    if ((this.#records[0]?.data.iterations ?? 0) > limits.nsec3Iterations)
      throw new Ended("insecure", "nsec3_iterations", zone)
  }

  /** §8.5 to 8.7. */
  async noData(name: string, type: DnsType): Promise<Proven> {
    const own = await this.#own(name)
    if (own) return lacks(own.data.types, name, type) ? "proven" : null
    const closest = await this.#closest(name)
    if (!closest) return null
    const wildcard = wildcardOf(closest.encloser)
    const ofWildcard = await this.#own(wildcard)
    if (ofWildcard && !lacks(ofWildcard.data.types, wildcard, type)) return null
    // In a span of opt-out, neither DS records nor names above unsigned zones have a record of their own.
    if (closest.cover.data.flags & optOut) return "opt out"
    return ofWildcard ? "proven" : null
  }

  /** §8.4. */
  async noName(name: string): Promise<Proven> {
    const closest = await this.#closest(name)
    if (!closest || !(await this.#cover(wildcardOf(closest.encloser)))) return null
    return toProven(closest.cover)
  }

  /** §8.8. */
  async noCloserName(name: string): Promise<Proven> {
    const cover = await this.#cover(name)
    return cover ? toProven(cover) : null
  }

  /** §8.6 and 8.9. */
  async delegation(name: string): Promise<Delegation> {
    const own = await this.#own(name)
    if (own) return delegationOf(own.data.types)
    const closest = await this.#closest(name)
    if (!closest) return null
    return closest.cover.data.flags & optOut ? "opt out" : "none"
  }

  /** The closest name above `name` that exists, and the record that shows that the name below it does not (§8.3). */
  async #closest(name: string) {
    for (let encloser = parentOf(name); isWithin(encloser, this.#zone); encloser = parentOf(encloser)) {
      const own = await this.#own(encloser)
      if (!own && encloser === this.#zone) return null
      if (!own) continue
      if (isCut(encloser, own.data.types, name)) return null
      const cover = await this.#cover(suffixOf(name, labelsOf(encloser).length + 1))
      return cover ? { encloser, cover } : null
    }
    return null
  }

  async #own(name: string): Promise<Nsec3 | undefined> {
    const hash = await this.#hash(name)
    return this.#records.find(({ owner }) => labelsOf(owner)[0] === hash)
  }

  async #cover(name: string): Promise<Nsec3 | undefined> {
    const hash = await this.#hash(name)
    return this.#records.find(({ owner, data: { nextHash } }) => {
      const [from = ""] = labelsOf(owner)
      return from < nextHash ? from < hash && hash < nextHash : hash > from || hash < nextHash
    })
  }

  async #hash(name: string): Promise<string> {
    const known = this.#hashes.get(name)
    if (known !== undefined) return known
    const pause = this.#session.giveWay()
    if (pause) await pause
    const hash = hashName(name, this.#records[0]?.data ?? { salt: "", iterations: 0 })
    this.#hashes.set(name, hash)
    return hash
  }
}

function toProven({ data }: Nsec3): Proven {
  return data.flags & optOut ? "opt out" : "proven"
}

/** The hash of a name (RFC 5155 §5) in base32hex, lower case. */
export function hashName(
  name: string,
  { salt, iterations }: { readonly salt: string; readonly iterations: number },
): string {
  const bytes = Buffer.from(salt, "hex")
  let hash = toWire(name)
  for (let round = 0; round <= iterations; round++)
    hash = new Bun.CryptoHasher("sha1").update(hash).update(bytes).digest()
  const bits = [...hash].map((byte) => byte.toString(2).padStart(8, "0")).join("")
  return (bits.match(/.{5}/g) ?? []).map((five) => digits.charAt(Number.parseInt(five, 2))).join("")
}
