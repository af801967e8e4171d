import { txt } from "dns-packet"
import type { DnsData, DnsType } from "../../apis/contract.ts"
import { fromBytes } from "../../values/ip.ts"
import type { WireRecord } from "./message.ts"
import { readName, toDottedName, type WireName } from "./name.ts"

/** The data of a record of `type`. Throws RangeError when they do not have the form of that type. */
export function decodeData<T extends DnsType>(type: T, message: Buffer, record: WireRecord): DnsData[T] {
  return decoders[type](message, record)
}

/** The name that is all of a record's data, as in CNAME and PTR. Keeps the spelling. */
export function decodeName(message: Buffer, record: WireRecord): WireName {
  return nameAt(message, record, 0)
}

const decoders: { readonly [T in DnsType]: (message: Buffer, record: WireRecord) => DnsData[T] } = {
  A: (message, record) => decodeAddress(message, record, 4),
  AAAA: (message, record) => decodeAddress(message, record, 16),
  TXT: decodeText,
  SPF: decodeText,
  MX: (message, record) => ({
    preference: message.readUInt16BE(record.at + 2),
    exchange: toDottedName(nameAt(message, record, 2)),
  }),
  PTR: (message, record) => toDottedName(decodeName(message, record)),
}

function decodeAddress(message: Buffer, { at, length }: WireRecord, bytes: 4 | 16): string {
  if (length !== bytes) throw new RangeError("wrong length of an address")
  return fromBytes(message.subarray(at + 2, at + 2 + bytes)).toString()
}

/** Joins the character-strings (RFC 7208 §3.3). As bytes, since invalid UTF-8 would be lost. */
function decodeText(message: Buffer, record: WireRecord): string {
  return Buffer.concat(txt.decode(message, record.at)).toString("latin1")
}

function nameAt(message: Buffer, record: WireRecord, skip: number): WireName {
  const { wire, end } = readName(message, record.at + 2 + skip)
  if (end !== record.at + 2 + record.length) throw new RangeError("name and record differ in length")
  return wire
}
