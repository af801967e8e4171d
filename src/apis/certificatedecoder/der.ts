import type { Block } from "./blocks.ts"

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

/** Writes an element of up to 16 MiB. */
export function toElement(tag: number, ...contents: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const content = Buffer.concat(contents)
  const size = content.length
  const length = size < 0x80 ? [size] : [0x83, size >> 16, (size >> 8) & 0xff, size & 0xff]
  return Uint8Array.from([tag, ...length, ...content])
}

/** The elements inside the first element. */
function inside(der: Uint8Array<ArrayBuffer> | undefined): Element[] {
  return elementsOf(elementsOf(der ?? noBytes)[0]?.content ?? noBytes)
}

const noBytes = new Uint8Array()
/** The context-specific tags [0] and [3]. */
const tags = { sequence: 0x30, zero: 0xa0, three: 0xa3 }
/** From 1950 to 2049, in the form of RFC 5280. */
const anyValidity = toElement(
  tags.sequence,
  ...["500101000000Z", "491231235959Z"].map((time) => toElement(0x17, Buffer.from(time))),
)
/** The attribute extensionRequest, 1.2.840.113549.1.9.14 (RFC 2985 §5.4.2). */
const extensionRequest = "06092a864886f70d01090e"

/**
 * The parts of a certificate (RFC 5280 §4.1) or a request (RFC 2986 §4.1) whose exact bytes matter: the public key, the number
 * of the certificate with its byte for the sign, its times, and each extension. `rest` is the certificate with any validity and
 * without extensions, so that none of these keeps a library from reading the rest.
 * @throws RangeError if it is not DER
 */
export function partsOf({ kind, der }: Block) {
  const [signed, ...signature] = inside(der)
  const fields = inside(signed?.whole)
  if (kind === "request") {
    const attributes = elementsOf(fields.find(({ tag }) => tag === tags.zero)?.content ?? noBytes)
    const isRequest = ({ content }: Element) =>
      Buffer.from(content).toString("hex").startsWith(extensionRequest)
    const values = elementsOf(attributes.find(isRequest)?.content ?? noBytes)[1]
    return {
      rest: der,
      key: fields[2]?.whole ?? noBytes,
      serial: null,
      times: [],
      extensions: inside(values?.content),
    }
  }
  // [0] is the version, which certificates of version 1 leave out.
  const [serial, , , validity, , key] = fields.filter(({ tag }) => tag !== tags.zero)
  const rest = fields.flatMap((one) =>
    one === validity ? [anyValidity] : one.tag === tags.three ? [] : [one.whole],
  )
  return {
    rest: toElement(tags.sequence, toElement(tags.sequence, ...rest), ...signature.map(({ whole }) => whole)),
    key: key?.whole ?? noBytes,
    serial: serial?.content ?? null,
    times: elementsOf(validity?.content ?? noBytes),
    extensions: inside(fields.find(({ tag }) => tag === tags.three)?.content),
  }
}
