import type {
  Dns,
  DnsAnswer,
  DnsData,
  DnsFailed,
  DnsFailure,
  DnsRecord,
  DnsReply,
  DnsType,
  DnsZone,
} from "../../apis/contract.ts"
import { messageOf } from "../../values/message-of.ts"
import { maxAliases, readAnswer, readReply, toRecord } from "./answer.ts"
import { DataReader } from "./data-reader.ts"
import type { Question, Response } from "./message.ts"
import { parentOf, toWireName, toWireNameOrRoot, type WireName } from "./name.ts"
import { runSteps } from "./turn-reader.ts"
import { readEntry } from "./zone-entry.ts"

/** Stands for every top-level name. */
const anyTop = "\u0001*\0"
const root = "\0"

/** The TTL of every record of a fixture. */
const ttlSeconds = 300

/**
 * DNS from a fixture: answers as a server with exactly these records would. TIMEOUT, SERVFAIL and REFUSED apply to every
 * type that the name has no record of.
 * The recorded reply of type DS at `*` is given for every top-level name without one.
 * @throws Error that names the invalid entry
 * @example
 * createZoneDns({ "example.com": [{ TXT: "v=spf1 -all" }], "slow.example": ["TIMEOUT"] })
 */
export function createZoneDns(zone: DnsZone): Dns {
  const nodes = readZone(zone)
  return {
    // The records of a node are kept by type, so the answer is of that type.
    resolve: <T extends DnsType>(name: string, type: T, signal?: AbortSignal) =>
      Promise.resolve(toAnswer(find(nodes, toWireName(name), type, signal), type) as DnsAnswer<T>),
    exchange: (name, type, _options, signal) =>
      Promise.resolve(toReply(nodes, find(nodes, toWireNameOrRoot(name), type, signal))),
  }
}

/** The records, alias or failure of a name. A name with only other names below it (RFC 8020) exists and is empty. */
interface Node {
  readonly records: Map<DnsType, Records>
  readonly recorded: Map<DnsType, Recorded>
  alias: WireName | null
  failure: DnsFailure | null
}

/** All records of a name and type: their data, and the same as they would be sent. */
interface Records {
  readonly data: DnsData[DnsType][]
  readonly wires: Buffer[]
}

/** The reply of a real server. */
interface Recorded {
  readonly question: Question
  readonly response: Response
}

type Nodes = ReadonlyMap<WireName, Node>

/** The result for a question in a zone, after the names that are aliases. */
type Found = { readonly passed: readonly WireName[]; readonly owner: WireName } & (
  | { readonly kind: "records"; readonly type: DnsType; readonly records: Records }
  | { readonly kind: "recorded"; readonly recorded: Recorded }
  | { readonly kind: "nodata" }
  | { readonly kind: "nxdomain" }
  | DnsFailed
)

function find(nodes: Nodes, name: WireName | null, type: DnsType, signal?: AbortSignal): Found {
  const passed: WireName[] = []
  if (signal?.aborted) return { kind: "failure", reason: "aborted", passed, owner: "" }
  for (let owner = name; ; ) {
    const node = owner === null ? undefined : nodes.get(owner)
    const unsigned = owner === null || hasAny(node, type) ? null : unsignedTop(nodes, owner, type)
    if (owner !== null && unsigned) return { kind: "recorded", recorded: unsigned, passed, owner }
    if (owner === null || !node) return { kind: "nxdomain", passed, owner: owner ?? "" }
    const recorded = node.recorded.get(type)
    if (recorded) return { kind: "recorded", recorded, passed, owner }
    const records = node.records.get(type)
    if (records) return { kind: "records", type, records, passed, owner }
    if (node.failure) return { kind: "failure", reason: node.failure, passed, owner }
    if (node.alias === null) return { kind: "nodata", passed, owner }
    passed.push(owner)
    owner = node.alias
    if (passed.includes(owner)) return { kind: "nodata", passed, owner }
    if (passed.length > maxAliases) return { kind: "failure", reason: "servfail", passed, owner }
  }
}

function hasAny(node: Node | undefined, type: DnsType): boolean {
  return node !== undefined && (node.recorded.has(type) || node.records.has(type) || node.failure !== null)
}

/** The recorded DS reply of `*`, for a top-level name without one: a signed proof that it need not be signed (RFC 5155 §6). */
function unsignedTop(nodes: Nodes, owner: WireName, type: DnsType): Recorded | undefined {
  return type === "DS" && parentOf(owner) === root ? nodes.get(anyTop)?.recorded.get(type) : undefined
}

function toAnswer(found: Found, type: DnsType): DnsAnswer {
  if (found.kind === "records") return { kind: "records", records: found.records.data, messageBytes: 0 }
  if (found.kind === "failure") return { kind: "failure", reason: found.reason }
  if (found.kind !== "recorded") return { kind: found.kind }
  const { question, response } = found.recorded
  const read = runSteps(readAnswer(response, { ...question, type }, found.passed))
  // A recorded reply is complete, so an alias that leads out of it leads nowhere.
  return read.kind === "answer" ? read.answer : { kind: "nodata" }
}

function toReply(nodes: Nodes, found: Found): DnsReply {
  if (found.kind === "failure") return { kind: "failure", reason: found.reason }
  const aliases = found.passed.flatMap((name) => recordsAt(nodes, name, "CNAME"))
  if (found.kind === "recorded") {
    const { reply } = runSteps(readReply(found.recorded.response, found.recorded.question))
    return { ...reply, answer: [...aliases, ...reply.answer] }
  }
  return {
    kind: "reply",
    rcode: found.kind === "nxdomain" ? "NXDOMAIN" : "NOERROR",
    authenticated: false,
    answer: found.kind === "records" ? [...aliases, ...recordsAt(nodes, found.owner, found.type)] : aliases,
    authority: found.kind === "records" ? [] : startOfZone(nodes, found.owner),
    messageBytes: 0,
  }
}

function recordsAt(nodes: Nodes, owner: WireName, type: DnsType): DnsRecord[] {
  const wires = nodes.get(owner)?.records.get(type)?.wires ?? []
  return wires.map((wire) => {
    const alone = Buffer.concat([Buffer.alloc(2), wire])
    return toRecord(owner, type, ttlSeconds, new DataReader(alone, 0, wire.length))
  })
}

/** The SOA of the zone that a name is in, if the fixture has one. */
function startOfZone(nodes: Nodes, name: WireName): DnsRecord[] {
  for (let owner: WireName | null = name; owner; owner = parentOf(owner)) {
    const found = recordsAt(nodes, owner, "SOA")
    if (found.length > 0) return found
  }
  return []
}

function readZone(zone: DnsZone): Nodes {
  const nodes = new Map<WireName, Node>()
  for (const [name, entries] of Object.entries(zone)) {
    const owner = toWireNameOrRoot(name)
    if (owner === null) throw new Error(`'${name}' is not a domain name`)
    const node = nodeAt(nodes, owner)
    for (const [index, entry] of entries.entries()) {
      try {
        place(node, entry, owner)
      } catch (thrown) {
        throw new Error(`entry ${index + 1} of '${name}' ${messageOf(thrown)}`)
      }
    }
  }
  for (const node of nodes.values()) {
    for (const { data } of node.records.values()) Object.freeze(data)
  }
  return nodes
}

function place(node: Node, entry: unknown, owner: WireName): void {
  const meaning = readEntry(entry, owner)
  if (meaning.kind === "record") add(node, meaning)
  else if (meaning.kind === "recorded") node.recorded.set(meaning.question.type, meaning)
  else if (meaning.kind === "failure") node.failure ??= meaning.reason
  else {
    if (node.alias === null) add(node, meaning.record)
    node.alias ??= meaning.target
  }
}

function add(node: Node, { type, data, wire }: { type: DnsType; data: DnsData[DnsType]; wire: Buffer }) {
  const records = node.records.getOrInsertComputed(type, () => ({ data: [], wires: [] }))
  records.data.push(Object.freeze(data))
  records.wires.push(wire)
}

function nodeAt(nodes: Map<WireName, Node>, owner: WireName): Node {
  const known = nodes.get(owner)
  if (known) return known
  const node: Node = { records: new Map(), recorded: new Map(), alias: null, failure: null }
  nodes.set(owner, node)
  const parent = parentOf(owner)
  if (parent !== null) nodeAt(nodes, parent)
  return node
}
