import type { DnsType } from "../../apis/contract.ts"
import { foldCase, type NamesOfMessage, namesOfMessage, readName, type WireName } from "./name.ts"
import { typeNumberOf, typeOpt } from "./record-types.ts"

/** A question; the class is always IN. */
export interface Question {
  /** In lower case. */
  readonly name: WireName
  readonly type: DnsType
  /** The question about DNSSEC: none, whether the server has checked the answer (AD), or all records (DO, CD). */
  readonly dnssec?: "checked" | "records"
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
  /** Whether the server says that it has checked the answer (AD). */
  readonly authenticated: boolean
  readonly answers: readonly WireRecord[]
  readonly authority: readonly WireRecord[]
}

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

/** Flags of a query: recursion desired; AD and CD of RFC 4035 §3.2. */
const queryFlags = { recursionDesired: 0x0100, authenticData: 0x0020, checkingDisabled: 0x0010 }
/** DO of EDNS (RFC 3225 §3), in the place of a TTL. */
const dnssecOk = 0x8000

/** A query with recursion desired; with `edns` it also allows answers of 1232 bytes over UDP. */
export function encodeQuery({ name, type, dnssec }: Question, id: number, edns: boolean): Buffer {
  const asksRecords = dnssec === "records"
  const flags =
    queryFlags.recursionDesired |
    (asksRecords ? queryFlags.checkingDisabled : 0) |
    (dnssec === "checked" ? queryFlags.authenticData : 0)
  return Buffer.concat([
    shorts(id, flags, 1, 0, 0, edns ? 1 : 0),
    Buffer.from(name, "latin1"),
    shorts(typeNumberOf(type) ?? 0, classIn),
    // The root, OPT, the size, the upper bits of the code and the version, flags, and no options (RFC 6891 §6.1.2).
    ...(edns ? [Buffer.of(0), shorts(typeOpt, udpPayloadSize, 0, asksRecords ? dnssecOk : 0, 0)] : []),
  ])
}

function shorts(...numbers: number[]): Buffer {
  return Buffer.from(numbers.flatMap((number) => [number >> 8, number & 0xff]))
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
      const sameType = message.readUInt16BE(asked.end) === typeNumberOf(type)
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
  const authenticated = (flags & 0x0020) !== 0
  const head = { message, truncated, authoritative, recursionAvailable, authenticated }
  if (truncated) return { ...head, rcode, answers: [], authority: [] }
  try {
    const names = namesOfMessage()
    const answers = readSection(message, at, message.readUInt16BE(6), names)
    const authority = readSection(message, answers.end, message.readUInt16BE(8), names)
    const additional = readSection(message, authority.end, message.readUInt16BE(10), names)
    const opt = additional.records.find((record) => record.type === typeOpt)
    const extended = opt ? message.readUInt8(opt.at - 4) << 4 : 0
    return { ...head, rcode: rcode | extended, answers: answers.records, authority: authority.records }
  } catch {
    return "malformed"
  }
}

function readSection(message: Buffer, start: number, count: number, names: NamesOfMessage) {
  const records: WireRecord[] = []
  let end = start
  for (let index = 0; index < count; index++) {
    const owner = readName(message, end, names)
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
