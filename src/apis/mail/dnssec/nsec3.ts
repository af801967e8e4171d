import type { DnsType, RecordOf } from "../../contract.ts"
import { Ended } from "./ended.ts"
import { limits } from "./limits.ts"
import { isWithin, labelsOf, parentOf, suffixOf, toWire, wildcardOf } from "./names.ts"
import { type Delegation, delegationOf, isCut, lacks, type Proof, type Proven } from "./proof.ts"
import type { Session } from "./session.ts"

type Nsec3 = RecordOf<"NSEC3">

const digits = "0123456789abcdefghijklmnopqrstuv"
const sha1 = 1
const optOut = 1

/** Proofs by NSEC3 records (RFC 5155 §8). */
export class Nsec3Proof implements Proof {
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
