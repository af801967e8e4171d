import { readProof } from "./denial.ts"
import { Ended } from "./ended.ts"
import { isWithin, labelsOf, suffixOf } from "./names.ts"
import {
  type ChainLink,
  type CheckedSignature,
  type DelegationSigner,
  findSet,
  isZoneKey,
  matchingKeys,
  ofType,
  type Reply,
  type Session,
  tagOf,
  usableSigners,
} from "./session.ts"
import { type TrustedZone, verifySet } from "./verify-set.ts"

/** Finds the zones on the way from the root to names, and their keys. Each is looked at once. */
export class Chain {
  readonly session: Session
  readonly #anchors: readonly DelegationSigner[]
  readonly #zones = new Map<string, Promise<TrustedZone | null>>()

  constructor(session: Session, anchors: readonly DelegationSigner[]) {
    this.session = session
    this.#anchors = anchors
  }

  /**
   * The zone of a name: the last one on the way from the root to `name`, which may be the name itself.
   * @throws Ended when a zone on the way is insecure or bogus
   */
  async zoneOf(name: string): Promise<TrustedZone> {
    let zone = await this.#root()
    const count = labelsOf(name).length
    for (let labels = 1; labels <= count; labels++) {
      const child = suffixOf(name, labels)
      zone = (await this.#once(child, () => this.#delegation(child, zone))) ?? zone
    }
    return zone
  }

  /**
   * The zone that must have signed a set or a denial: the one that the signatures name, if it is the zone of the name or above
   * it. Trust comes from the root all the same, so a wrong name leads to a signature that does not fit.
   * @param limit the lowest zone that the records can be in
   */
  async signerOf(signers: readonly string[], limit: string): Promise<TrustedZone> {
    const signer = signers.find((one) => isWithin(limit, one))
    return this.zoneOf(signer ?? limit)
  }

  async #root(): Promise<TrustedZone> {
    const find = async () => readKeys("", this.#anchors, [], { isRoot: true }, this.session)
    const root = await this.#once("", find)
    if (!root) throw new Error("the root has no keys")
    return root
  }

  #once(name: string, find: () => Promise<TrustedZone | null>): Promise<TrustedZone | null> {
    const found = this.#zones.get(name) ?? find()
    this.#zones.set(name, found)
    return found
  }

  /** The zone that begins at a name; null if none begins there. */
  async #delegation(name: string, parent: TrustedZone): Promise<TrustedZone | null> {
    const reply = await this.session.ask(name, "DS")
    const set = findSet(reply.answer, name, "DS")
    if (!set) return this.#withoutSigners(name, parent, reply)
    const signatures: CheckedSignature[] = []
    const labels = await verifySet(set, { ...parent, signatures }, this.session)
    // A wildcard delegates nothing (RFC 4592 §4.2).
    if (labels !== labelsOf(name).length) throw new Ended("bogus", "wrong_labels", `${name} DS`)
    const signers = ofType(set.records, "DS").map(({ data }) => data)
    return readKeys(name, signers, signatures, { isRoot: false }, this.session)
  }

  /**
   * No DS records: an unsigned zone begins there only if the parent proves it. That none begins needs no proof, since the data
   * then have to be signed by the parent.
   */
  async #withoutSigners(name: string, parent: TrustedZone, { answer, authority }: Reply): Promise<null> {
    if (answer.some(({ owner, type }) => type === "CNAME" && owner === name)) return null
    const { proof, failure } = await readProof(authority, parent, this.session)
    switch (await proof.delegation(name)) {
      case "unsigned":
        throw new Ended("insecure", "no_delegation_signer", name)
      case "opt out":
        throw new Ended("insecure", "opt_out", name)
      case "none":
        return null
      default:
        throw failure ?? new Ended("bogus", "no_proof", `${name} DS`)
    }
  }
}

/** The keys of a zone that its DS records, or the trust anchors, lead to (RFC 4035 §5.2). */
async function readKeys(
  name: string,
  signers: readonly DelegationSigner[],
  signatures: CheckedSignature[],
  { isRoot }: { readonly isRoot: boolean },
  session: Session,
): Promise<TrustedZone> {
  const usable = usableSigners(signers)
  if (usable.length === 0) throw new Ended("insecure", "unsupported_algorithm", name)
  const reply = await session.ask(name, "DNSKEY")
  const set = findSet(reply.answer, name, "DNSKEY")
  if (!set) throw new Ended("bogus", "no_keys", name)
  const keys = ofType(set.records, "DNSKEY").filter(isZoneKey)
  const matched = matchingKeys(name, keys, usable)
  if (matched.length === 0) throw new Ended("bogus", "no_matching_key", name)
  const others = keys.filter((key) => !matched.includes(key))
  const zone = { name, keys: [...matched, ...others], signatures }
  const link: ChainLink = {
    zone: name,
    signers: isRoot ? null : signers,
    keys: zone.keys.map((key) => ({
      tag: tagOf(key),
      algorithm: key.data.algorithm,
      flags: key.data.flags,
      isMatched: matched.includes(key),
    })),
    signatures,
  }
  session.links.push(link)
  await verifySet(set, { ...zone, keys: matched }, session)
  return zone
}
