import { type DnsRecord, type DnsType, unavailable } from "../../contract.ts"
import { readProof } from "./denial.ts"
import { Ended } from "./ended.ts"
import { isWithin, labelsOf, lower, nameOf, parentOf, suffixOf } from "./names.ts"
import {
  type ChainLink,
  type CheckedSignature,
  type DelegationSigner,
  findSet,
  isZoneKey,
  limits,
  matchingKeys,
  ofType,
  type RecordSet,
  type Reply,
  type Session,
  signedLabels,
  tagOf,
  usableSigners,
} from "./session.ts"
import { type TrustedZone, verifySet } from "./verify-set.ts"

/** The result of a validation. */
export interface Finding {
  readonly status: "secure" | Ended["status"]
  /** Why it is not secure; null if it is. */
  readonly reason: Ended | null
  /** The name that was asked for, and those that its aliases lead to. */
  readonly names: readonly string[]
  /** The DNS's answer for the last of them; null without an answer. */
  readonly result: "records" | "nodata" | "nxdomain" | null
  readonly records: readonly DnsRecord[]
}

/**
 * Validates the records of a name and type, or that there are none, from the trust anchors of the root on (RFC 4035 §5).
 * Aliases are followed; the worst of their states counts.
 */
export async function validate(name: string, type: DnsType, chain: Chain): Promise<Finding> {
  const { session } = chain
  const names: string[] = []
  let reason: Ended | null = null
  let result: Finding["result"] = null
  let records: readonly DnsRecord[] = []
  try {
    for (let next: string | null = name; next !== null; ) {
      if (names.includes(next) || names.length > limits.aliases)
        throw new Ended("indeterminate", "alias_loop", next)
      names.push(next)
      const reply = await session.ask(next, type)
      const found = readStep(reply, next, type)
      ;({ result, records } = found)
      try {
        await checkStep(found, { name: next, type, reply, chain, session })
      } catch (thrown) {
        // The names after an insecure alias may still be bogus.
        if (!(thrown instanceof Ended) || thrown.status !== "insecure") throw thrown
        reason ??= thrown
      }
      next = found.target
    }
  } catch (thrown) {
    if (!(thrown instanceof Ended)) throw thrown
    reason = thrown
  }
  return { status: reason?.status ?? "secure", reason, names, result, records }
}

/** The part of a reply that is about one name. */
interface Step {
  readonly set: RecordSet | null
  readonly result: "records" | "nodata" | "nxdomain" | null
  readonly records: readonly DnsRecord[]
  /** The name that it is an alias for. */
  readonly target: string | null
}

function readStep({ answer, rcode }: Reply, name: string, type: DnsType): Step {
  // Below a DNAME there are no records, only the aliases that it makes.
  const tree = treeAlias(answer, name)
  if (tree) return tree
  const own = findSet(answer, name, type)
  if (own) return { set: own, result: "records", records: own.records, target: null }
  const alias = findSet(answer, name, "CNAME")
  const [first] = ofType(alias?.records ?? [], "CNAME")
  if (alias && first) return { set: alias, result: null, records: [], target: lower(first.data) }
  return { set: null, result: rcode === "NXDOMAIN" ? "nxdomain" : "nodata", records: [], target: null }
}

/** The alias that a DNAME above a name makes for it. The CNAME that comes with it is not signed (RFC 6672 §5.3.1). */
function treeAlias(answer: readonly DnsRecord[], name: string): Step | null {
  const count = labelsOf(name).length
  for (let labels = count - 1; labels > 0; labels--) {
    const owner = suffixOf(name, labels)
    const set = findSet(answer, owner, "DNAME")
    const [first] = ofType(set?.records ?? [], "DNAME")
    if (!set || !first) continue
    const target = nameOf([...labelsOf(name).slice(0, count - labels), ...labelsOf(lower(first.data))])
    return { set, result: null, records: [], target }
  }
  return null
}

interface StepContext {
  readonly name: string
  readonly type: DnsType
  readonly reply: Reply
  readonly chain: Chain
  readonly session: Session
}

/** Checks what a reply says of one name. Throws Ended if it is not secure. */
async function checkStep(found: Step, context: StepContext): Promise<void> {
  const { set } = found
  if (!set) return checkAbsence(found.result === "nxdomain", context)
  const { chain, session, reply } = context
  const signers = set.signatures.map(({ data }) => lower(data.signer))
  const zone = await chain.signerOf(signers, lowestZone(set.owner, set.type)).catch((thrown) => {
    // Without a signature, every name on the way is asked for a delegation. Report the missing signature instead.
    if (signers.length > 0 || !(thrown instanceof Ended) || thrown.code !== "no_proof") throw thrown
    throw new Ended("bogus", "no_signature", `${set.owner} ${set.type}`)
  })
  const labels = await verifySet(set, zone, session)
  if (labels === signedLabels(set.owner)) return
  // Made from a wildcard: there must be no name that is closer (RFC 4035 §5.3.4, RFC 5155 §8.8).
  const { proof, failure } = await readProof(reply.authority, zone, session)
  const nextCloser = suffixOf(set.owner, labels + 1)
  const proven = set.type === "DNAME" ? null : await proof.noCloserName(nextCloser)
  if (proven === "opt out") throw new Ended("insecure", "opt_out", nextCloser)
  if (proven === null) throw failure ?? new Ended("bogus", "no_proof", nextCloser)
}

/** Checks that a name or its type is not there (RFC 4035 §5.4). */
async function checkAbsence(isNameAbsent: boolean, { name, type, reply, chain, session }: StepContext) {
  const { authority } = reply
  const signers = ofType(authority, "RRSIG").map(({ data }) => lower(data.signer))
  const zone = await chain.signerOf(signers, lowestZone(name, type))
  const { proof, failure } = await readProof(authority, zone, session)
  const proven = (isNameAbsent ? await proof.noName(name) : null) ?? (await proof.noData(name, type))
  if (proven === "opt out") throw new Ended("insecure", "opt_out", name)
  if (proven === null) throw failure ?? new Ended("bogus", "no_proof", `${name} ${type}`)
}

/** The lowest zone that records can be in: DS records are in the parent of their zone. */
function lowestZone(owner: string, type: DnsType): string {
  return type === "DS" ? parentOf(owner) : owner
}

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
    return this.#zones.getOrInsertComputed(name, find)
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
    const delegation = await proof.delegation(name)
    if (delegation === "none") return null
    if (delegation === "unsigned") throw new Ended("insecure", "no_delegation_signer", name)
    if (delegation === "opt out") throw new Ended("insecure", "opt_out", name)
    throw failure ?? new Ended("bogus", "no_proof", `${name} DS`)
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
  if (isRoot && !set?.signatures.length)
    // A real root has signed keys, so this says nothing of the name that was asked for.
    unavailable("The DNS server that this service asks does not pass on DNSSEC. Try again later.", "dnssec")
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
