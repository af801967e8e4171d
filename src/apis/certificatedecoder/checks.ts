import { defineProblems } from "../../values/problems.ts"
import type { Entry } from "./describe.ts"
import { extensionNames } from "./names.ts"

export const { problemList, problem, newProblems } = defineProblems({
  expired: "error: its validity has ended",
  not_yet_valid: "error: its validity has not begun",
  validity: "error: it ends before it begins",
  time_form:
    "error: a time in a form that RFC 5280 §4.1.2.5 forbids; it is null if it could be several moments or none",
  weak_key: "error: RSA or DSA under 2,048 bits, or an elliptic curve under 224",
  unknown_key: "warning: a kind of key that this API does not know",
  weak_signature: "error: signed with MD5 or SHA-1, whose signatures can be forged",
  signature: "error: it claims to be signed with its own key, and is not",
  serial_number: "error: the serial number is negative or over 20 bytes (RFC 5280 §4.1.2.2)",
  zero_serial_number:
    "warning: the serial number is zero, which RFC 5280 §4.1.2.2 forbids and some trusted roots have",
  extension: "error: an extension cannot be read, or breaks a rule of RFC 5280 §4.2.1",
  duplicate_extension: "error: an extension occurs twice (RFC 5280 §4.2)",
  ca: "error: its key may sign certificates, but it is not an authority (RFC 5280 §4.2.1.9)",
  unknown_critical:
    "warning: a critical extension that this API does not know; many programs refuse such a certificate",
  no_names: "warning: no subjectAltName; programs ignore the common name (RFC 9525 §6.3)",
  host: "error: no name in subjectAltName fits `host` (RFC 9525 §6)",
  chain_order: "warning: a certificate is not followed by the one that signed it",
  chain_time: "warning: a certificate after the first has expired, or is not valid yet",
  chain_ca:
    "error: a certificate signed the one before it and may not: it is no authority, or may not have that many below it (RFC 5280 §4.2.1.3 and 4.2.1.9)",
})

type Problem = ReturnType<typeof problem>

const leastBits: Readonly<Record<string, number>> = { rsa: 2048, "rsa-pss": 2048, dsa: 2048 }
const weakCurves: readonly (string | null)[] = ["secp112r1", "secp128r1", "secp160r1", "prime192v1"]
const maxSerialBytes = 20

/**
 * The problems of the first certificate, or of the request.
 * @param now in milliseconds since 1970
 */
export async function entryProblems(entry: Entry, now: number): Promise<Problem[]> {
  const { kind, key, signature_algorithm, serial, extensions, is_ca, key_usage, names } = entry
  const [found, add] = newProblems()
  if (kind === "certificate") found.push(...validityProblems(entry, now))
  if (key.algorithm === "unknown") add("unknown_key", "key", "This API does not know the kind of key.")
  if ((key.bits ?? Number.MAX_VALUE) < (leastBits[key.algorithm] ?? 0) || weakCurves.includes(key.curve))
    add("weak_key", "key", "The key is too short to be safe.")
  const isSelfSigned = entry.issuer === entry.subject && (await isSignedBy(entry, entry))
  // Nobody checks the signature of a root: it is trusted as it is.
  if (/MD5|SHA-?1$/i.test(signature_algorithm) && !isSelfSigned)
    add("weak_signature", "signature_algorithm", "The signature uses a hash that can be forged.")
  if (await hasWrongOwnSignature(entry, isSelfSigned))
    add("signature", "signature", "The signature was not made with its own key.")
  if (serial?.every((byte) => byte === 0))
    add("zero_serial_number", "serial_number", "The serial number is zero.")
  else if (serial !== null && (serial.length > maxSerialBytes || (serial[0] ?? 0) >= 0x80))
    add("serial_number", "serial_number", "The serial number must be positive and have 1 to 20 bytes.")
  for (const { oid, mistake } of entry.mistakes)
    add(
      "extension",
      oid,
      `The extension ${extensionNames[oid] ?? ""} (${oid}) ${mistake}.`.replace("  ", " "),
    )
  if (new Set(extensions.map(({ oid }) => oid)).size < extensions.length)
    add("duplicate_extension", "extensions", "An extension occurs twice.")
  if (key_usage?.includes("keyCertSign") && !is_ca)
    add("ca", "basicConstraints", "The key may sign certificates, but it is not an authority.")
  if (extensions.some(({ oid, is_critical }) => is_critical && extensionNames[oid] === undefined))
    add("unknown_critical", "extensions", "This API does not know a critical extension.")
  if (!is_ca && names.length === 0)
    add("no_names", "subjectAltName", "There is no subjectAltName for programs to compare with.")
  return found
}

function validityProblems({ valid_from, valid_until, times }: Entry, now: number): Problem[] {
  const [found, add] = newProblems()
  for (const [where, time] of Object.entries(times))
    if (time === undefined || time.mistake !== null)
      add("time_form", where, `The time of '${where}' ${time?.mistake ?? "is missing"}.`)
  // Comparisons with NaN are false.
  const [begin, end] = [Date.parse(valid_from ?? ""), Date.parse(valid_until ?? "")]
  if (end < begin) add("validity", "valid_until", "The validity ends before it begins.")
  else if (now > end) add("expired", "valid_until", "The certificate has expired.")
  else if (now < begin) add("not_yet_valid", "valid_from", "The certificate is not valid yet.")
  return found
}

async function hasWrongOwnSignature(entry: Entry, isSelfSigned: boolean): Promise<boolean> {
  if (entry.key.algorithm === "unknown") return false
  if (entry.kind === "request") return (await isRequestSigned(entry)) === false
  // If subject and issuer are the same, it is self-signed, unless an authority has renewed its key (RFC 5280 §3.2).
  const isOwnIssuer = entry.authority_key_id === null || entry.authority_key_id === entry.subject_key_id
  return entry.issuer === entry.subject && isOwnIssuer && !isSelfSigned
}

/** For each certificate after the first, whether it signed the one before. */
export async function chainOf([first, ...others]: readonly Entry[]) {
  const chain = []
  let before = first
  for (const entry of others) {
    chain.push({
      subject: entry.subject,
      issuer: entry.issuer,
      valid_from: entry.valid_from,
      valid_until: entry.valid_until,
      sha256: entry.fingerprints.sha256,
      is_issuer_of_previous: before !== undefined && (await isSignedBy(before, entry)),
    })
    before = entry
  }
  return chain
}

/** The problems of the certificates after the first, at `now` in milliseconds since 1970. */
export function chainProblems(
  [, ...entries]: readonly Entry[],
  chain: readonly { readonly is_issuer_of_previous: boolean }[],
  now: number,
): Problem[] {
  const [found, add] = newProblems()
  if (chain.some((one) => !one.is_issuer_of_previous))
    add("chain_order", "chain", "A certificate is not followed by the one that signed it.")
  for (const [index, entry] of entries.entries()) {
    const [misfit] = validityProblems(entry, now).filter(({ code }) => code !== "time_form")
    if (entry.kind === "certificate" && misfit) add("chain_time", `chain[${index}]`, misfit.message)
    if (chain[index]?.is_issuer_of_previous && !maySign(entry, entries.slice(0, index)))
      add("chain_ca", `chain[${index}]`, "The certificate signed the one before it, which it may not.")
  }
  return found
}

/** Whether a certificate may sign those of others, with the authorities below it. A root of version 1 has no constraints. */
function maySign({ subject, issuer, is_ca, extensions, key_usage, path_length }: Entry, below: Entry[]) {
  const isOldRoot = subject === issuer && !extensions.some(({ oid }) => oid === "2.5.29.19")
  const authorities = below.filter((one) => one.subject !== one.issuer).length
  return (
    (is_ca || isOldRoot) &&
    (key_usage?.includes("keyCertSign") ?? true) &&
    authorities <= (path_length ?? Number.POSITIVE_INFINITY)
  )
}

/** Whether a certificate was signed by the key of another, whose subject is its issuer. */
async function isSignedBy(entry: Entry, issuer: Entry): Promise<boolean> {
  if (entry.issuer !== issuer.subject || issuer.certificate === null) return false
  const { X509Certificate } = await import("node:crypto")
  try {
    return new X509Certificate(entry.der).verify(new X509Certificate(issuer.der).publicKey)
  } catch {
    // A key or an algorithm that the runtime does not know.
    return false
  }
}

/** Whether a request is signed by its own key; null for an algorithm that the runtime does not know. */
async function isRequestSigned({ holder, certificate }: Entry): Promise<boolean | null> {
  if (certificate !== null || !("verify" in holder)) return null
  return holder.verify().catch(() => null)
}
