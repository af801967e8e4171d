import type { Entry } from "./describe.ts"

/** Whether a certificate was signed by the key of another, whose subject is its issuer. */
export async function isSignedBy(entry: Entry, issuer: Entry): Promise<boolean> {
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
export async function isRequestSigned({ holder, certificate }: Entry): Promise<boolean | null> {
  if (certificate !== null || !("verify" in holder)) return null
  return holder.verify().catch(() => null)
}
