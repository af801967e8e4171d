import type { DnsData, RecordOf } from "../../contract.ts"
import { isSupported } from "./algorithms.ts"
import { toWire } from "./names.ts"

export type Key = RecordOf<"DNSKEY">
/** The data of a DS record (RFC 4034 §5.1). */
export type DelegationSigner = DnsData["DS"]

/** Digests of DS records by their numbers (RFC 4034 §5.1.3, RFC 4509, RFC 6605 §2). */
const digests: ReadonlyMap<number, "sha1" | "sha256" | "sha384"> = new Map([
  [1, "sha1"],
  [2, "sha256"],
  [4, "sha384"],
] as const)
const sha1 = 1

/** A reply may have hundreds of keys and signatures, which are compared with each other. */
const tags = new WeakMap<Key, number>()

/** The tag of a key (RFC 4034 appendix B). */
export function tagOf(key: Key): number {
  const known = tags.get(key)
  if (known !== undefined) return known
  let sum = 0
  for (const [at, byte] of Buffer.from(key.wire, "hex").entries()) sum += at % 2 === 0 ? byte << 8 : byte
  const tag = (sum + (sum >>> 16)) & 0xffff
  tags.set(key, tag)
  return tag
}

/** Whether a key may sign data of its zone: a zone key (RFC 4034 §2.1.1) of protocol 3 that is not revoked (RFC 5011 §2.1). */
export function isZoneKey({ data: { flags, protocol } }: Key): boolean {
  return (flags & 0x0100) !== 0 && (flags & 0x0080) === 0 && protocol === 3
}

/**
 * The DS records that count: those of algorithms and digests that are supported (RFC 6840 §5.2), and SHA-1 only where there is
 * no other (RFC 4509 §3). Validators still have to take SHA-1 (RFC 9904 §3).
 */
export function usableSigners(signers: readonly DelegationSigner[]): readonly DelegationSigner[] {
  const supported = signers.filter(
    ({ algorithm, digestType }) => isSupported(algorithm) && digests.has(digestType),
  )
  const newer = supported.filter(({ digestType }) => digestType !== sha1)
  return newer.length > 0 ? newer : supported
}

/**
 * The keys of a zone that match one of its DS records or trust anchors (RFC 4035 §5.2). Each key is hashed once for each digest.
 */
export function matchingKeys(zone: string, keys: readonly Key[], signers: readonly DelegationSigner[]) {
  const wanted = new Set(
    signers.map(
      ({ keyTag, algorithm, digestType, digest }) => `${keyTag} ${algorithm} ${digestType} ${digest}`,
    ),
  )
  const types = [...new Set(signers.map(({ digestType }) => digestType))]
  const wantedTags = new Set(signers.map(({ keyTag }) => keyTag))
  return keys.filter((key) => {
    const tag = tagOf(key)
    return (
      wantedTags.has(tag) &&
      types.some((type) => wanted.has(`${tag} ${key.data.algorithm} ${type} ${digestOf(zone, key, type)}`))
    )
  })
}

function digestOf(zone: string, { wire }: Key, digestType: number): string {
  const hash = new Bun.CryptoHasher(digests.get(digestType) ?? "sha256")
  return hash.update(toWire(zone)).update(Buffer.from(wire, "hex")).digest("hex")
}
