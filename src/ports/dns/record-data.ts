import { a, txt } from "dns-packet"
import type { DnsData, DnsType } from "../../apis/contract.ts"
import { fromOctets } from "../../values/ip.ts"
import type { WireRecord } from "./message.ts"
import { readName, toDottedName, type WireName } from "./name.ts"

/** The data of a record of `type`. Throws when they are not what that type's data look like. */
export function decodeData<T extends DnsType>(type: T, message: Buffer, record: WireRecord): DnsData[T] {
  return decoders[type](message, record)
}

/** The one name that is the whole of a record's data, as CNAME and PTR have it; spelling kept. */
export function decodeName(message: Buffer, record: WireRecord): WireName {
  return nameAt(message, record, 0)
}

const decoders: { readonly [T in DnsType]: (message: Buffer, record: WireRecord) => DnsData[T] } = {
  A: (message, record) => {
    requireLength(record, 4)
    return a.decode(message, record.at)
  },
  AAAA: (message, record) => {
    requireLength(record, 16)
    return fromOctets(message.subarray(record.at + 2, record.at + 18)).toString()
  },
  TXT: decodeText,
  SPF: decodeText,
  MX: (message, record) => ({
    preference: message.readUInt16BE(record.at + 2),
    exchange: toDottedName(nameAt(message, record, 2)),
  }),
  PTR: (message, record) => toDottedName(decodeName(message, record)),
}

/** Character-strings joined without anything between them (RFC 7208 §3.3), as octets: UTF-8 would lose some. */
function decodeText(message: Buffer, record: WireRecord): string {
  return Buffer.concat(txt.decode(message, record.at)).toString("latin1")
}

function nameAt(message: Buffer, record: WireRecord, skip: number): WireName {
  const { wire, end } = readName(message, record.at + 2 + skip)
  if (end !== record.at + 2 + record.length) throw new RangeError("name and record differ in length")
  return wire
}

function requireLength(record: WireRecord, length: number): void {
  if (record.length !== length) throw new RangeError("wrong length of an address")
}
