/** Type and size of a record's public key. */
export interface PublicKey {
  readonly bits: number
  /** Whether it is in the form that verifiers expect, SubjectPublicKeyInfo, or RSAPublicKey alone (RFC 6376 §3.6.1). */
  readonly form: "spki" | "pkcs1" | "raw"
  /** SHA-256 of the key as it is in the record, in hexadecimal. */
  readonly sha256: string
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
  // `createPublicKey` would take the public half of it.
  if (isPrivateKey(key)) return null
  const sha256 = createHash("sha256").update(key).digest("hex")
  // The 32 bytes of the key, without a frame (RFC 8463 §4).
  if (type === "ed25519") return key.length === 32 ? { bits: 256, form: "raw", sha256 } : null
  for (const form of ["spki", "pkcs1"] as const) {
    try {
      const { asymmetricKeyType, asymmetricKeyDetails } = createPublicKey({ key, format: "der", type: form })
      const bits = asymmetricKeyDetails?.modulusLength
      if (asymmetricKeyType === "rsa" && bits !== undefined) return { bits, form, sha256 }
    } catch {
      // It is not in that form.
    }
  }
  return null
}

/** Where the content of a structure in DER starts: its length is one byte, or as many as the byte tells. */
export function contentStart(key: Uint8Array): number {
  const [, first = 0] = key
  return first < 128 ? 2 : 2 + Math.min(first - 128, 4)
}

/** Private keys begin with a version, 0 (RFC 5208, RFC 8017 appendix A.1.2), where public ones have something else. */
export function isPrivateKey(key: Uint8Array): boolean {
  const start = contentStart(key)
  return key[0] === 0x30 && key[start] === 2 && key[start + 1] === 1 && key[start + 2] === 0
}
