/** The certificate that a server shows. */
export interface ServerCertificate {
  readonly subject: string
  readonly issuer: string
  /** DNS names, as the certificate has them. */
  readonly names: readonly string[]
  /** RFC 3339, in UTC with milliseconds. */
  readonly valid_from: string
  readonly valid_until: string
  /** Whole days from now on; negative after the end. */
  readonly days_left: number
  /** Hexadecimal. */
  readonly sha256: string
}

const dayMs = 86_400_000

/** Reads the first of some certificates, DER in base64. Null without one, and for one that cannot be read. */
export async function readServerCertificate(
  [first]: readonly string[],
  nowMs: number,
): Promise<ServerCertificate | null> {
  if (first === undefined) return null
  const { X509Certificate } = await import("node:crypto")
  try {
    const read = new X509Certificate(Buffer.from(first, "base64"))
    const endMs = Date.parse(read.validTo)
    return {
      subject: onOneLine(read.subject),
      issuer: onOneLine(read.issuer),
      names: namesIn(read.subjectAltName ?? ""),
      valid_from: new Date(read.validFrom).toISOString(),
      valid_until: new Date(endMs).toISOString(),
      days_left: Math.floor((endMs - nowMs) / dayMs),
      sha256: read.fingerprint256.replaceAll(":", "").toLowerCase(),
    }
  } catch {
    // A stranger's server may show anything.
    return null
  }
}

/** The parts of a name stand on lines of their own. */
function onOneLine(name: string | undefined): string {
  return (name ?? "").trim().split("\n").join(", ")
}

function namesIn(alternatives: string): readonly string[] {
  return alternatives.split(", ").flatMap((one) => (one.startsWith("DNS:") ? [one.slice("DNS:".length)] : []))
}
