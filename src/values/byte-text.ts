/** How a text stands for bytes. */
export const byteEncodings = ["text", "hex", "base64"] as const
export type ByteEncoding = (typeof byteEncodings)[number]

/** Continues the sentence "The 'x' parameter", for a text that {@link toBytes} cannot read. */
export const byteRequirements: Readonly<Record<ByteEncoding, string>> = {
  text: "must be text",
  hex: "must have pairs of hexadecimal digits, such as 0a1b2c",
  base64: "must be base64 (RFC 4648 §4 or §5), such as aGVsbG8=",
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** The text of bytes in UTF-8, with a byte order mark if there is one; null for other bytes. */
export function fromUtf8(bytes: Uint8Array): string | null {
  try {
    return utf8.decode(bytes)
  } catch {
    return null
  }
}

/**
 * The bytes that a text stands for; null if it is not in the encoding. `text` is UTF-8. Around the others, blanks are ignored.
 * Base64 has either alphabet, with or without padding.
 */
export function toBytes(text: string, encoding: ByteEncoding): Uint8Array | null {
  if (encoding === "text") return Buffer.from(text)
  const digits = text.trim()
  if (encoding === "hex")
    return digits.length % 2 === 0 && /^[\da-f]*$/i.test(digits) ? Buffer.from(digits, "hex") : null
  const plain = digits.replace(/={1,2}$/, "")
  // One digit too many stands for no byte.
  return /^[\w+/-]*$/.test(plain) && plain.length % 4 !== 1 ? Buffer.from(plain, "base64") : null
}
