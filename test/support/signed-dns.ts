/** The DNS of the signed zones in test/data/dnssec: as a server on loopback, and without one. */
import type { Dns, DnsType } from "../../src/apis/contract.ts"
import { readReply } from "../../src/ports/dns/answer.ts"
import { encodeQuery, type Question, readResponse } from "../../src/ports/dns/message.ts"
import { toWireNameOrRoot } from "../../src/ports/dns/name.ts"
import { runSteps } from "../../src/ports/dns/turn-reader.ts"
import { encodeReply, type ReplyParts, readQuery } from "./dns-reply.ts"
import { startDnsServer } from "./dns-server.ts"
import { answerFrom, loadSignedZones } from "./signed-zones.ts"

/** Changes a reply before it is sent; null is silence. */
export type Tampering = (reply: ReplyParts, name: string, type: string) => ReplyParts | null

const zones = loadSignedZones()

/** Starts a server of the signed zones. */
export const startSignedDnsServer = () => startDnsServer({}, { answer: (query) => answerFrom(zones, query) })

/** Asks the signed zones without a network. Replies go through the same encoding and decoding as on the way from a server. */
export function createSignedDns(tamper: Tampering = (reply) => reply) {
  const questions: string[] = []
  const exchange: Dns["exchange"] = async (name, type, { dnssec = false } = {}) => {
    questions.push(`${name} ${type}`)
    return ask(name, type, dnssec, tamper)
  }
  return { exchange, questions }
}

/** A whole reply with the records of DNSSEC, as the server sends it. */
export const signedMessage = (name: string, type: DnsType): Buffer =>
  encodeReply(answerFrom(zones, readQuery(encodeQuery(questionFor(name, type, true), 1, true))), true)

/**
 * A reply for the DS records of a name that proves of every top-level name that it need not be signed: with all NSEC3 records of
 * the root.
 */
export function unsignedMessage(name: string): Buffer {
  const query = readQuery(encodeQuery(questionFor(name, "DS", true), 1, true))
  const proofs = [..."abcdefghijklmnopqrstuvwxyz"].flatMap(
    (top) => answerFrom(zones, { ...query, name: top }).authority,
  )
  const authority = [...new Map(proofs.map((wire) => [wire.toString("hex"), wire])).values()]
  return encodeReply({ ...answerFrom(zones, query), authority }, true)
}

function questionFor(name: string, type: DnsType, dnssec: boolean): Question {
  const wire = toWireNameOrRoot(name)
  if (wire === null) throw new Error(`no name: ${name}`)
  return { name: wire, type, ...(dnssec && { dnssec: "records" }) }
}

function ask(name: string, type: DnsType, dnssec: boolean, tamper: Tampering) {
  const question = questionFor(name, type, dnssec)
  const query = readQuery(encodeQuery(question, 1, true))
  const parts = tamper(answerFrom(zones, query), query.name, query.type)
  if (parts === null) return { kind: "failure" as const, reason: "timeout" as const }
  const response = readResponse(encodeReply(parts, true), question, 1)
  if (typeof response === "string") throw new Error(`the reply for ${name} ${type} is ${response}`)
  return runSteps(readReply(response, question)).reply
}
