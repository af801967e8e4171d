import type { DnsAnswer, DnsRecord, DnsReply } from "../../apis/contract.ts"
import { DataReader } from "./data-reader.ts"
import { classIn, type Question, type Response, rcodes, type WireRecord } from "./message.ts"
import {
  foldCase,
  isWithin,
  type NamesOfMessage,
  namesOfMessage,
  toDottedName,
  type WireName,
} from "./name.ts"
import { formatOf } from "./record-formats.ts"
import { typeNameOf, typeNumberOf, typeNumbers } from "./record-types.ts"
import { mapInSteps, type Steps } from "./turn-reader.ts"

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
export function* readAnswer(
  response: Response,
  question: Question,
  passed: readonly WireName[] = [],
): Steps<TimedAnswer | Alias> {
  const { rcode, message } = response
  const chain = followAliases(response, question, passed)
  const soaSeconds = negativeTtl(response, chain.owner)
  const done = (answer: DnsAnswer, seconds: number): TimedAnswer => {
    return { kind: "answer", answer, ttlSeconds: Math.min(chain.ttlSeconds, seconds) }
  }
  // The code is about the end of the chain (RFC 6604 §3).
  if (rcode === rcodes.nxDomain) return done({ kind: "nxdomain" }, soaSeconds ?? 0)
  if (chain.records.length > 0) {
    const format = formatOf(question.type)
    const names = namesOfMessage()
    const records = yield* mapInSteps(chain.records, ({ at, length }) =>
      format.read(new DataReader(message, at, length, names)),
    )
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

/** The result of {@link followAliases}. */
interface Chain {
  /** The last name. */
  readonly owner: WireName
  readonly records: readonly WireRecord[]
  readonly ttlSeconds: number
  readonly passed: readonly WireName[]
  readonly end: "data" | "nothing" | "loop" | "too long"
}

/** The way from the name that was asked to the records of that type, along the aliases of the answer section. */
function followAliases(response: Response, question: Question, before: readonly WireName[] = []): Chain {
  const type = typeNumberOf(question.type)
  const ofInternet = response.answers.filter((record) => record.class === classIn)
  const byOwner = Map.groupBy(ofInternet, (record) => record.owner)
  const passed = [...before]
  let owner = question.name
  let ttlSeconds = Number.POSITIVE_INFINITY
  for (;;) {
    const here = byOwner.get(owner) ?? []
    const records = here.filter((record) => record.type === type)
    if (records.length > 0) return { owner, records, ttlSeconds, passed, end: "data" }
    const alias = here.find((record) => record.type === typeNumbers.CNAME)
    if (!alias) return { owner, records, ttlSeconds, passed, end: "nothing" }
    passed.push(owner)
    owner = foldCase(targetOf(response.message, alias))
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
  return start ? Math.min(start.ttlSeconds, formatOf("SOA").read(dataOf(message, start)).minimum) : null
}

function dataOf(message: Buffer, { at, length }: WireRecord): DataReader {
  return new DataReader(message, at, length)
}

/** The target of an alias, in its own spelling. */
function targetOf(message: Buffer, alias: WireRecord): WireName {
  const data = dataOf(message, alias)
  const target = data.name(true)
  data.finish()
  return target
}

/** A reply and how long it may be cached, 0 for not at all. */
interface TimedReply {
  readonly reply: DnsReply & { readonly kind: "reply" }
  readonly ttlSeconds: number
}

/**
 * Both sections of a response with NOERROR or NXDOMAIN. From the answer section only the records of the name that was asked and
 * of its aliases, and DNAMEs above them.
 * @throws Error when a record cannot be read
 */
export function* readReply(response: Response, question: Question): Steps<TimedReply> {
  const { rcode, message, authenticated } = response
  const chain = followAliases(response, question)
  const owners = [...chain.passed, chain.owner]
  const answer = response.answers.filter((record) => isOfChain(record, owners))
  const authority = response.authority.filter((record) => record.class === classIn)
  const isNegative = rcode === rcodes.nxDomain || chain.records.length === 0
  const names = namesOfMessage()
  const seconds = isNegative ? (negativeTtl(response, chain.owner) ?? 0) : Number.POSITIVE_INFINITY
  return {
    reply: {
      kind: "reply",
      rcode: rcode === rcodes.nxDomain ? "NXDOMAIN" : "NOERROR",
      authenticated,
      answer: yield* mapInSteps(answer, (record) => readRecord(message, record, names)),
      authority: yield* mapInSteps(authority, (record) => readRecord(message, record, names)),
      messageBytes: message.length,
    },
    ttlSeconds: Math.min(seconds, ...[...answer, ...authority].map((record) => record.ttlSeconds)),
  }
}

function isOfChain({ owner, type, class: ofClass }: WireRecord, owners: readonly WireName[]): boolean {
  if (ofClass !== classIn) return false
  if (type === typeNumbers.DNAME || type === typeNumbers.RRSIG)
    return owners.some((one) => isWithin(one, owner))
  return owners.includes(owner)
}

function readRecord(message: Buffer, record: WireRecord, names: NamesOfMessage): DnsRecord {
  const { owner, type, ttlSeconds, at, length } = record
  return toRecord(owner, typeNameOf(type), ttlSeconds, new DataReader(message, at, length, names))
}

/** A record of a reply. Throws RangeError when the data do not have the form of the type. */
export function toRecord(owner: WireName, type: DnsRecord["type"], ttlSeconds: number, data: DataReader) {
  const read = formatOf(type).readAll(data)
  const record = { owner: toDottedName(owner), type, ttlSeconds, ...read, wire: data.wire().toString("hex") }
  // Both the format and the data belong to the type.
  return record as DnsRecord
}
