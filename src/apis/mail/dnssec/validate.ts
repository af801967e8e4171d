import type { DnsRecord, DnsType } from "../../contract.ts"
import type { Chain } from "./chain.ts"
import { readProof } from "./denial.ts"
import { Ended } from "./ended.ts"
import { labelsOf, lower, nameOf, parentOf, suffixOf } from "./names.ts"
import { findSet, limits, ofType, type RecordSet, type Reply, type Session, signedLabels } from "./session.ts"
import { verifySet } from "./verify-set.ts"

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
