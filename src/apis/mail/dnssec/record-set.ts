import type { DnsRecord, DnsType, RecordOf } from "../../contract.ts"
import { Ended } from "./ended.ts"
import { labelsOf, lower, nameOf, toWire } from "./names.ts"
import { limits } from "./session.ts"

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
export function isType<T extends DnsType>(record: DnsRecord, type: T): record is DnsRecord & RecordOf<T> {
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
  const known = orders.get(records)
  if (known) return known
  const sorted = records.map(canonicalData).sort(Buffer.compare)
  const order = sorted.filter((one, index) => index === 0 || !one.equals(sorted[index - 1] ?? one))
  orders.set(records, order)
  return order
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
