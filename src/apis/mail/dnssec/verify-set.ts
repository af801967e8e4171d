import { isSignedBy, isSupported } from "./algorithms.ts"
import { Ended, type ReasonCode } from "./ended.ts"
import { lower } from "./names.ts"
import {
  type CheckedSignature,
  type Key,
  limits,
  type RecordSet,
  type Session,
  type Signature,
  signedData,
  signedLabels,
  tagOf,
} from "./session.ts"

/** A zone whose keys can be trusted. */
export interface TrustedZone {
  readonly name: string
  /** Its zone keys, those that match a DS record first. */
  readonly keys: readonly Key[]
  /** Where the signatures of its data are noted. */
  readonly signatures: CheckedSignature[]
}

/** The faults of signatures, the one nearest to a valid signature last. */
const order: readonly ReasonCode[] = [
  "no_signature",
  "wrong_signer",
  "wrong_labels",
  "signature_not_yet_valid",
  "signature_expired",
  "unknown_key",
  "invalid_signature",
]

/**
 * Checks the records of a name and type by one of their signatures (RFC 4035 §5.3), and returns the labels that the signature
 * counts: fewer than the name has, if the records were made from a wildcard.
 * @throws Ended when none is right
 */
export async function verifySet(set: RecordSet, zone: TrustedZone, session: Session): Promise<number> {
  let worst = 0
  const note = (code: ReasonCode) => {
    worst = Math.max(worst, order.indexOf(code))
  }
  for (const signature of set.signatures) {
    const mistake = mistakeOf(signature, set, zone, session)
    if (mistake !== null) {
      note(mistake)
      continue
    }
    const keys = keysFor(signature, zone)
    note(keys.length === 0 ? "unknown_key" : "invalid_signature")
    for (const key of keys) {
      await session.beforeVerification(set.owner)
      const bytes = Buffer.from(signature.data.signature, "base64")
      if (!(await isSignedBy(key.data, bytes, signedData(set, signature)))) continue
      zone.signatures.push({ owner: set.owner, signature: signature.data })
      return signature.data.labels
    }
  }
  throw new Ended("bogus", order[worst] ?? "no_signature", `${set.owner || "."} ${set.type}`)
}

/** The fault of a signature that shows before its key is looked at (RFC 4035 §5.3.1); null if there is none. */
function mistakeOf({ data }: Signature, { owner }: RecordSet, zone: TrustedZone, { now }: Session) {
  if (lower(data.signer) !== zone.name) return "wrong_signer"
  if (data.labels > signedLabels(owner)) return "wrong_labels"
  if (isAfter(data.inception, now)) return "signature_not_yet_valid"
  if (isAfter(now, data.expiration)) return "signature_expired"
  return null
}

function keysFor({ data }: Signature, zone: TrustedZone): readonly Key[] {
  if (!isSupported(data.algorithm)) return []
  return zone.keys
    .filter((key) => key.data.algorithm === data.algorithm && tagOf(key) === data.keyTag)
    .slice(0, limits.keysPerTag)
}

/** Whether a time is after another one, both modulo 2³² (RFC 4034 §3.1.5, RFC 1982). */
function isAfter(one: number, other: number): boolean {
  return ((one - other) | 0) > 0
}
