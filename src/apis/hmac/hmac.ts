export type HashAlgorithm = "sha256" | "sha384" | "sha512" | "sha1" | "md5"

/** HMAC (RFC 2104) of UTF-8 text under a UTF-8 secret. Base64 is the standard alphabet, padded (RFC 4648 §4). */
export function hmac(
  message: string,
  secret: string,
  algorithm: HashAlgorithm,
  encoding: "hex" | "base64",
): string {
  return new Bun.CryptoHasher(algorithm, secret).update(message).digest(encoding)
}
