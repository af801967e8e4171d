const sequence = 0x30
const bitString = 0x03

/** Whether the bytes are exactly one X.509 certificate, judged by its outer structure (RFC 5280 §4.1). */
export function isCertificate(bytes: Uint8Array): boolean {
  return isSequenceOf(bytes, [sequence, sequence, bitString])
}

/** Whether the bytes are exactly one SubjectPublicKeyInfo, judged by its outer structure (RFC 5280 §4.1). */
export function isSubjectPublicKeyInfo(bytes: Uint8Array): boolean {
  return isSequenceOf(bytes, [sequence, bitString])
}

function isSequenceOf(bytes: Uint8Array, memberTags: readonly number[]): boolean {
  const outer = readElement(bytes, 0, bytes.length)
  if (outer?.tag !== sequence || outer.end !== bytes.length) return false
  let at = outer.contentStart
  for (const tag of memberTags) {
    const member = readElement(bytes, at, outer.end)
    if (member?.tag !== tag || member.end === member.contentStart) return false
    at = member.end
  }
  return at === outer.end
}

type Element = { readonly tag: number; readonly contentStart: number; readonly end: number }

/** Reads a DER element with a one-byte tag; null unless its length is definite, minimal and within `limit` (X.690 §10.1). */
function readElement(bytes: Uint8Array, at: number, limit: number): Element | null {
  const tag = bytes[at]
  const first = bytes[at + 1]
  if (tag === undefined || first === undefined) return null
  const extra = first < 0x80 ? 0 : first & 0x7f
  // A length in more than three bytes is over 16 MiB, far more than a DNS record holds.
  if (first === 0x80 || extra > 3) return null
  const contentStart = at + 2 + extra
  let length = extra === 0 ? first : 0
  for (const byte of bytes.subarray(at + 2, contentStart)) length = length * 256 + byte
  if (extra > 0 && (length < 0x80 || length < 256 ** (extra - 1))) return null
  const end = contentStart + length
  return end > limit ? null : { tag, contentStart, end }
}
