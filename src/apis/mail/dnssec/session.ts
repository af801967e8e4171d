import type { Dns, DnsData, DnsRecord, DnsReply, DnsType, RecordOf, RunContext } from "../../contract.ts"
import { isSupported } from "./algorithms.ts"
import { Ended } from "./ended.ts"
import { labelsOf, lower, nameOf, toWire } from "./names.ts"

/**
 * Bounds the work of one validation. Whoever publishes a zone decides what there is to check: CVE-2023-50387 (KeyTrap) is a zone
 * with many keys of one tag and many signatures, CVE-2023-50868 one with many iterations of NSEC3.
 */
export const limits = {
  questions: 60,
  verifications: 64,
  /** Keys with one tag and algorithm that are tried for a signature. */
  keysPerTag: 2,
  /** RFC 9276 §3.2 lets a validator treat zones with more as insecure. The validators in use stop at 150 too. */
  nsec3Iterations: 150,
  /** NSEC and NSEC3 records of one reply that are read. A proof needs three. */
  denials: 8,
  aliases: 10,
  /** Records of one name and type that are read. */
  records: 1_000,
  /** Time for one validation; what is not answered by then counts as not answered. */
  validationMs: 20_000,
} as const

/** A signature that was found to be right. */
export interface CheckedSignature {
  readonly owner: string
  readonly signature: Signature["data"]
}

/** A zone on the way from the root, for the report. */
export interface ChainLink {
  readonly zone: string
  /** Null for the root, whose keys are compared with the trust anchors. */
  readonly signers: readonly DelegationSigner[] | null
  readonly keys: readonly {
    readonly tag: number
    readonly algorithm: number
    readonly flags: number
    readonly isMatched: boolean
  }[]
  readonly signatures: CheckedSignature[]
}

/** A reply that is no failure. */
export type Reply = DnsReply & { readonly kind: "reply" }

/** Asks a question, and ends the validation when there is no answer. */
type Ask = (name: string, type: DnsType) => Promise<Reply>

/** Asks each question once, and only so many, with the records of DNSSEC. */
export function createQuestions(
  dns: Pick<Dns, "exchange">,
  signal?: AbortSignal,
  most: number = limits.questions,
): Ask {
  const replies = new Map<string, Promise<DnsReply>>()
  return async (name, type) => {
    const key = `${type} ${name}`
    if (!replies.has(key) && replies.size >= most)
      throw new Ended("indeterminate", "too_many_questions", name)
    const ask = () => dns.exchange(name === "" ? "." : name, type, { dnssec: true }, signal)
    const reply = await replies.getOrInsertComputed(key, ask)
    if (reply.kind === "failure") throw new Ended("indeterminate", "no_answer", `${name || "."} ${type}`)
    return reply
  }
}

/** State that one validation, or several of one server, share: their questions, the number of verifications, and the results. */
export type Session = ReturnType<typeof createSession>

/** @param now in seconds since the Unix epoch */
export function createSession(ask: Ask, now: number, giveWay: RunContext["giveWay"]) {
  const links: ChainLink[] = []
  let verifications = 0
  return {
    ...{ ask, now, giveWay, links },
    /** Counts a verification before it is made. */
    async beforeVerification(owner: string): Promise<void> {
      verifications += 1
      if (verifications > limits.verifications) throw new Ended("bogus", "too_much_work", owner)
      const pause = giveWay()
      if (pause) await pause
    },
  }
}

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
  return tags.getOrInsertComputed(key, ({ wire }) => {
    let sum = 0
    for (const [at, byte] of Buffer.from(wire, "hex").entries()) sum += at % 2 === 0 ? byte << 8 : byte
    return (sum + (sum >>> 16)) & 0xffff
  })
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

/** The records of one name and type, and their signatures. */
export interface RecordSet {
  readonly owner: string
  readonly type: DnsType
  readonly records: readonly DnsRecord[]
  readonly signatures: readonly Signature[]
}

export type Signature = RecordOf<"RRSIG">

/** The set of a name and type in a section of a reply; null if there is none. */
export function findSet(section: readonly DnsRecord[], owner: string, type: DnsType): RecordSet | null {
  const records = section.filter((record) => record.owner === owner && record.type === type)
  if (records.length === 0) return null
  if (records.length > limits.records) throw new Ended("bogus", "too_many_records", owner)
  const signatures = section.filter(
    (record): record is Signature =>
      isType(record, "RRSIG") && record.owner === owner && record.data.typeCovered === type,
  )
  return { owner, type, records, signatures }
}

/** Whether a record is of a type. */
function isType<T extends DnsType>(record: DnsRecord, type: T): record is DnsRecord & RecordOf<T> {
  return record.type === type
}

/** The records of a type. */
export function ofType<T extends DnsType>(records: readonly DnsRecord[], type: T) {
  return records.filter((record) => isType(record, type))
}

/** The labels that count for a signature: all but those of the root and a wildcard (RFC 4034 §3.1.3). */
export function signedLabels(owner: string): number {
  const labels = labelsOf(owner)
  return labels[0] === "*" ? labels.length - 1 : labels.length
}

/**
 * The bytes that a signature signs (RFC 4035 §5.3.2): its own data without the signature, and the records in canonical form and
 * order, each once (RFC 4034 §6). For a signature of a wildcard, the owner is the wildcard.
 */
export function signedData({ owner, records }: RecordSet, { data, wire }: Signature): Buffer {
  const labels = labelsOf(owner)
  const isExpanded = data.labels < signedLabels(owner)
  const signedOwner = isExpanded ? nameOf(["*", ...labels.slice(labels.length - data.labels)]) : owner
  const own = Buffer.from(wire, "hex").subarray(0, 18)
  const middle = Buffer.alloc(8)
  own.copy(middle, 0, 0, 2)
  middle.writeUInt16BE(1, 2)
  middle.writeUInt32BE(data.originalTtl, 4)
  const head = Buffer.concat([toWire(signedOwner), middle])
  const parts = canonicalOrder(records).flatMap((one) => [
    head,
    Buffer.from([one.length >> 8, one.length & 255]),
    one,
  ])
  return Buffer.concat([own, toWire(lower(data.signer)), ...parts])
}

/** A set may have many signatures, for each of which it has the same order. */
const orders = new WeakMap<readonly DnsRecord[], readonly Buffer[]>()

/** The data of records in canonical form and order, each once (RFC 4034 §6.3). */
function canonicalOrder(records: readonly DnsRecord[]): readonly Buffer[] {
  return orders.getOrInsertComputed(records, () => {
    const sorted = records.map(canonicalData).sort(Buffer.compare)
    return sorted.filter((one, index) => index === 0 || !one.equals(sorted[index - 1] ?? one))
  })
}

/**
 * Where names are in the data of types whose names are written in lower case (RFC 4034 §6.2, RFC 6840 §5.1): the bytes before
 * them, and how many.
 */
const names: Readonly<Record<string, readonly [before: number, count: number]>> = {
  NS: [0, 1],
  TYPE3: [0, 1],
  TYPE4: [0, 1],
  CNAME: [0, 1],
  SOA: [0, 2],
  TYPE7: [0, 1],
  TYPE8: [0, 1],
  TYPE9: [0, 1],
  PTR: [0, 1],
  TYPE14: [0, 2],
  MX: [2, 1],
  TYPE17: [0, 2],
  TYPE18: [2, 1],
  TYPE21: [2, 1],
  TYPE26: [2, 2],
  SRV: [6, 1],
  TYPE36: [2, 1],
  DNAME: [0, 1],
}

/** The data of a record with its names in lower case. */
function canonicalData(record: DnsRecord): Buffer {
  const data = Buffer.from(record.wire, "hex")
  const place = isType(record, "NAPTR") ? [afterStrings(data), 1] : names[record.type]
  if (!place) return data
  let [at = 0, count = 0] = place
  while (count-- > 0) {
    for (let length = data[at] ?? 0; length > 0 && length < 64; length = data[at] ?? 0) {
      for (let index = at + 1; index <= at + length && index < data.length; index++) {
        const byte = data[index] ?? 0
        if (byte >= 0x41 && byte <= 0x5a) data[index] = byte + 0x20
      }
      at += 1 + length
    }
    at += 1
  }
  return data
}

/** Where the name of a NAPTR begins: after two numbers and three texts (RFC 3403 §4.1). */
function afterStrings(data: Buffer): number {
  let at = 4
  for (let index = 0; index < 3; index++) at += 1 + (data[at] ?? 0)
  return at
}
