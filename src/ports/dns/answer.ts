import { soa } from "dns-packet"
import type { DnsAnswer } from "../../apis/contract.ts"
import { classIn, type Question, type Response, rcodes, typeNumbers, type WireRecord } from "./message.ts"
import { foldCase, isWithin, type WireName } from "./name.ts"
import { decodeData, decodeName } from "./record-data.ts"

/** CNAMEs followed for one answer; recursive servers stop near it too. */
export const maxAliases = 10

/** An answer and how long it may be kept: 0 for not at all. */
export interface TimedAnswer {
  readonly kind: "answer"
  readonly answer: DnsAnswer
  readonly ttlSeconds: number
}

/** The server knows no more than that the name is an alias: `target` has to be asked for. */
export interface Alias {
  readonly kind: "alias"
  readonly target: WireName
  readonly ttlSeconds: number
  /** Every name of the chain before `target`. */
  readonly passed: readonly WireName[]
}

/**
 * What a response with NOERROR or NXDOMAIN says to `question`. CNAMEs are followed inside the answer section from the
 * name that was asked (RFC 1034 §3.6.2); records of any other owner are somebody else's and are not looked at.
 * `passed` are the names of the chain before this question. Throws when a record that counts cannot be read.
 */
export function readAnswer(
  response: Response,
  question: Question,
  passed: readonly WireName[] = [],
): TimedAnswer | Alias {
  const { rcode, message } = response
  const chain = followAliases(response, question, passed)
  const soaSeconds = negativeTtl(response, chain.owner)
  const settled = (answer: DnsAnswer, seconds: number): TimedAnswer => {
    return { kind: "answer", answer, ttlSeconds: Math.min(chain.ttlSeconds, seconds) }
  }
  // With aliases the code is about the end of the chain (RFC 6604 §3).
  if (rcode === rcodes.nxDomain) return settled({ kind: "nxdomain" }, soaSeconds ?? 0)
  if (chain.records.length > 0) {
    const records = chain.records.map((record) => decodeData(question.type, message, record))
    const seconds = Math.min(...chain.records.map((record) => record.ttlSeconds))
    return settled({ kind: "records", records, messageBytes: message.length }, seconds)
  }
  if (chain.end === "loop") return settled({ kind: "nodata" }, 0)
  if (chain.end === "too long") return settled({ kind: "failure", reason: "servfail" }, 0)
  // A server that vouches for the end of the chain with the SOA of its zone (RFC 2308 §2.2) has looked there.
  if (chain.owner !== question.name && soaSeconds === null) {
    return { kind: "alias", target: chain.owner, ttlSeconds: chain.ttlSeconds, passed: chain.passed }
  }
  return settled({ kind: "nodata" }, soaSeconds ?? 0)
}

interface Chain {
  readonly owner: WireName
  readonly records: readonly WireRecord[]
  readonly ttlSeconds: number
  readonly passed: readonly WireName[]
  readonly end: "data" | "nothing" | "loop" | "too long"
}

function followAliases(response: Response, question: Question, before: readonly WireName[]): Chain {
  const byOwner = Map.groupBy(
    response.answers.filter((record) => record.class === classIn),
    (record) => record.owner,
  )
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
    owner = foldCase(decodeName(response.message, alias))
    ttlSeconds = Math.min(ttlSeconds, alias.ttlSeconds)
    if (passed.includes(owner)) return { owner, records, ttlSeconds, passed, end: "loop" }
    if (passed.length > maxAliases) return { owner, records, ttlSeconds, passed, end: "too long" }
  }
}

/**
 * Seconds that a "no" about `name` may be kept (RFC 2308 §5); null without the SOA of a zone that the name is in: what
 * another zone says about it counts for nothing.
 */
function negativeTtl({ authority, message }: Response, name: WireName): number | null {
  const start = authority.find(
    (record) => record.type === typeNumbers.SOA && record.class === classIn && isWithin(name, record.owner),
  )
  return start ? Math.min(start.ttlSeconds, soa.decode(message, start.at).minimum) : null
}
