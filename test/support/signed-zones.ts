/**
 * The signed zones of test/data/dnssec, answered as an authoritative server of all of them does: with denials, wildcards and
 * aliases.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parseData } from "../../src/ports/dns/record-formats.ts"
import { typeNameOf, typeNumberOf } from "../../src/ports/dns/record-types.ts"
import { type DnsQuery, type ReplyParts, toRecord, toWire } from "./dns-reply.ts"
import { above, ancestors, compareNames, hashOf, isBelow } from "./zone-names.ts"

/** A record; names are in lower case and without a trailing dot. */
interface SignedRecord {
  readonly owner: string
  readonly ttlSeconds: number
  readonly type: string
  /** The type that it signs, of an RRSIG. */
  readonly covers: string | null
  readonly text: string
  readonly data: Buffer
}

interface Zone {
  readonly origin: string
  /** By owner, without what is below a delegation. Names with records only below them are there, without records. */
  readonly nodes: ReadonlyMap<string, readonly SignedRecord[]>
  /** The names with NSEC, in canonical order (RFC 4034 §6.1). */
  readonly chain: readonly string[]
  /** How names are hashed; null without NSEC3. */
  readonly hashing: { readonly salt: Buffer; readonly iterations: number } | null
  /** The hashes of NSEC3, in order. */
  readonly hashes: readonly string[]
}

interface Found {
  rcode: number
  answer: SignedRecord[]
  authority: SignedRecord[]
}

const folder = join(import.meta.dir, "../data/dnssec")
const nxDomain = 3
const denials = ["NSEC", "NSEC3"]

/** The trust anchor of the zones: the data of a DS record, as a zone file writes them. */
export const testAnchor = readFileSync(join(folder, "anchor.txt"), "utf8")
  .trim()
  .replace(/^.* DS /, "")

/** Reads all zones. */
export function loadSignedZones(): ReadonlyMap<string, Zone> {
  const files = readdirSync(folder).filter((file) => file.endsWith(".zone"))
  const zones = files.map((file) => {
    const origin = file === "root.zone" ? "" : file.slice(0, -".zone".length)
    return readZone(origin.replace(/\.$/, ""), readFileSync(join(folder, file), "utf8"))
  })
  return new Map(zones.map((zone) => [zone.origin, zone]))
}

/**
 * The reply of a server of all zones, which follows aliases from zone to zone. The records of DNSSEC are there when they are
 * asked for.
 */
export function answerFrom(zones: ReadonlyMap<string, Zone>, query: DnsQuery): ReplyParts {
  const found: Found = { rcode: 0, answer: [], authority: [] }
  const passed = new Set<string>()
  for (let name: string | null = query.name; name !== null && !passed.has(name) && passed.size < 10; ) {
    passed.add(name)
    name = lookUp(zoneOf(zones, name, query.type), name, query.type, found)
  }
  const isShown = (record: SignedRecord) =>
    query.flags.do || record.type === query.type || !["RRSIG", ...denials].includes(record.type)
  const toWires = (records: readonly SignedRecord[]) => [...new Set(records)].filter(isShown).map(encode)
  return {
    id: query.id,
    question: query.question,
    rcode: found.rcode,
    truncated: false,
    answers: toWires(found.answer),
    authority: toWires(found.authority),
  }
}

/** The zone that a name is in. The DS records of a zone are in its parent. */
function zoneOf(zones: ReadonlyMap<string, Zone>, name: string, type: string): Zone {
  const from = type === "DS" && name !== "" ? above(name) : name
  for (const origin of ancestors(from)) {
    const zone = zones.get(origin)
    if (zone) return zone
  }
  throw new Error("there is no root zone")
}

/** Adds what a zone says of a name, and returns the name to go on with, if it is an alias. */
function lookUp(zone: Zone, name: string, type: string, found: Found): string | null {
  const node = zone.nodes.get(name)
  if (node) return answerNode(zone, node, { name, type, found, proof: [] })
  for (const owner of ancestors(name)) {
    const target = zone.nodes.get(owner)?.find((record) => record.type === "DNAME")?.text
    if (target === undefined) continue
    const alias = `${name.slice(0, -owner.length)}${target}`
    found.answer.push(...recordsOf(zone.nodes.get(owner) ?? [], "DNAME"), synthesized(name, alias))
    return alias.replace(/\.$/, "").toLowerCase()
  }
  const encloser = ancestors(above(name)).find((one) => zone.nodes.has(one)) ?? zone.origin
  const wildcard = zone.nodes.get(under("*", encloser))
  const nextCloser = ancestors(name).find((one) => one !== "" && above(one) === encloser) ?? name
  const noCloser = zone.hashing ? covering(zone, nextCloser) : covering(zone, name)
  if (wildcard) {
    const expanded = wildcard.map((record) => ({ ...record, owner: name }))
    const hashed = zone.hashing ? [...matching(zone, encloser), ...noCloser] : noCloser
    const hasType = expanded.some((record) => record.type === type || record.type === "CNAME")
    const proof = hasType ? noCloser : [...hashed, ...matching(zone, under("*", encloser))]
    return answerNode(zone, expanded, { name, type, found, proof })
  }
  found.rcode = nxDomain
  found.authority.push(...recordsOf(zone.nodes.get(zone.origin) ?? [], "SOA"), ...noCloser)
  if (zone.hashing) found.authority.push(...matching(zone, encloser))
  found.authority.push(...covering(zone, under("*", encloser)))
  return null
}

function answerNode(
  zone: Zone,
  node: readonly SignedRecord[],
  { name, type, found, proof }: { name: string; type: string; found: Found; proof: readonly SignedRecord[] },
): string | null {
  found.authority.push(...proof)
  const records = recordsOf(node, type)
  const [alias] = node.filter((record) => record.type === "CNAME")
  if (records.length === 0 && alias) {
    found.answer.push(...recordsOf(node, "CNAME"))
    return alias.text.replace(/\.$/, "").toLowerCase()
  }
  found.answer.push(...records)
  if (records.length > 0) return null
  found.authority.push(...recordsOf(zone.nodes.get(zone.origin) ?? [], "SOA"))
  if (proof.length === 0) found.authority.push(...noData(zone, name))
  return null
}

/** Records that show that an existing name lacks a type. */
function noData(zone: Zone, name: string): SignedRecord[] {
  const own = matching(zone, name)
  if (own.length > 0) return own
  if (!zone.hashing) return covering(zone, name)
  // Only a name in a span of opt-out has no NSEC3 of its own (RFC 5155 §7.2.4).
  const encloser = ancestors(above(name)).find((one) => matching(zone, one).length > 0) ?? zone.origin
  const nextCloser = ancestors(name).find((one) => one !== "" && above(one) === encloser) ?? name
  return [...matching(zone, encloser), ...covering(zone, nextCloser)]
}

/** The NSEC or NSEC3 of a name. */
function matching(zone: Zone, name: string): SignedRecord[] {
  const owner = zone.hashing ? under(hashOf(name, zone.hashing), zone.origin) : name
  return denials.flatMap((type) => recordsOf(zone.nodes.get(owner) ?? [], type))
}

/** The NSEC or NSEC3 that shows that a name is not there. */
function covering(zone: Zone, name: string): SignedRecord[] {
  if (zone.hashing) {
    const hash = hashOf(name, zone.hashing)
    const before = zone.hashes.findLast((one) => one < hash) ?? zone.hashes.at(-1)
    return recordsOf(zone.nodes.get(under(before ?? "", zone.origin)) ?? [], "NSEC3")
  }
  const before = zone.chain.findLast((one) => compareNames(one, name) < 0)
  return before === undefined ? [] : recordsOf(zone.nodes.get(before) ?? [], "NSEC")
}

/** The records of a type, and their signatures. */
const recordsOf = (node: readonly SignedRecord[], type: string): SignedRecord[] =>
  node.filter((record) => record.type === type || (record.covers === type && type !== "RRSIG"))

function readZone(origin: string, text: string): Zone {
  const records = text.trimEnd().split("\n").map(readLine)
  const cuts = records
    .filter(({ type, owner }) => type === "NS" && owner !== origin)
    .map(({ owner }) => owner)
  const nodes = new Map<string, SignedRecord[]>()
  for (const record of records.filter(({ owner }) => !cuts.some((cut) => isBelow(owner, cut)))) {
    nodes.set(record.owner, [...(nodes.get(record.owner) ?? []), record])
    // The owners of NSEC3 are no names of the zone.
    if (record.type === "NSEC3" || record.covers === "NSEC3") continue
    for (let name = record.owner; name !== origin; name = above(name)) nodes.set(name, nodes.get(name) ?? [])
  }
  const ownersOf = (type: string) =>
    [...nodes].filter(([, all]) => all.some((one) => one.type === type)).map(([owner]) => owner)
  const [, , iterations, salt = "-"] =
    records.find(({ type }) => type === "NSEC3PARAM")?.text.split(" ") ?? []
  return {
    origin,
    nodes,
    chain: ownersOf("NSEC").sort(compareNames),
    hashing:
      iterations === undefined
        ? null
        : { iterations: Number(iterations), salt: Buffer.from(salt === "-" ? "" : salt, "hex") },
    hashes: ownersOf("NSEC3")
      .map((owner) => owner.split(".")[0] ?? "")
      .sort(),
  }
}

function readLine(line: string): SignedRecord {
  const [, owner = "", ttl, type = "", text = ""] = /^(\S+) (\d+) IN (\S+) (.*)$/.exec(line) ?? []
  const number = typeNumberOf(type)
  if (number === null) throw new Error(`no record: ${line}`)
  return {
    owner: owner.toLowerCase().replace(/\.$/, ""),
    ttlSeconds: Number(ttl),
    type,
    covers: type === "RRSIG" ? (text.split(" ")[0] ?? "") : null,
    text,
    data: parseData(typeNameOf(number), text),
  }
}

/** The alias that a DNAME makes of a name below it, which nobody signs (RFC 6672 §3.1). */
const synthesized = (owner: string, target: string): SignedRecord => ({
  owner,
  ttlSeconds: 300,
  type: "CNAME",
  covers: null,
  text: target,
  data: parseData("CNAME", target),
})

function encode({ owner, type, ttlSeconds, data }: SignedRecord): Buffer {
  const length = Buffer.from([data.length >> 8, data.length & 255])
  return toRecord(toWire(owner), typeNumberOf(type) ?? 0, ttlSeconds, Buffer.concat([length, data]))
}

const under = (label: string, name: string): string => (name === "" ? label : `${label}.${name}`)
