/** Signs records for the hostile DNS server: a root, and zones below it, with keys that are made when the file is loaded. */
import { createHash, generateKeyPairSync, type KeyObject, sign } from "node:crypto"
import { toWire } from "./dns-reply.ts"

const root = generateKeyPairSync("ec", { namedCurve: "P-256" })
const zone = generateKeyPairSync("ec", { namedCurve: "P-256" })
const typeNumbers = { A: 1, DS: 43, RRSIG: 46, NSEC: 47, DNSKEY: 48, NSEC3: 50 }
const algorithm = 13

/** The data of the DNSKEY records. */
export const rootKey = keyData(root.publicKey)
export const zoneKey = keyData(zone.publicKey)

/** The trust anchor of the root, as the data of a DS record. */
export const hostileAnchor = `${tagOf(rootKey)} ${algorithm} 2 ${digestOf("", rootKey).toString("hex").toUpperCase()}`

/** The data of the DS record of a zone that has {@link zoneKey}. */
export const dsData = (name: string): Buffer =>
  Buffer.concat([shorts(tagOf(zoneKey)), Buffer.of(algorithm, 2), digestOf(name, zoneKey)])

/** Differences from a signature that is valid for ten days. */
export interface SigningOptions {
  /** Seconds since the Unix epoch. */
  readonly from?: number
  readonly until?: number
  /** In place of the labels of the owner. */
  readonly labels?: number
}

const day = 86_400

/** The data of the RRSIG of records, by the key of the root (signer empty) or that of a zone. */
export function signature(
  owner: string,
  type: number,
  data: readonly Buffer[],
  signer: string,
  options: SigningOptions = {},
): Buffer {
  const now = Math.floor(Date.now() / 1000)
  const { from = now - day, until = now + 10 * day, labels = countLabels(owner) } = options
  const key = signer === "" ? root : zone
  const head = Buffer.concat([
    shorts(type),
    Buffer.of(algorithm, labels),
    longs(300, until, from),
    shorts(tagOf(signer === "" ? rootKey : zoneKey)),
    toWire(signer),
  ])
  const middle = Buffer.concat([toWire(owner), shorts(type, 1), longs(300)])
  const parts = [...data].sort(Buffer.compare).flatMap((one) => [middle, shorts(one.length), one])
  const signed = sign("sha256", Buffer.concat([head, ...parts]), {
    key: key.privateKey,
    dsaEncoding: "ieee-p1363",
  })
  return Buffer.concat([head, signed])
}

/** The key tag (RFC 4034 appendix B). */
export function tagOf(key: Buffer): number {
  const sum = key.reduce((total, byte, at) => total + (at % 2 === 0 ? byte << 8 : byte), 0)
  return (sum + (sum >>> 16)) & 0xffff
}

/** Keys that have the tag of another one, and are no keys of anybody. */
export const keysOfTag = (tag: number, count: number): Buffer[] =>
  Array.from({ length: count }, (_, index) => {
    const key = Buffer.concat([zoneKey.subarray(0, 4), createHash("sha512").update(`${index}`).digest()])
    // Bytes 4 and 5 count towards the tag, so they are chosen last: about what is missing.
    key.writeUInt16BE(0, 4)
    const missing = (tag - tagOf(key)) & 0xffff
    for (let less = 0; less < 3 && tagOf(key) !== tag; less++) key.writeUInt16BE((missing - less) & 0xffff, 4)
    return key
  })

function keyData(key: KeyObject): Buffer {
  const { x = "", y = "" } = key.export({ format: "jwk" })
  return Buffer.concat([
    Buffer.of(1, 1, 3, algorithm),
    Buffer.from(x, "base64url"),
    Buffer.from(y, "base64url"),
  ])
}

function digestOf(name: string, key: Buffer): Buffer {
  return createHash("sha256").update(toWire(name)).update(key).digest()
}

const countLabels = (name: string): number =>
  name === "" ? 0 : name.split(".").filter((label) => label !== "*").length

export const shorts = (...numbers: number[]): Buffer =>
  Buffer.from(numbers.flatMap((number) => [(number >> 8) & 255, number & 255]))

function longs(...numbers: number[]): Buffer {
  const buffer = Buffer.alloc(4 * numbers.length)
  for (const [index, number] of numbers.entries()) buffer.writeUInt32BE(number >>> 0, 4 * index)
  return buffer
}

export { typeNumbers }
