import type { WorstInputs } from "../support/worst-inputs.ts"

/** An element of DER with its length in as few bytes as it takes (X.690 §10.1). */
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  const size = body.length
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 255]
  return Buffer.concat([Buffer.from([tag, ...length]), body])
}
const hex = (text: string) => Buffer.from(text, "hex")
const ecdsaWithSha256 = hex("300a06082a8648ce3d040302")
const noName = hex("3000")
const validity = der(0x30, der(0x17, Buffer.from("260101000000Z")), der(0x17, Buffer.from("270101000000Z")))
/** The public key of RFC 8410 §10.1. */
const key = hex("302a300506032b657003210019bf44096984cdfe8541bac167dc3b96c85086aa30b6b6cb0c5c38ad703166e1")

/** A certificate with these extensions, and a signature of nothing. */
function certificate(...extensions: readonly Buffer[]): string {
  const signed = der(
    0x30,
    ...[hex("a003020102"), hex("020101"), ecdsaWithSha256, noName, validity, noName, key],
    der(0xa3, der(0x30, ...extensions)),
  )
  return der(0x30, signed, ecdsaWithSha256, hex("030100")).toString("base64")
}

const names = (count: number) =>
  der(0x30, hex("0603551d11"), der(0x04, der(0x30, ...Array<Buffer>(count).fill(hex("820161")))))
const pem = (base64: string) => `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`

/** The slowest inputs, the deepest nesting, and the most certificates. */
export const worst: WorstInputs = {
  "15,000 names": { certificate: certificate(names(15_000)) },
  "ten certificates with 1,500 names each": { certificate: pem(certificate(names(1_500))).repeat(10) },
  "4,000 extensions": {
    certificate: certificate(...Array<Buffer>(4_000).fill(hex("300906032a030404020500"))),
  },
  "nested sequences": { certificate: hex("3080".repeat(24_000)).toString("base64") },
  "22,000 values": { certificate: der(0x30, hex("0500".repeat(22_000))).toString("base64") },
  dashes: { certificate: "-----BEGIN ".repeat(5_900) },
  "blocks without an end": { certificate: "-----BEGIN CERTIFICATE-----".repeat(2_400) },
}

/** The two that take longest. */
export const inCheck = ["ten certificates with 1,500 names each", "4,000 extensions"]
