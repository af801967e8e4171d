import type { JWK } from "jose"
import { type GivenKeys, isFor, isUnderstood, publicPart, type Token } from "./token.ts"

export const reasons = [
  "signature_fits",
  "signature_differs",
  "no_key_fits",
  "algorithm_not_supported",
  "unsecured",
  "critical",
  "encrypted",
] as const

/** The algorithms that jose 6 can check in this runtime. */
export const supportedAlgorithms: readonly string[] = [
  ...["HS256", "HS384", "HS512", "RS256", "RS384", "RS512", "PS256", "PS384", "PS512"],
  ...["ES256", "ES384", "ES512", "EdDSA", "Ed25519"],
]

/**
 * Checks the signature with the given keys. Keys that the token contains or refers to are not used.
 * @returns `key_id` is the `kid` of the key that fits, null if it has none or none fits; `is_weak_key` tells whether the shared
 * secret is shorter than its hash (RFC 7518 §3.2)
 */
export async function verify({ parts, signedPayload, kind, header }: Token, { keys, isSet }: GivenKeys) {
  const algorithm = typeof header.alg === "string" ? header.alg : null
  const failed = (reason: (typeof reasons)[number]) =>
    ({ is_verified: false, reason, algorithm, key_id: null, is_weak_key: false }) as const
  if (kind === "jwe") return failed("encrypted")
  if (algorithm?.toLowerCase() === "none") return failed("unsecured")
  if (!isUnderstood(header)) return failed("critical")
  if (algorithm === null || !supportedAlgorithms.includes(algorithm)) return failed("algorithm_not_supported")
  const { flattenedVerify } = await import("jose")
  const [encodedHeader = "", , signature = ""] = parts
  const signed = { protected: encodedHeader, payload: signedPayload, signature }
  let reason: (typeof reasons)[number] = "no_key_fits"
  for (const key of keys.filter((one) => isFor(one, algorithm, isSet ? header.kid : undefined))) {
    const imported = await read(publicPart(key), algorithm).catch(() => null)
    if (imported === null) continue
    const fits = await flattenedVerify(signed, imported, { algorithms: [algorithm] }).then(
      () => true,
      // jose throws for a signature that differs, and for a key that is too short.
      (error: unknown) => (isSignatureError(error) ? false : null),
    )
    if (fits === false) reason = "signature_differs"
    if (!fits) continue
    const key_id = typeof key.kid === "string" ? key.kid : null
    return {
      ...{ is_verified: true, reason: "signature_fits" as const, algorithm, key_id },
      is_weak_key: isWeak(key, algorithm),
    }
  }
  return failed(reason)
}

/**
 * Reads a key.
 * @throws Error if the runtime cannot read it
 */
async function read(key: JWK, algorithm: string) {
  const { createPublicKey } = await import("node:crypto")
  const { importJWK } = await import("jose")
  // Web Crypto of Bun 1.4.5 leaves the error of a point that is not on its curve behind, and the next HMAC of any caller throws
  // it.
  if (key.kty === "EC") createPublicKey({ key, format: "jwk" })
  return importJWK(key, algorithm)
}

function isSignatureError(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_JWS_SIGNATURE_VERIFICATION_FAILED"
}

function isWeak({ kty, k = "" }: JWK, algorithm: string): boolean {
  return kty === "oct" && Buffer.from(k, "base64url").length * 8 < Number(algorithm.slice(2))
}
