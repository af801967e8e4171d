export type HashAlgorithm = "sha256" | "sha384" | "sha512" | "sha1" | "md5"

/**
 * HMAC (RFC 2104) of a message under a secret; text is taken as UTF-8. Base64 is the standard alphabet, padded
 * (RFC 4648 §4).
 */
export function sign(
  message: string | Uint8Array,
  secret: string | Uint8Array,
  algorithm: HashAlgorithm,
  encoding: "hex" | "base64",
): string {
  return new Bun.CryptoHasher(algorithm, secret).update(message).digest(encoding)
}
