import type { DnsRecord, DnsReply } from "../../apis/contract.ts"
import { followAliases, negativeTtl } from "./answer.ts"
import { DataReader } from "./data-reader.ts"
import { classIn, type Question, type Response, rcodes, type WireRecord } from "./message.ts"
import { createLabelBudget, isWithin, type LabelBudget, toDottedName, type WireName } from "./name.ts"
import { formatOf } from "./record-formats.ts"
import { typeNameOf, typeNumbers } from "./record-types.ts"
import { mapInSteps, runSteps, type Steps } from "./turn-reader.ts"

/** A reply and how long it may be cached, 0 for not at all. */
export interface TimedReply {
  readonly reply: DnsReply & { readonly kind: "reply" }
  readonly ttlSeconds: number
}

/**
 * Both sections of a response with NOERROR or NXDOMAIN. From the answer section only the records of the name that was asked and
 * of its aliases, and DNAMEs above them.
 * @throws Error when a record cannot be read
 */
export function readReply(response: Response, question: Question): TimedReply {
  return runSteps(readReplyInSteps(response, question))
}

/** The same in steps, for messages with thousands of records. */
export function* readReplyInSteps(response: Response, question: Question): Steps<TimedReply> {
  const { rcode, message, authenticated } = response
  const chain = followAliases(response, question)
  const owners = [...chain.passed, chain.owner]
  const answer = response.answers.filter((record) => isOfChain(record, owners))
  const authority = response.authority.filter((record) => record.class === classIn)
  const isNegative = rcode === rcodes.nxDomain || chain.records.length === 0
  const budget = createLabelBudget()
  const seconds = isNegative ? (negativeTtl(response, chain.owner) ?? 0) : Number.POSITIVE_INFINITY
  return {
    reply: {
      kind: "reply",
      rcode: rcode === rcodes.nxDomain ? "NXDOMAIN" : "NOERROR",
      authenticated,
      answer: yield* mapInSteps(answer, (record) => readRecord(message, record, budget)),
      authority: yield* mapInSteps(authority, (record) => readRecord(message, record, budget)),
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

function readRecord(message: Buffer, record: WireRecord, budget: LabelBudget): DnsRecord {
  const { owner, type, ttlSeconds, at, length } = record
  return toRecord(owner, typeNameOf(type), ttlSeconds, new DataReader(message, at, length, budget))
}

/** A record of a reply. Throws RangeError when the data do not have the form of the type. */
export function toRecord(owner: WireName, type: DnsRecord["type"], ttlSeconds: number, data: DataReader) {
  const read = formatOf(type).readAll(data)
  const record = { owner: toDottedName(owner), type, ttlSeconds, ...read, wire: data.wire().toString("hex") }
  // Both the format and the data belong to the type.
  return record as DnsRecord
}
