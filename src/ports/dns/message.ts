import { encode, RECURSION_DESIRED } from "dns-packet"
import type { DnsType } from "../../apis/contract.ts"
import { foldCase, readName, type WireName } from "./name.ts"

/** A question; the class is always IN. */
export interface Question {
  /** In lower case. */
  readonly name: WireName
  readonly type: DnsType
}

/** A record of a response; its data are still in the message. */
export interface WireRecord {
  /** In lower case. */
  readonly owner: WireName
  readonly type: number
  readonly class: number
  readonly ttlSeconds: number
  /** Offset of the record's RDLENGTH field, which `length` bytes of data follow. */
  readonly at: number
  readonly length: number
}

/** A response that was read. */
export interface Response {
  readonly message: Buffer
  /** With the upper eight bits of EDNS (RFC 6891 §6.1.3). */
  readonly rcode: number
  /** The sections are then left empty: a part of an answer must not be taken for the whole (RFC 2181 §9). */
  readonly truncated: boolean
  readonly authoritative: boolean
  readonly recursionAvailable: boolean
  readonly answers: readonly WireRecord[]
  readonly authority: readonly WireRecord[]
}

export const typeNumbers = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  PTR: 12,
  MX: 15,
  TXT: 16,
  AAAA: 28,
  OPT: 41,
  SPF: 99,
} as const satisfies Record<DnsType, number> & Record<string, number>

export const classIn = 1

export const rcodes = {
  noError: 0,
  formErr: 1,
  servFail: 2,
  nxDomain: 3,
  notImp: 4,
  refused: 5,
  badVers: 16,
} as const

/** Passes nearly every path unfragmented (DNS flag day 2020). */
const udpPayloadSize = 1232
const headerBytes = 12

/** A query with recursion desired; with `edns` it also allows answers of 1232 bytes over UDP. */
export function encodeQuery({ name, type }: Question, id: number, edns: boolean): Buffer {
  const rootQuery = encode({
    type: "query",
    id,
    flags: RECURSION_DESIRED,
    questions: [{ name: ".", type }],
    additionals: edns ? [{ type: "OPT", name: ".", udpPayloadSize, flags: 0, options: [] }] : [],
  })
  // dns-packet writes bytes above 0x7F as UTF-8, so it encodes the root, which the name then replaces.
  const wireName = Buffer.from(name, "latin1")
  return Buffer.concat([rootQuery.subarray(0, headerBytes), wireName, rootQuery.subarray(headerBytes + 1)])
}

/**
 * Reads a message as the response to a query (RFC 5452 §9.1). After `unrelated` (it answers something else) and `garbage` (it is
 * no DNS message) the true response may still come. `malformed` answers this query, but cannot be read. Never throws.
 */
export function readResponse(message: Buffer, { name, type }: Question, id: number) {
  if (message.length < headerBytes) return "garbage"
  const flags = message.readUInt16BE(2)
  const isResponse = flags >= 0x8000
  const opcode = (flags >> 11) & 0xf
  if (message.readUInt16BE(0) !== id || !isResponse || opcode !== 0) return "unrelated"
  const rcode = flags & 0xf
  const questions = message.readUInt16BE(4)
  let at = headerBytes
  if (questions === 1) {
    try {
      const asked = readName(message, headerBytes)
      at = asked.end + 4
      if (at > message.length) return "garbage"
      const sameType = message.readUInt16BE(asked.end) === typeNumbers[type]
      const sameClass = message.readUInt16BE(asked.end + 2) === classIn
      if (!sameType || !sameClass || foldCase(asked.wire) !== name) return "unrelated"
    } catch {
      return "garbage"
    }
  } else if (questions !== 0 || rcode === rcodes.noError || rcode === rcodes.nxDomain) {
    // Only servers that refuse a query unread may leave the question out.
    return "unrelated"
  }
  const truncated = (flags & 0x0200) !== 0
  const [authoritative, recursionAvailable] = [(flags & 0x0400) !== 0, (flags & 0x0080) !== 0]
  const head = { message, truncated, authoritative, recursionAvailable }
  if (truncated) return { ...head, rcode, answers: [], authority: [] }
  try {
    const answers = readSection(message, at, message.readUInt16BE(6))
    const authority = readSection(message, answers.end, message.readUInt16BE(8))
    const additional = readSection(message, authority.end, message.readUInt16BE(10))
    const opt = additional.records.find((record) => record.type === typeNumbers.OPT)
    const extended = opt ? message.readUInt8(opt.at - 4) << 4 : 0
    return { ...head, rcode: rcode | extended, answers: answers.records, authority: authority.records }
  } catch {
    return "malformed"
  }
}

function readSection(message: Buffer, start: number, count: number): { records: WireRecord[]; end: number } {
  const records: WireRecord[] = []
  let end = start
  for (let index = 0; index < count; index++) {
    const owner = readName(message, end)
    const at = owner.end + 8
    const length = message.readUInt16BE(at)
    end = at + 2 + length
    if (end > message.length) throw new RangeError("record past the end")
    const ttl = message.readUInt32BE(owner.end + 4)
    records.push({
      owner: foldCase(owner.wire),
      type: message.readUInt16BE(owner.end),
      class: message.readUInt16BE(owner.end + 2),
      // RFC 2181 §8: a TTL with the highest bit set is to be taken for zero.
      ttlSeconds: ttl > 0x7fff_ffff ? 0 : ttl,
      at,
      length,
    })
  }
  return { records, end }
}
