import { type Element, elementsOf } from "../../values/der.ts"
import type { Block } from "./blocks.ts"

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
