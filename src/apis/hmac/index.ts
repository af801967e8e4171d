import { Type } from "@sinclair/typebox"
import { byteEncodings, byteRequirements, toBytes } from "../../values/byte-text.ts"
import { defineApi, reject, secret } from "../contract.ts"
import { field, storedExamples } from "../shared.ts"
import answers from "./answers.json"
import stored from "./examples.json"

export const hmac = defineApi({
  id: "hmac",
  title: "HMAC signature",
  category: "identity",
  keywords: ["sign", "webhook", "hash", "sha256", "digest", "authentication code", "checksum", "verify"],
  description:
    "Signs a message with a secret key (HMAC, RFC 2104). The signature is hexadecimal or base64 text.",
  method: "POST",
  singleValues: ["signature"],
  credits: 1,
  input: Type.Object({
    message: field.text("The message to sign, as UTF-8 text; may be empty."),
    secret: secret(field.text("The secret key, as `secret_encoding` says.", { minLength: 1 })),
    algorithm: field.optional.choice(
      "The hash algorithm.",
      ["sha256", "sha384", "sha512", "sha1", "md5"],
      "sha256",
    ),
    encoding: field.optional.choice("The encoding of the signature.", ["hex", "base64"], "hex"),
    secret_encoding: field.optional.choice(
      "How the secret is written. `text` is its UTF-8.",
      byteEncodings,
      "text",
    ),
    signature: field.optional.text(
      "A signature to compare, in `encoding`; a webhook's `sha256=` before it is ignored. With it, the answer also has `is_equal`.",
      { minLength: 1, maxLength: 200 },
    ),
  }),
  output: Type.Object({
    hmac: field.text("The signature in the requested encoding."),
    algorithm: field.text("The hash algorithm used."),
    encoding: field.text("The encoding used: `hex` or `base64`."),
    is_equal: field.optional.flag("Whether `signature` is this signature. Only with `signature`."),
  }),
  examples: storedExamples(stored, answers),
  run({ message, secret, algorithm = "sha256", encoding = "hex", secret_encoding = "text", signature }) {
    // The hash takes text as its UTF-8 itself, without a copy.
    const key = secret_encoding === "text" ? secret : toBytes(secret, secret_encoding)
    if (key === null || key.length === 0)
      return reject("secret", `${byteRequirements[secret_encoding]}, as 'secret_encoding' says`)
    const answer = { hmac: sign(message, key, algorithm, encoding), algorithm, encoding }
    if (signature === undefined) return answer
    const given = toBytes(signature.replace(`${algorithm}=`, ""), encoding)
    if (given === null) return reject("signature", `${byteRequirements[encoding]}, as 'encoding' says`)
    return isSame(given, Buffer.from(answer.hmac, encoding)).then((is_equal) => ({ ...answer, is_equal }))
  },
})

/** Whether bytes are the same. The time that this takes does not tell how many of them are right. */
async function isSame(given: Uint8Array, own: Uint8Array): Promise<boolean> {
  const { timingSafeEqual } = await import("node:crypto")
  return given.length === own.length && timingSafeEqual(given, own)
}

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
