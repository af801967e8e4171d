/** Checks a signature. False also for a key or signature that does not have the form of the algorithm. */
type Verifier = (key: Buffer, signature: Buffer, data: Buffer) => boolean | Promise<boolean>

/** Loaded with the first signature. */
const crypto = () => import("node:crypto")

/**
 * The algorithms that RFC 9904 recommends for validation, by their numbers. RSASHA1 (5, 7) counts as not supported, as RFC 9905
 * §2 asks for.
 */
const algorithms: ReadonlyMap<number, readonly [name: string, check: Verifier]> = new Map([
  [8, ["RSASHA256", rsa("sha256", 512)]],
  [10, ["RSASHA512", rsa("sha512", 1024)]],
  [13, ["ECDSAP256SHA256", ecdsa("P-256", "sha256", 32)]],
  [14, ["ECDSAP384SHA384", ecdsa("P-384", "sha384", 48)]],
  [15, ["ED25519", ed25519]],
  [16, ["ED448", ed448]],
])

/** The name of an algorithm (IANA, "DNS Security Algorithm Numbers"); its number, if it is not supported. */
export function algorithmName(algorithm: number): string {
  return algorithms.get(algorithm)?.[0] ?? String(algorithm)
}

/** Whether signatures of an algorithm are checked. */
export function isSupported(algorithm: number): boolean {
  return algorithms.has(algorithm)
}

/** Checks a signature with the public key of a DNSKEY record. */
export async function isSignedBy(
  { algorithm, publicKey }: { readonly algorithm: number; readonly publicKey: string },
  signature: Buffer,
  data: Buffer,
): Promise<boolean> {
  const [, check] = algorithms.get(algorithm) ?? []
  if (!check) return false
  try {
    return await check(Buffer.from(publicKey, "base64"), signature, data)
  } catch {
    // Not a key: RSA without a modulus, or a point that is not on the curve.
    return false
  }
}

/** RFC 5702, with the exponent and modulus of RFC 3110 §2. */
function rsa(hash: string, leastBits: number): Verifier {
  return async (key, signature, data) => {
    const short = key[0] !== 0
    const length = short ? (key[0] ?? 0) : key.readUInt16BE(1)
    const at = short ? 1 : 3
    const [e, n] = [key.subarray(at, at + length), key.subarray(at + length)]
    const bits = n.length * 8
    if (bits < leastBits || bits > 4096 || e.length > 4) return false
    const jwk = { kty: "RSA", e: e.toString("base64url"), n: n.toString("base64url") }
    const { createPublicKey, verify } = await crypto()
    return verify(hash, data, createPublicKey({ key: jwk, format: "jwk" }), signature)
  }
}

/** RFC 6605 §4. */
function ecdsa(crv: string, hash: string, bytes: number): Verifier {
  return async (key, signature, data) => {
    if (key.length !== 2 * bytes || signature.length !== 2 * bytes) return false
    const [x, y] = [key.subarray(0, bytes), key.subarray(bytes)]
    const jwk = { kty: "EC", crv, x: x.toString("base64url"), y: y.toString("base64url") }
    const { createPublicKey, verify } = await crypto()
    const publicKey = createPublicKey({ key: jwk, format: "jwk" })
    return verify(hash, data, { key: publicKey, dsaEncoding: "ieee-p1363" }, signature)
  }
}

/** RFC 8080 §3. */
async function ed25519(key: Buffer, signature: Buffer, data: Buffer): Promise<boolean> {
  if (key.length !== 32 || signature.length !== 64) return false
  const { createPublicKey, verify } = await crypto()
  const jwk = { kty: "OKP", crv: "Ed25519", x: key.toString("base64url") }
  return verify(null, data, createPublicKey({ key: jwk, format: "jwk" }), signature)
}

/** RFC 8080 §3. The cryptography of Bun lacks Ed448. */
async function ed448(key: Buffer, signature: Buffer, data: Buffer): Promise<boolean> {
  if (key.length !== 57 || signature.length !== 114) return false
  const { ed448 } = await import("@noble/curves/ed448.js")
  return ed448.verify(signature, data, key, { zip215: false })
}
