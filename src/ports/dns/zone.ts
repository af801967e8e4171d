import type { Dns, DnsAnswer, DnsData, DnsFailure, DnsType, DnsZone } from "../../apis/contract.ts"
import { messageOf } from "../../values/message-of.ts"
import { maxAliases } from "./answer.ts"
import { parentOf, toWireName, type WireName } from "./name.ts"
import { readEntry } from "./zone-entry.ts"

/**
 * DNS from a fixture: answers as a server with exactly these records would. TIMEOUT, SERVFAIL and REFUSED apply to every
 * type that the name has no record of.
 * @throws Error that names the invalid entry
 * @example
 * createZoneDns({ "example.com": [{ TXT: "v=spf1 -all" }], "slow.example": ["TIMEOUT"] })
 */
export function createZoneDns(zone: DnsZone): Dns {
  const nodes = readZone(zone)
  return {
    // The records of a node are kept by type, so the answer is of that type.
    resolve: <T extends DnsType>(name: string, type: T, signal?: AbortSignal) =>
      Promise.resolve(answer(nodes, name, type, signal) as DnsAnswer<T>),
  }
}

/** The records, alias or failure of a name. A name with only other names below it (RFC 8020) exists and is empty. */
interface Node {
  readonly records: Map<DnsType, DnsData[DnsType][]>
  alias: WireName | null
  failure: DnsFailure | null
}

type Nodes = ReadonlyMap<WireName, Node>

function answer(nodes: Nodes, name: string, type: DnsType, signal?: AbortSignal): DnsAnswer {
  if (signal?.aborted) return { kind: "failure", reason: "aborted" }
  const passed = new Set<WireName>()
  let owner = toWireName(name)
  for (;;) {
    const node = owner === null ? undefined : nodes.get(owner)
    if (owner === null || !node) return { kind: "nxdomain" }
    const records = node.records.get(type)
    if (records) return { kind: "records", records, messageBytes: 0 }
    if (node.failure) return { kind: "failure", reason: node.failure }
    passed.add(owner)
    owner = node.alias
    if (owner === null || passed.has(owner)) return { kind: "nodata" }
    if (passed.size > maxAliases) return { kind: "failure", reason: "servfail" }
  }
}

function readZone(zone: DnsZone): Nodes {
  const nodes = new Map<WireName, Node>()
  for (const [name, entries] of Object.entries(zone)) {
    const owner = toWireName(name)
    if (owner === null) throw new Error(`'${name}' is not a domain name`)
    const node = nodeAt(nodes, owner)
    for (const [index, entry] of entries.entries()) {
      try {
        place(node, entry)
      } catch (thrown) {
        throw new Error(`entry ${index + 1} of '${name}' ${messageOf(thrown)}`)
      }
    }
  }
  for (const node of nodes.values()) {
    for (const records of node.records.values()) Object.freeze(records)
  }
  return nodes
}

function place(node: Node, entry: unknown): void {
  const meaning = readEntry(entry)
  switch (meaning.kind) {
    case "record": {
      const records = node.records.get(meaning.type)
      if (records) records.push(meaning.data)
      else node.records.set(meaning.type, [meaning.data])
      break
    }
    case "alias":
      node.alias ??= meaning.target
      break
    case "failure":
      node.failure ??= meaning.reason
  }
}

function nodeAt(nodes: Map<WireName, Node>, owner: WireName): Node {
  const known = nodes.get(owner)
  if (known) return known
  const node: Node = { records: new Map(), alias: null, failure: null }
  nodes.set(owner, node)
  const parent = parentOf(owner)
  if (parent !== null) nodeAt(nodes, parent)
  return node
}
