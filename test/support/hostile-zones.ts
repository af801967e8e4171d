/** The zones of the hostile DNS server as they would be in order: each `LABEL.test` is a signed zone with a few records. */
import { parseData } from "../../src/ports/dns/record-formats.ts"
import { typeNameOf, typeNumberOf } from "../../src/ports/dns/record-types.ts"
import { type DnsQuery, type ReplyParts, toRecord, toWire } from "./dns-reply.ts"
import {
  dsData,
  rootKey,
  type SigningOptions,
  shorts,
  signature,
  typeNumbers,
  zoneKey,
} from "./hostile-signer.ts"

/** A record of the data alone. */
export const record = (owner: string, type: number, data: Buffer, ttlSeconds = 300): Buffer =>
  toRecord(toWire(owner), type, ttlSeconds, Buffer.concat([shorts(data.length), data]))

/** The data of a type as a zone file writes them. */
export const dataOf = (type: string, text: string): Buffer =>
  parseData(typeNameOf(typeNumberOf(type) ?? 0), text)

/** The zone of a name: its last two labels. */
export const zoneOf = (name: string): string => name.split(".").slice(-2).join(".")

/** Records and their signature by a zone. */
export function signedSet(
  owner: string,
  type: number,
  data: readonly Buffer[],
  signer: string,
  options?: SigningOptions,
): Buffer[] {
  const rrsig = signature(owner, type, data, signer, options)
  return [...data.map((one) => record(owner, type, one)), record(owner, typeNumbers.RRSIG, rrsig)]
}

/** The reply to a query as it should be, with signatures if they are asked for. */
export function signedParts(query: DnsQuery, options?: SigningOptions): ReplyParts {
  const { id, question, name, type } = query
  const parts: ReplyParts = { id, question, rcode: 0, truncated: false, answers: [], authority: [] }
  const number = typeNumberOf(type) ?? 0
  const shown = (set: Buffer[]) => (query.flags.do ? set : set.slice(0, -1))
  const isZone = name.split(".").length === 2 && name.endsWith(".test")
  if (name === "") {
    if (type === "DNSKEY") parts.answers = shown(signedSet("", number, [rootKey], ""))
  } else if (type === "DS" && isZone) parts.answers = shown(signedSet(name, number, [dsData(name)], ""))
  else if (type === "DNSKEY" && isZone)
    parts.answers = shown(signedSet(name, number, [zoneKey], name, options))
  else {
    const text = usualText(type, name)
    const signer = /\.test$/.test(name) ? zoneOf(name) : ""
    if (text !== null && signer !== "")
      parts.answers = shown(signedSet(name, number, [dataOf(type, text)], signer, options))
    else if (text !== null) parts.answers = [record(name, number, dataOf(type, text))]
    else if (query.flags.do) parts.authority = signedSet(name, typeNumbers.NSEC, [nsecData(name)], signer)
  }
  return parts
}

/** The records of a name and type; null if there are none. */
function usualText(type: string, name: string): string | null {
  const zone = zoneOf(name)
  if (name.startsWith("_dmarc.") && type === "TXT") return '"v=DMARC1; p=reject"'
  if (name.includes("._domainkey.") && type === "TXT") return '"v=DKIM1; p="'
  if (name.startsWith("_smtp._tls.") && type === "TXT") return '"v=TLSRPTv1; rua=mailto:a@example.com"'
  const texts: Readonly<Record<string, string>> = {
    A: "192.0.2.1",
    AAAA: "2001:db8::1",
    MX: `10 mail.${zone}.`,
    TXT: '"v=spf1 a mx ptr include:more.example -all"',
    PTR: `host.${reverseZone(name) ?? zone}.`,
    CAA: '0 issue "ca.example"',
    TLSA: `3 1 1 ${"5e".repeat(32)}`,
  }
  return texts[type] ?? null
}

/** The trick of an address is also the zone of its name. */
function reverseZone(name: string): string | null {
  const number = /(?:^|\.)(\d+)\.0\.10\.in-addr\.arpa$/.exec(name)?.[1]
  return number === undefined ? null : `mode${number}.test`
}

/** Shows that a name has a TXT record alone. */
const nsecData = (name: string): Buffer => Buffer.concat([toWire(`\0.${name}`), Buffer.of(0, 3, 0, 0, 0x80)])
