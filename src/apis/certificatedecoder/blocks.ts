import { reject } from "../contract.ts"

/** A certificate or a request for one, in DER. */
export interface Block {
  readonly kind: "certificate" | "request"
  readonly der: Uint8Array<ArrayBuffer>
}

/** Real chains have four or five. Each takes up to a millisecond to read. */
const maxBlocks = 10
const kinds: Readonly<Record<string, Block["kind"]>> = {
  CERTIFICATE: "certificate",
  "X509 CERTIFICATE": "certificate",
  "CERTIFICATE REQUEST": "request",
  "NEW CERTIFICATE REQUEST": "request",
}
const requirement = "must be a certificate or a request in PEM (RFC 7468), or DER in base64"

/**
 * Reads PEM (RFC 7468), with other text between its blocks, or the base64 of one certificate.
 * @throws InputRejected for `certificate`
 */
export function readBlocks(text: string): readonly [Block, ...Block[]] {
  if (/-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----/.test(text))
    reject(
      "certificate",
      "must not have a private key. It has been sent to a service, so replace it with a new one",
    )
  const found = [...text.matchAll(/-----BEGIN ([A-Z0-9 ]{1,40})-----([^-]*)-----END \1-----/g)]
  if (found.length === 0) return [{ kind: "certificate", der: decode(text) }]
  const blocks = found.flatMap(([, label = "", body = ""]) => {
    const kind = kinds[label]
    return kind === undefined ? [] : [{ kind, der: decode(body) }]
  })
  const [first, ...others] = blocks
  if (first === undefined) return reject("certificate", requirement)
  if (blocks.length > maxBlocks) reject("certificate", `must have at most ${maxBlocks} certificates`)
  return [first, ...others]
}

function decode(text: string): Uint8Array<ArrayBuffer> {
  const digits = text.replace(/\s/g, "")
  if (digits === "" || !/^[A-Za-z0-9+/]+={0,2}$/.test(digits)) reject("certificate", requirement)
  return Uint8Array.from(Buffer.from(digits, "base64"))
}
