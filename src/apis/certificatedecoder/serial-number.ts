/**
 * The bytes of the serial number of a certificate in DER, with the one that shows the sign; @peculiar/x509 leaves it out. The
 * certificate must have been read before, so that its outer parts are known to be right (RFC 5280 §4.1).
 */
export function integerOf(der: Uint8Array): Uint8Array {
  const certificate = contentAt(der, 0)
  const signed = contentAt(der, certificate.start)
  // [0] is the version, which certificates of version 1 leave out.
  const version = der[signed.start] === 0xa0 ? contentAt(der, signed.start).end : signed.start
  const { start, end } = contentAt(der, version)
  return der.subarray(start, end)
}

/** Where the content of an element begins and ends (X.690 §8.1.3). */
function contentAt(der: Uint8Array, at: number) {
  const first = der[at + 1] ?? 0
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f
  const start = at + 2 + lengthBytes
  const length = der.subarray(at + 2, start).reduce((sum, byte) => sum * 256 + byte, 0)
  return { start, end: start + (lengthBytes === 0 ? first : length) }
}
