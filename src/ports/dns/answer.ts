import { soa, txt } from "dns-packet"
import type { DnsAnswer, DnsData, DnsType } from "../../apis/contract.ts"
import { fromBytes } from "../../values/ip.ts"
import { classIn, type Question, type Response, rcodes, typeNumbers, type WireRecord } from "./message.ts"
import { foldCase, isWithin, readName, toDottedName, type WireName } from "./name.ts"

/** Most CNAMEs to follow for one answer; recursive servers have a similar limit. */
export const maxAliases = 10

/** An answer and how long it may be cached, 0 for not at all. */
export type TimedAnswer = { readonly kind: "answer"; readonly answer: DnsAnswer; readonly ttlSeconds: number }

/** The server says only that the name is an alias, so `target` must be asked for. */
export interface Alias {
  readonly kind: "alias"
  readonly target: WireName
  readonly ttlSeconds: number
  /** Every name of the chain before `target`. */
  readonly passed: readonly WireName[]
}

/**
 * The answer in a response with NOERROR or NXDOMAIN. CNAMEs are followed inside the answer section from the name that was
 * asked (RFC 1034 §3.6.2); records of names outside this chain are ignored.
 * @param passed the names of the chain before this question
 * @throws Error when a record of the answer cannot be read
 */
export function readAnswer(
  response: Response,
  question: Question,
  passed: readonly WireName[] = [],
): TimedAnswer | Alias {
  const { rcode, message } = response
  const chain = followAliases(response, question, passed)
  const soaSeconds = negativeTtl(response, chain.owner)
  const done = (answer: DnsAnswer, seconds: number): TimedAnswer => {
    return { kind: "answer", answer, ttlSeconds: Math.min(chain.ttlSeconds, seconds) }
  }
  // The code is about the end of the chain (RFC 6604 §3).
  if (rcode === rcodes.nxDomain) return done({ kind: "nxdomain" }, soaSeconds ?? 0)
  if (chain.records.length > 0) {
    const records = chain.records.map((record) => decoders[question.type](message, record))
    const seconds = Math.min(...chain.records.map((record) => record.ttlSeconds))
    return done({ kind: "records", records, messageBytes: message.length }, seconds)
  }
  if (chain.end === "loop") return done({ kind: "nodata" }, 0)
  if (chain.end === "too long") return done({ kind: "failure", reason: "servfail" }, 0)
  // A server that returns the SOA of the last name's zone (RFC 2308 §2.2) has looked that name up.
  if (chain.owner !== question.name && soaSeconds === null)
    return { kind: "alias", target: chain.owner, ttlSeconds: chain.ttlSeconds, passed: chain.passed }
  return done({ kind: "nodata" }, soaSeconds ?? 0)
}

interface Chain {
  readonly owner: WireName
  readonly records: readonly WireRecord[]
  readonly ttlSeconds: number
  readonly passed: readonly WireName[]
  readonly end: "data" | "nothing" | "loop" | "too long"
}

function followAliases(response: Response, question: Question, before: readonly WireName[]): Chain {
  const ofInternet = response.answers.filter((record) => record.class === classIn)
  const byOwner = Map.groupBy(ofInternet, (record) => record.owner)
  const passed = [...before]
  let owner = question.name
  let ttlSeconds = Number.POSITIVE_INFINITY
  for (;;) {
    const here = byOwner.get(owner) ?? []
    const records = here.filter((record) => record.type === typeNumbers[question.type])
    if (records.length > 0) return { owner, records, ttlSeconds, passed, end: "data" }
    const alias = here.find((record) => record.type === typeNumbers.CNAME)
    if (!alias) return { owner, records, ttlSeconds, passed, end: "nothing" }
    passed.push(owner)
    owner = foldCase(nameAt(response.message, alias))
    ttlSeconds = Math.min(ttlSeconds, alias.ttlSeconds)
    if (passed.includes(owner)) return { owner, records, ttlSeconds, passed, end: "loop" }
    if (passed.length > maxAliases) return { owner, records, ttlSeconds, passed, end: "too long" }
  }
}

/** Seconds to cache that `name` or its records do not exist (RFC 2308 §5); null without the SOA of a zone above it. */
function negativeTtl({ authority, message }: Response, name: WireName): number | null {
  const start = authority.find(
    (record) => record.type === typeNumbers.SOA && record.class === classIn && isWithin(name, record.owner),
  )
  return start ? Math.min(start.ttlSeconds, soa.decode(message, start.at).minimum) : null
}

/** Read the data of a record by its type. They throw RangeError when the data do not have the form of that type. */
const decoders: { readonly [T in DnsType]: (message: Buffer, record: WireRecord) => DnsData[T] } = {
  A: (message, record) => decodeAddress(message, record, 4),
  AAAA: (message, record) => decodeAddress(message, record, 16),
  TXT: decodeText,
  SPF: decodeText,
  MX: (message, record) => ({
    preference: message.readUInt16BE(record.at + 2),
    exchange: toDottedName(nameAt(message, record, 2)),
  }),
  PTR: (message, record) => toDottedName(nameAt(message, record)),
}

function decodeAddress(message: Buffer, { at, length }: WireRecord, bytes: 4 | 16): string {
  if (length !== bytes) throw new RangeError("wrong length of an address")
  return fromBytes(message.subarray(at + 2, at + 2 + bytes)).toString()
}

/** Joins the character-strings (RFC 7208 §3.3). As bytes, since invalid UTF-8 would be lost. */
function decodeText(message: Buffer, record: WireRecord): string {
  return Buffer.concat(txt.decode(message, record.at)).toString("latin1")
}

/** The name that ends a record's data, after `skip` bytes, in its own spelling. */
function nameAt(message: Buffer, record: WireRecord, skip = 0): WireName {
  const { wire, end } = readName(message, record.at + 2 + skip)
  if (end !== record.at + 2 + record.length) throw new RangeError("name and record differ in length")
  return wire
}
