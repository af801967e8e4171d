import { createHash } from "node:crypto"
import { gunzipSync } from "node:zlib"
import { type Element, elementsOf } from "../../values/der.ts"

/** The digests that certificates of marks use. */
const digests: Readonly<Record<string, string>> = {
  "2b0e03021a": "sha1",
  "608648016503040201": "sha256",
  "608648016503040202": "sha384",
  "608648016503040203": "sha512",
}
/** `id-pe-logotype` (RFC 9399 §4.1): 1.3.6.1.5.5.7.1.12. */
const logotypeId = Buffer.from("06082b0601050507010c", "hex")
const dataUrl = /^data:image\/svg\+xml(?:;[^,;]*)*;base64,/i
const maxLogoBytes = 65_536

/**
 * Reads the logo of a certificate's logotype extension, a `data:` URL with an SVG in gzip (draft-fetch-validation-vmc-wchuang).
 * @param der of a certificate whose issuer is trusted
 * @returns the logo, decompressed; null when its certificate names another digest
 * @throws Error when there is none, or it cannot be read
 */
export function readLogotype(der: Uint8Array): Uint8Array | null {
  const certificate = Buffer.from(der)
  const at = certificate.indexOf(logotypeId)
  if (at < 0) throw new Error("the certificate has no logotype")
  // The value of the extension stands behind its identifier, and holds one sequence.
  const [first, second] = elementsOf(new Uint8Array(certificate.subarray(at + logotypeId.length)))
  const value = first?.tag === boolean ? second : first
  if (value?.tag !== octetString) throw new Error("the logotype has no value")
  let digest = ""
  let hash: Buffer | null = null
  for (const { tag, content } of primitivesIn(value.content, 0)) {
    const body = Buffer.from(content)
    const text = tag === ia5String ? body.toString("latin1") : ""
    if (tag === objectId) digest = digests[body.toString("hex")] ?? ""
    else if (tag === octetString) hash = body
    else if (dataUrl.test(text)) {
      const packed = Buffer.from(text.replace(dataUrl, ""), "base64")
      const logo = gunzipSync(packed, { maxOutputLength: maxLogoBytes })
      const fits = digest !== "" && hash !== null && createHash(digest).update(logo).digest().equals(hash)
      return fits ? new Uint8Array(logo) : null
    }
  }
  throw new Error("the logotype has no logo")
}

/** Whether the extension is critical. */
const boolean = 0x01
const octetString = 0x04
const objectId = 0x06
const ia5String = 0x16
const maxDepth = 20

/** The elements without parts, in their order. */
function* primitivesIn(bytes: Uint8Array<ArrayBuffer>, depth: number): Generator<Element> {
  if (depth > maxDepth) throw new Error("the logotype is nested too deep")
  for (const element of elementsOf(bytes)) {
    if ((element.tag & 0x20) === 0) yield element
    else yield* primitivesIn(element.content, depth + 1)
  }
}
