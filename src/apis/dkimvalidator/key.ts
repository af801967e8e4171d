/** What a public key of a record is. */
export interface PublicKey {
  readonly bits: number
  /** Whether it is in the form that verifiers expect, SubjectPublicKeyInfo, or RSAPublicKey alone (RFC 6376 §3.6.1). */
  readonly form: "spki" | "pkcs1" | "raw"
  /** SHA-256 of the key as it is in the record, in hexadecimal. */
  readonly fingerprint: string
}

/** A key of 16,384 bits has 2,800 characters. */
const maxLength = 4_096

/** Reads the value of `p`; null if it is no key of that type. */
export async function readKey(type: "rsa" | "ed25519", base64: string): Promise<PublicKey | null> {
  if (
    base64.length > maxLength ||
    !/^(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{2}==|[A-Za-z\d+/]{3}=)?$/.test(base64)
  )
    return null
  const { createHash, createPublicKey } = await import("node:crypto")
  const key = Buffer.from(base64, "base64")
  const fingerprint = createHash("sha256").update(key).digest("hex")
  // The 32 bytes of the key, without a frame (RFC 8463 §4).
  if (type === "ed25519") return key.length === 32 ? { bits: 256, form: "raw", fingerprint } : null
  for (const form of ["spki", "pkcs1"] as const) {
    try {
      const { asymmetricKeyType, asymmetricKeyDetails } = createPublicKey({ key, format: "der", type: form })
      const bits = asymmetricKeyDetails?.modulusLength
      if (asymmetricKeyType === "rsa" && bits !== undefined) return { bits, form, fingerprint }
    } catch {
      // It is not in that form.
    }
  }
  return null
}
