/** The entries of a zone `LABEL.test` that is signed by a root of its own, for DNS that is given. */
import type { DnsType, DnsZone } from "../../src/apis/contract.ts"
import { encodeQuery } from "../../src/ports/dns/message.ts"
import { toWireNameOrRoot } from "../../src/ports/dns/name.ts"
import { typeNumberOf } from "../../src/ports/dns/record-types.ts"
import { encodeReply, readQuery, toWire } from "./dns-reply.ts"
import { dsData, rootKey, typeNumbers, zoneKey } from "./hostile-signer.ts"
import { dataOf, signedSet } from "./hostile-zones.ts"

const types = [
  "A",
  "AAAA",
  "CNAME",
  "DNSKEY",
  "DS",
  "MX",
  "SOA",
  "TLSA",
] as const satisfies readonly DnsType[]
/** The data of a name by type, as a zone file writes it. */
type Records = Readonly<Record<string, Partial<Record<DnsType, readonly string[]>>>>

/**
 * Signs a zone. Its trust anchor is `hostileAnchor`.
 * @param now when the signatures are valid: from a day before to ten days after
 */
export function signedEntries(zone: string, records: Records, now: string): DnsZone {
  const seconds = Date.parse(now) / 1000
  const times = { from: seconds - 86_400, until: seconds + 864_000 }
  const names = ["", "test", ...Object.keys(records)]
  return Object.fromEntries(
    names.map((name) => [
      name || ".",
      types.map((type) => ({ ANSWER: { type, message: reply(name, type).toString("base64") } })),
    ]),
  )

  function reply(name: string, type: DnsType): Buffer {
    const wire = toWireNameOrRoot(name || ".")
    if (wire === null) throw new Error(`no name: ${name}`)
    const { id, question } = readQuery(encodeQuery({ name: wire, type, dnssec: "records" }, 1, true))
    const data = dataAt(name, type)
    // The records of a delegation are those of the zone above.
    const signer = name === "" || name === "test" || type === "DS" ? "" : zone
    const number = typeNumberOf(type) ?? 0
    const set = data.length > 0 ? signedSet(name, number, data, signer, times) : []
    const proof = data.length > 0 ? [] : signedSet(name, typeNumbers.NSEC, [textAlone(name)], signer, times)
    return encodeReply({ id, question, rcode: 0, truncated: false, answers: set, authority: proof }, true)
  }

  function dataAt(name: string, type: DnsType): readonly Buffer[] {
    if (type === "DNSKEY" && name === "") return [rootKey]
    if (type === "DNSKEY" && name === zone) return [zoneKey]
    if (type === "DS" && name === zone) return [dsData(zone)]
    return (records[name]?.[type] ?? []).map((text) => dataOf(type, text))
  }
}

/** The data of an NSEC record that shows that a name has a TXT record alone. */
const textAlone = (name: string): Buffer => Buffer.concat([toWire(`\0.${name}`), Buffer.of(0, 3, 0, 0, 0x80)])
