import { a, aaaa, cname, mx, ptr, type RecordCodec, soa, txt } from "dns-packet"
import type { DnsZone, ZoneEntry } from "../../src/apis/contract.ts"
import { parseData } from "../../src/ports/dns/record-formats.ts"
import { typeNameOf, typeNumberOf } from "../../src/ports/dns/record-types.ts"

/** A query as a server sees it; the name in lower case, one character per byte. */
export interface DnsQuery {
  readonly id: number
  readonly name: string
  /** `TYPE123` for types without a name of their own. */
  readonly type: string
  /** The question section as it came. */
  readonly question: Buffer
  /** UDP payload size that EDNS offers; null without EDNS. */
  readonly ednsSize: number | null
  /** AD and CD of the header, and DO of EDNS. */
  readonly flags: { readonly ad: boolean; readonly cd: boolean; readonly do: boolean }
}

export interface ReplyOptions {
  readonly ttlSeconds: number
  /** TTL and minimum of the SOA in a negative answer; null for no SOA. */
  readonly negativeTtlSeconds: number | null
  /** Answers an alias with the CNAME alone, as a server that does not know the target does. */
  readonly aliasOnly: boolean
  /** Answers a query with EDNS by FORMERR. */
  readonly refuseEdns: boolean
}

export interface ReplyParts {
  id: number
  question: Buffer
  rcode: number
  truncated: boolean
  answers: Buffer[]
  authority: Buffer[]
}

const rcodes = { noError: 0, formErr: 1, servFail: 2, nxDomain: 3, refused: 5 }
const rootName = Buffer.from([0])

/** Reads a query; throws on anything else. Shares no code with the resolver's reader, so that each tests the other. */
export function readQuery(message: Buffer): DnsQuery {
  if (message.readUInt16BE(2) & 0x8000) throw new Error("not a query")
  if (message.readUInt16BE(4) !== 1) throw new Error("not one question")
  const labels: string[] = []
  let at = 12
  for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) {
    if (length > 63) throw new Error("label too long")
    labels.push(message.toString("latin1", at + 1, at + 1 + length))
    at += 1 + length
  }
  const number = message.readUInt16BE(at + 1)
  const end = at + 5
  const hasOpt = message.readUInt16BE(10) === 1 && message.readUInt16BE(end + 1) === 41
  return {
    id: message.readUInt16BE(0),
    name: labels.join(".").toLowerCase(),
    type: typeNameOf(number),
    question: message.subarray(12, end),
    ednsSize: hasOpt ? message.readUInt16BE(end + 3) : null,
    flags: {
      ad: (message.readUInt16BE(2) & 0x20) !== 0,
      cd: (message.readUInt16BE(2) & 0x10) !== 0,
      do: hasOpt && (message.readUInt16BE(end + 7) & 0x8000) !== 0,
    },
  }
}

/** A zone by name, in lower case without a trailing dot. */
type ServedZone = ReadonlyMap<string, readonly ZoneEntry[]>

export const toServedZone = (zone: DnsZone): ServedZone =>
  new Map(Object.entries(zone).map(([name, entries]) => [normal(name), entries]))

/** The answer of a server of `zone`; null for silence. */
export function toReply(names: ServedZone, query: DnsQuery, options: ReplyOptions): ReplyParts | null {
  const reply = { id: query.id, question: query.question, truncated: false }
  if (options.refuseEdns && query.ednsSize !== null) {
    return { ...reply, rcode: rcodes.formErr, answers: [], authority: [] }
  }
  const answers: Buffer[] = []
  const seen = new Set<string>()
  let owner = query.name
  for (;;) {
    const entries = names.get(owner)
    const data = (entries ?? []).flatMap((entry) => recordData(entry, query.type) ?? [])
    if (data.length > 0) {
      const number = typeNumberOf(query.type) ?? 0
      for (const one of data) answers.push(toRecord(toWire(owner), number, options.ttlSeconds, one))
      return { ...reply, rcode: rcodes.noError, answers, authority: [] }
    }
    const word = entries?.find((entry) => typeof entry === "string")
    if (word === "TIMEOUT") return null
    if (word) {
      const rcode = word === "SERVFAIL" ? rcodes.servFail : rcodes.refused
      return { ...reply, rcode, answers: [], authority: [] }
    }
    const alias = entries?.find((entry) => typeof entry === "object" && "CNAME" in entry)
    if (typeof alias === "object" && "CNAME" in alias) {
      answers.push(toRecord(toWire(owner), 5, options.ttlSeconds, cname.encode(alias.CNAME)))
      seen.add(owner)
      owner = normal(alias.CNAME)
      if (!options.aliasOnly && !seen.has(owner)) continue
      return { ...reply, rcode: rcodes.noError, answers, authority: [] }
    }
    const exists = [...names.keys()].some((name) => name === owner || name.endsWith(`.${owner}`))
    const rcode = exists ? rcodes.noError : rcodes.nxDomain
    return { ...reply, rcode, answers, authority: soaOf(options.negativeTtlSeconds) }
  }
}

/** The message, with EDNS when the query had it. */
export function encodeReply(parts: ReplyParts, edns: boolean): Buffer {
  const header = Buffer.alloc(12)
  header.writeUInt16BE(parts.id, 0)
  header.writeUInt16BE(0x8580 | (parts.truncated ? 0x0200 : 0) | parts.rcode, 2)
  const additional = edns ? [Buffer.from([0, 0, 41, 4, 208, 0, 0, 0, 0, 0, 0])] : []
  const counts = [1, parts.answers.length, parts.authority.length, additional.length]
  for (const [index, count] of counts.entries()) header.writeUInt16BE(count, 4 + 2 * index)
  return Buffer.concat([header, parts.question, ...parts.answers, ...parts.authority, ...additional])
}

/** A record, given its data after their length, as dns-packet's codecs write them. */
export function toRecord(owner: Buffer, type: number, ttlSeconds: number, data: Buffer): Buffer {
  const middle = Buffer.alloc(8)
  middle.writeUInt16BE(type, 0)
  middle.writeUInt16BE(1, 2)
  middle.writeUInt32BE(ttlSeconds, 4)
  return Buffer.concat([owner, middle, data])
}

/** A dotted name to wire format, one byte per character. */
export function toWire(name: string): Buffer {
  const labels = name.split(".").filter((label) => label !== "")
  const bytes = labels.map((label) => String.fromCharCode(label.length) + label)
  return Buffer.concat([Buffer.from(bytes.join(""), "latin1"), rootName])
}

function recordData(entry: ZoneEntry, type: string): Buffer | null {
  if (typeof entry === "string") return null
  const encoders: Readonly<Record<string, () => Buffer | null>> = {
    A: () => encodeIf(a, "A" in entry && entry.A),
    AAAA: () => encodeIf(aaaa, "AAAA" in entry && entry.AAAA),
    TXT: () => encodeIf(txt, "TXT" in entry && toStrings(entry.TXT)),
    SPF: () => encodeIf(txt, "SPF" in entry && toStrings(entry.SPF)),
    MX: () => encodeIf(mx, "MX" in entry && { preference: entry.MX[0], exchange: entry.MX[1] || "." }),
    PTR: () => encodeIf(ptr, "PTR" in entry && entry.PTR),
    CNAME: () => encodeIf(cname, "CNAME" in entry && entry.CNAME),
  }
  const encode = encoders[type]
  if (encode) return encode()
  // The other types are compared with other implementations elsewhere.
  const [[written, data] = []] = Object.entries(entry)
  if (written !== type || typeof data !== "string") return null
  const bytes = parseData(typeNameOf(typeNumberOf(type) ?? 0), data)
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 0xff]), bytes])
}

const encodeIf = <Data>(codec: RecordCodec<Data>, data: Data | false): Buffer | null =>
  data === false ? null : codec.encode(data)

/** Strings of 255 bytes at most. New buffers, since dns-packet changes its argument. */
function toStrings(text: string | readonly string[]): Buffer[] {
  const strings = typeof text === "string" ? [text] : text
  const pieces = strings.flatMap((string) => string.match(/.{1,255}/gs) ?? [""])
  return (pieces.length > 0 ? pieces : [""]).map((piece) => Buffer.from(piece, "latin1"))
}

function soaOf(seconds: number | null): Buffer[] {
  if (seconds === null) return []
  const data = { mname: "ns.test", rname: "root.test", serial: 1, refresh: 1, retry: 1, expire: 1 }
  return [toRecord(rootName, 6, seconds, soa.encode({ ...data, minimum: seconds }))]
}

const normal = (name: string): string => name.replace(/\.$/, "").toLowerCase()
