/** The hash algorithms that can sign. */
export type HashAlgorithm = "sha256" | "sha384" | "sha512" | "sha1" | "md5"

/** The HMAC (RFC 2104) of a message with a secret. Text is signed as UTF-8. Base64 is standard and padded (RFC 4648 §4). */
export function sign(
  message: string | Uint8Array,
  secret: string | Uint8Array,
  algorithm: HashAlgorithm,
  encoding: "hex" | "base64",
): string {
  return new Bun.CryptoHasher(algorithm, secret).update(message).digest(encoding)
}
