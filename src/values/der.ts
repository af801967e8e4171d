/** An element of DER (X.690 §8.1). */
export interface Element {
  readonly tag: number
  readonly content: Uint8Array<ArrayBuffer>
  /** Tag, length and content. */
  readonly whole: Uint8Array<ArrayBuffer>
}

/**
 * Reads elements that follow one another, with tags of one byte, which certificates have.
 * @throws RangeError if they do not fill the bytes exactly
 */
export function elementsOf(der: Uint8Array<ArrayBuffer>): Element[] {
  const elements: Element[] = []
  for (let at = 0; at < der.length; ) {
    const first = der[at + 1] ?? 0x80
    const lengthBytes = first < 0x80 ? 0 : first & 0x7f
    const start = at + 2 + lengthBytes
    const long = der.subarray(at + 2, start).reduce((sum, byte) => sum * 256 + byte, 0)
    const end = start + (lengthBytes === 0 ? first : long)
    // DER has no length of its own kind for "until the end" (X.690 §10.1).
    if (first === 0x80 || end > der.length) throw new RangeError("an element is longer than its place")
    elements.push({ tag: der[at] ?? 0, content: der.subarray(start, end), whole: der.subarray(at, end) })
    at = end
  }
  return elements
}
