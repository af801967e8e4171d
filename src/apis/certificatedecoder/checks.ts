import { defineProblems } from "../../values/problems.ts"
import type { Entry } from "./describe.ts"
import { extensionNames } from "./names.ts"
import { integerOf } from "./serial-number.ts"
import { isRequestSigned, isSignedBy } from "./signatures.ts"

export const { problemList, problem } = defineProblems({
  expired: ["error", "the end of its validity is over"],
  not_yet_valid: ["error", "the beginning of its validity is still to come"],
  validity: ["error", "it ends before it begins, or a time cannot be read"],
  weak_key: ["error", "RSA or DSA under 2,048 bits, or an elliptic curve under 224"],
  unknown_key: ["warning", "a kind of key that is not known here"],
  weak_signature: ["error", "signed with MD5 or SHA-1, for which forgeries were found"],
  signature: ["error", "a self-signed certificate or a request that its own key did not sign"],
  serial_number: ["error", "zero, negative or over 20 bytes (RFC 5280 §4.1.2.2)"],
  duplicate_extension: ["error", "an extension occurs twice (RFC 5280 §4.2)"],
  ca: ["error", "its key may sign certificates, but it is no authority (RFC 5280 §4.2.1.9)"],
  unknown_critical: ["warning", "a critical extension is not known here, so that many programs refuse it"],
  no_names: ["warning", "no subjectAltName; programs ignore the common name (RFC 9525 §6.3)"],
  chain_order: ["warning", "a certificate is not followed by the one that signed it"],
})

type Problem = ReturnType<typeof problem>

const leastBits: Readonly<Record<string, number>> = { rsa: 2048, "rsa-pss": 2048, dsa: 2048 }
const weakCurves: readonly (string | null)[] = ["secp112r1", "secp128r1", "secp160r1", "prime192v1"]
const maxSerialBytes = 20

/** What is wrong with the first certificate, or the request, at a time in milliseconds since 1970. */
export async function entryProblems(entry: Entry, now: number): Promise<Problem[]> {
  const { kind, key, signature_algorithm, serial_number, extensions, is_ca, key_usage, names } = entry
  const found: Problem[] = []
  if (kind === "certificate") found.push(...validityProblems(entry, now))
  if (key.algorithm === "unknown")
    found.push(problem("unknown_key", "key", "The kind of key is not known here."))
  if ((key.bits ?? Number.MAX_VALUE) < (leastBits[key.algorithm] ?? 0) || weakCurves.includes(key.curve))
    found.push(problem("weak_key", "key", "The key is too short to be safe."))
  const isSelfSigned = entry.issuer === entry.subject && (await isSignedBy(entry, entry))
  // Nobody checks the signature of a root: it is trusted as it is.
  if (/MD5|SHA-?1$/i.test(signature_algorithm) && !isSelfSigned)
    found.push(
      problem("weak_signature", "signature_algorithm", "The signature uses a hash that can be forged."),
    )
  if (await hasWrongOwnSignature(entry, isSelfSigned))
    found.push(problem("signature", "signature", "Its own key did not make the signature."))
  if (serial_number !== null && !isSerialNumber(integerOf(entry.der)))
    found.push(
      problem("serial_number", "serial_number", "The serial number is not from 1 to 20 bytes and positive."),
    )
  if (new Set(extensions.map(({ oid }) => oid)).size < extensions.length)
    found.push(problem("duplicate_extension", "extensions", "An extension occurs twice."))
  if (key_usage?.includes("keyCertSign") && !is_ca)
    found.push(problem("ca", "basicConstraints", "The key may sign certificates, but it is no authority."))
  if (extensions.some(({ oid, is_critical }) => is_critical && extensionNames[oid] === undefined))
    found.push(problem("unknown_critical", "extensions", "A critical extension is not known here."))
  if (!is_ca && names.length === 0)
    found.push(problem("no_names", "subjectAltName", "There is no name that programs compare with."))
  return found
}

function validityProblems({ not_before, not_after }: Entry, now: number): Problem[] {
  if (not_before === null || not_after === null || Date.parse(not_after) < Date.parse(not_before))
    return [problem("validity", "not_after", "The validity has no length.")]
  if (now > Date.parse(not_after)) return [problem("expired", "not_after", "The certificate has expired.")]
  if (now < Date.parse(not_before))
    return [problem("not_yet_valid", "not_before", "The certificate is not valid yet.")]
  return []
}

async function hasWrongOwnSignature(entry: Entry, isSelfSigned: boolean): Promise<boolean> {
  if (entry.key.algorithm === "unknown") return false
  if (entry.kind === "request") return (await isRequestSigned(entry)) === false
  // Its own key signs a certificate with its subject as issuer, unless an authority has renewed its key (RFC 5280 §3.2).
  const isOwnIssuer = entry.authority_key_id === null || entry.authority_key_id === entry.subject_key_id
  return entry.issuer === entry.subject && isOwnIssuer && !isSelfSigned
}

/** Positive, and at most 20 bytes with the one that shows the sign. */
function isSerialNumber(bytes: Uint8Array): boolean {
  return bytes.length <= maxSerialBytes && (bytes[0] ?? 0) < 0x80 && bytes.some((byte) => byte !== 0)
}

/** For each certificate after the first, whether it signed the one before. */
export async function chainOf([first, ...others]: readonly Entry[]) {
  const chain = []
  let before = first
  for (const entry of others) {
    chain.push({
      subject: entry.subject,
      issuer: entry.issuer,
      not_before: entry.not_before,
      not_after: entry.not_after,
      sha256: entry.fingerprints.sha256,
      signed_the_one_before: before !== undefined && (await isSignedBy(before, entry)),
    })
    before = entry
  }
  return chain
}
