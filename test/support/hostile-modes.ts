/** The tricks of the hostile DNS server: each gives the messages that it sends for a query. */
import { createHash } from "node:crypto"
import { once } from "../../src/values/once.ts"
import { type DnsQuery, encodeReply, type ReplyParts, toWire } from "./dns-reply.ts"
import { dsData, keysOfTag, shorts, signature, tagOf, typeNumbers, zoneKey } from "./hostile-signer.ts"
import { dataOf, record, signedParts, signedSet, zoneOf } from "./hostile-zones.ts"

/** One trick. */
export interface Mode {
  /** In a few words. */
  readonly what: string
  /** The messages for a query; none for silence. */
  reply(query: DnsQuery, transport: "udp" | "tcp"): readonly Buffer[]
  /** Sends from another port. */
  readonly fromElsewhere?: boolean
  /** Closes connections at once, or before the last byte. */
  readonly closesTcp?: boolean
  readonly cutsTcp?: boolean
}

/** The message of a reply. */
export const encode = (query: DnsQuery, parts: ReplyParts): Buffer =>
  encodeReply(parts, query.ednsSize !== null)

type Change = (parts: ReplyParts, query: DnsQuery, transport: "udp" | "tcp") => Partial<ReplyParts>

/** Changes the reply that would be in order. */
const changed = (what: string, change: Change, more: Partial<Mode> = {}): Mode => ({
  what,
  reply(query, transport) {
    const parts = signedParts(query)
    return [encode(query, { ...parts, ...change(parts, query, transport) })]
  },
  ...more,
})

/** Answers with the same kind of records whatever is asked for; a datagram that is too long is cut, with TC. */
const records = (what: string, make: (query: DnsQuery) => Buffer[], more: Partial<Mode> = {}): Mode =>
  changed(what, (_, query, transport) => whole(make(query), transport), more)

function whole(answers: Buffer[], transport: "udp" | "tcp"): Partial<ReplyParts> {
  const length = answers.reduce((sum, one) => sum + one.length, 0)
  return transport === "udp" && length > 1_000
    ? { truncated: true, answers: [], authority: [] }
    : { answers, authority: [] }
}

/** A reply whose bytes are changed after it was encoded. */
function bytes(what: string, change: (message: Buffer, query: DnsQuery) => Buffer | readonly Buffer[]): Mode {
  return {
    what,
    reply(query) {
      const messages = change(encode(query, signedParts(query)), query)
      return Buffer.isBuffer(messages) ? [messages] : messages
    },
  }
}

function header(message: Buffer, change: (copy: Buffer) => void): Buffer {
  const copy = Buffer.from(message)
  change(copy)
  return copy
}

/** The set of the type that was asked for, and a number of other data. */
const many = (
  what: string,
  type: string,
  count: number,
  text: (index: number, query: DnsQuery) => string,
): Mode =>
  changed(what, (_, query, transport) => {
    if (query.type !== type) return {}
    const number = typeNumberIn(query)
    const answers = Array.from({ length: count }, (_, index) =>
      Buffer.concat([Buffer.of(0xc0, 12), record("", number, dataOf(type, text(index, query))).subarray(1)]),
    )
    return whole(fitting(answers), transport)
  })

/** A record of the name that was asked, with a pointer to the question in place of its owner. */
const shortened = (one: Buffer, { name }: DnsQuery): Buffer =>
  Buffer.concat([Buffer.of(0xc0, 12), one.subarray(toWire(name).length)])

/** As many records as a message of 64 KiB has room for. */
function fitting(answers: Buffer[]): Buffer[] {
  let left = 64_900
  return answers.filter((one) => {
    left -= one.length
    return left > 0
  })
}

const typeNumberIn = ({ question }: DnsQuery): number => question.readUInt16BE(question.length - 4)

const longLabel = "a".repeat(63)
/** 255 bytes on the wire. */
const longest = `${longLabel}.${longLabel}.${longLabel}.${"b".repeat(61)}`
const cname = (owner: string, target: string) => record(owner, 5, toWire(target))
const isZone = ({ name }: DnsQuery) => name.split(".").length === 2
/** A name that is different each time. */
const next = (name: string) => `n${createHash("sha1").update(name).digest("hex").slice(0, 8)}.${zoneOf(name)}`

/** Bytes that name themselves: the owner of a record is a pointer to `target`. */
function pointing(target: number, count = 1): Change {
  return () => ({
    answers: Array.from({ length: count }, () =>
      Buffer.concat([shorts(0xc000 | target), record("", 1, dataOf("A", "192.0.2.1")).subarray(1)]),
    ),
    authority: [],
  })
}

/** Signatures of the data with other times. */
const timed = (what: string, from: number, until: number): Mode => ({
  what,
  reply(query) {
    const now = Math.floor(Date.now() / 1000)
    return [encode(query, signedParts(query, { from: now + from, until: now + until }))]
  },
})

/** NSEC3 in place of every answer but the keys. */
const nsec3 = (what: string, iterations: number, count: number): Mode =>
  changed(what, (_, query, transport) => {
    if (isZone(query) && ["DS", "DNSKEY"].includes(query.type)) return {}
    if (!query.name.endsWith(".test")) return {}
    const zone = zoneOf(query.name)
    const salt = Buffer.alloc(255, 0xab)
    const authority = Array.from({ length: count }, (_, index) => {
      const owner = `${String(index).padStart(32, "0")}.${zone}`
      const data = Buffer.concat([
        Buffer.of(1, 0),
        shorts(iterations),
        Buffer.of(salt.length),
        salt,
        Buffer.of(20),
        Buffer.alloc(20, index + 1),
        Buffer.of(0, 1, 0x40),
      ])
      return signedSet(owner, typeNumbers.NSEC3, [data], zone)
    }).flat()
    const fit = fitting(authority)
    return transport === "udp"
      ? { truncated: true, answers: [], authority: [] }
      : { rcode: 3, answers: [], authority: fit }
  })

/** Forged signatures of the set that was asked for. */
const forgedSignatures = (what: string, count: number, algorithm = 13, bytesOfSignature = 64): Mode =>
  changed(what, (parts, query, transport) => {
    if (["DS", "DNSKEY"].includes(query.type) || parts.answers.length === 0) return {}
    if (!query.name.endsWith(".test")) return {}
    const [set = Buffer.alloc(0)] = parts.answers
    const true_ = signature(query.name, typeNumberIn(query), [], zoneOf(query.name))
    const forged = Array.from({ length: count }, (_, index) => {
      const data = Buffer.concat([true_.subarray(0, -64), Buffer.alloc(bytesOfSignature, index + 1)])
      data.writeUInt8(algorithm, 2)
      return Buffer.concat([Buffer.of(0xc0, 12), record("", typeNumbers.RRSIG, data).subarray(1)])
    })
    return whole([set, ...fitting(forged)], transport)
  })

/** Other keys of the zone besides, or in place of, its own. */
const withKeys = (what: string, keys: (own: Buffer) => Buffer[]): Mode =>
  changed(what, (_, query, transport) => {
    if (query.type !== "DNSKEY" || !isZone(query)) return {}
    const set = signedSet(query.name, typeNumbers.DNSKEY, keys(zoneKey), query.name)
    return whole(
      set.map((one) => shortened(one, query)),
      transport,
    )
  })

/**
 * Made when they are first asked for: as many addresses as a message has room for, of the root and of the name that was asked.
 */
const ofRoot = once(() => Array.from({ length: 4_000 }, () => record("", 1, dataOf("A", "192.0.2.1"))))
const ofName = once(() =>
  fitting(
    Array.from({ length: 10_000 }, (_, index) =>
      Buffer.concat([
        Buffer.of(0xc0, 12),
        record("", 1, Buffer.of(10, 0, index >> 8, index & 255)).subarray(1),
      ]),
    ),
  ),
)
const otherKeys = once(() => keysOfTag(tagOf(zoneKey), 700))

const silence: Mode["reply"] = () => []
const truncated: Change = () => ({ truncated: true, answers: [], authority: [] })
const rcode = (what: string, code: number) =>
  changed(what, () => ({ rcode: code, answers: [], authority: [] }))

/** Every trick by its label. */
export const hostileModes: Readonly<Record<string, Mode>> = {
  silent: { what: "no answer", reply: silence },
  servfail: rcode("SERVFAIL", 2),
  refused: rcode("REFUSED", 5),
  formerr: rcode("FORMERR, with and without EDNS", 1),
  notimp: rcode("NOTIMP", 4),
  yxdomain: rcode("a code that no query gets", 6),
  truncated: changed("TC over UDP and TCP", truncated),
  "tcp-closed": changed("TC, and connections that close", truncated, { closesTcp: true }),
  "tcp-cut": changed("TC, and messages without their last byte", truncated, { cutsTcp: true }),
  "tcp-silent": {
    what: "TC, and connections without an answer",
    reply: (query, transport) =>
      transport === "tcp"
        ? []
        : [encode(query, { ...signedParts(query), truncated: true, answers: [], authority: [] })],
  },
  "forged-id": bytes("answers with another id alone", (message) =>
    header(message, (copy) => copy.writeUInt16BE(copy.readUInt16BE(0) ^ 0x5555, 0)),
  ),
  "forged-question": bytes("answers to another question alone", (message, query) =>
    Buffer.concat([
      message.subarray(0, 12),
      toWire("evil.example"),
      message.subarray(12 + query.question.length - 4),
    ]),
  ),
  "forged-source": changed("answers from another port", () => ({}), { fromElsewhere: true }),
  "forged-many": bytes("500 forged answers before the true one", (message) => [
    ...Array.from({ length: 500 }, (_, index) => header(message, (copy) => copy.writeUInt16BE(index, 0))),
    message,
  ]),
  garbage: bytes("bytes that are no message", (message) => Buffer.alloc(message.length, 0xee)),
  empty: bytes("empty datagrams", () => Buffer.alloc(0)),
  short: bytes("half a header", (message) => message.subarray(0, 6)),
  query: bytes("the query back", (message) => header(message, (copy) => copy.writeUInt8(1, 2))),
  "no-question": bytes("an answer without its question", (message, query) =>
    header(Buffer.concat([message.subarray(0, 12), message.subarray(12 + query.question.length)]), (copy) =>
      copy.writeUInt16BE(0, 4),
    ),
  ),
  "counts-too-high": bytes("65,535 records in the header, few in the message", (message) =>
    header(message, (copy) => copy.writeUInt16BE(65_535, 6)),
  ),
  "other-class": bytes("records of class CH", (message, query) =>
    header(message, (copy) => {
      const at = 12 + query.question.length + query.name.length + (query.name === "" ? 3 : 4)
      if (at + 2 < copy.length) copy.writeUInt16BE(3, at)
    }),
  ),
  "negative-ttl": records("TTLs with the highest bit set", (query) => [
    record(query.name, 1, dataOf("A", "192.0.2.1"), 0xffff_ffff),
  ]),
  "cname-self": records("an alias of itself", ({ name }) => [cname(name, name)]),
  "cname-two": records("two names that are aliases of each other", ({ name }) => {
    const other = name.startsWith("x.") ? name.slice(2) : `x.${name}`
    return [cname(name, other), cname(other, name)]
  }),
  "cname-endless": records("an alias of a new name each time", ({ name }) => [cname(name, next(name))]),
  "cname-chain": records("100 aliases in one reply", ({ name }) =>
    Array.from({ length: 100 }, (_, index) =>
      cname(index === 0 ? name : `c${index}.${zoneOf(name)}`, `c${index + 1}.${zoneOf(name)}`),
    ),
  ),
  "cname-root": records("an alias of the root", ({ name }) => [cname(name, "")]),
  "dname-growing": records("an alias of a tree below itself", ({ name }) => [
    record(zoneOf(name), 39, toWire(`more.${zoneOf(name)}`)),
    cname(name, `${name.split(".").slice(0, -2).join(".")}.more.${zoneOf(name)}`),
  ]),
  lame: bytes("a delegation to itself", (_, query) =>
    header(
      encode(query, {
        ...signedParts(query),
        answers: [],
        authority: [record(zoneOf(query.name), 2, toWire(`ns.${zoneOf(query.name)}`))],
      }),
      (copy) => copy.writeUInt16BE(0x8000, 2),
    ),
  ),
  "lame-up": bytes("a delegation to the root", (_, query) =>
    header(
      encode(query, { ...signedParts(query), answers: [], authority: [record("", 2, toWire("ns.test"))] }),
      (copy) => copy.writeUInt16BE(0x8000, 2),
    ),
  ),
  "delegations-endless": changed("a zone of its own at every name", (_, query) =>
    query.type === "DS"
      ? { answers: signedSet(query.name, typeNumbers.DS, [dsData(query.name)], zoneOf(query.name)) }
      : {},
  ),
  "nxdomain-with-data": changed("records of a name that does not exist", () => ({ rcode: 3 })),
  "other-names": records("4,000 records of other names", () => ofRoot()),
  "other-names-too": changed("records of other names beside the true ones", (parts) => ({
    answers: [
      ...Array.from({ length: 20 }, (_, index) => record(`o${index}.test`, 1, dataOf("A", "6.6.6.6"))),
      ...parts.answers,
    ],
  })),
  "ten-thousand": records("as many records as a message has room for, of 10,000", () => ofName()),
  "many-mx": many(
    "2,000 mail servers",
    "MX",
    2_000,
    (index, { name }) => `${index} m${index}.${zoneOf(name)}.`,
  ),
  "many-txt": many(
    "1,000 policies",
    "TXT",
    1_000,
    (index) => `"v=spf1 include:i${index}.many-txt.test -all"`,
  ),
  "many-ptr": many("2,000 names of an address", "PTR", 2_000, (index) => `p${index}.many-ptr.test.`),
  "many-tlsa": many(
    "1,000 TLSA records",
    "TLSA",
    1_000,
    (index) => `3 1 1 ${index.toString(16).padStart(64, "0")}`,
  ),
  "many-caa": many("2,000 CAA records", "CAA", 2_000, (index) => `0 issue "ca${index}.example"`),
  "long-txt": many("a text of 60,000 bytes", "TXT", 1, () =>
    Array(240)
      .fill(`"${"v=spf1 a ".repeat(27)}"`)
      .join(" "),
  ),
  "include-self": many(
    "a policy that includes itself",
    "TXT",
    1,
    (_, { name }) => `"v=spf1 include:${name} -all"`,
  ),
  "include-fan": many(
    "policies that include ten new names each",
    "TXT",
    1,
    (_, { name }) =>
      `"v=spf1 ${Array.from({ length: 9 }, (_, index) => `include:${index}.${next(name)}`).join(" ")} -all"`,
  ),
  "dmarc-fan": many(
    "900 addresses for reports",
    "TXT",
    1,
    () =>
      `"v=DMARC1; p=none; rua="${Array.from({ length: 900 }, (_, index) => ` "mailto:a@r${index}.example,"`).join("")}`,
  ),
  "long-names": records("names of 255 bytes", ({ name, type, ...query }) => [
    record(
      name,
      typeNumberIn({ name, type, ...query }),
      type === "MX" ? Buffer.concat([shorts(1), toWire(longest)]) : toWire(longest),
    ),
  ]),
  "odd-labels": records("labels with dots, zeros and backslashes", ({ name, type, ...query }) => {
    const odd = Buffer.concat([
      Buffer.from("\x03a.b\x02\\.\x02\\\\\x01\0\x02\xff ", "latin1"),
      toWire("odd-labels.test"),
    ])
    const data = type === "MX" ? Buffer.concat([shorts(1), odd]) : odd
    return [record(name, typeNumberIn({ name, type, ...query }), data)]
  }),
  "pointer-self": changed("an owner that points at itself", (_, query, transport) =>
    pointing(12 + query.question.length)({ ...signedParts(query) }, query, transport),
  ),
  "pointer-forward": changed("an owner that points past the end", pointing(0x3fff)),
  "pointer-chain": changed("names made of 120 pointers each", (_, query) => ({
    answers: [
      record("", 16, Buffer.alloc(250, 1)),
      ...Array.from({ length: 120 }, (_, index) =>
        Buffer.concat([
          shorts(0xc000 | (12 + (index % 8))),
          record("", 1, dataOf("A", "192.0.2.1")).subarray(1),
        ]),
      ),
    ],
    id: query.id,
  })),
  "data-too-long": bytes("a length of data past the end", (message, query) =>
    header(message, (copy) => {
      const at = 12 + query.question.length + (query.name === "" ? 1 : query.name.length + 2) + 8
      if (at + 2 <= copy.length) copy.writeUInt16BE(65_535, at)
    }),
  ),
  "data-too-short": records("data of one byte", ({ name, ...query }) => [
    record(name, typeNumberIn({ name, ...query }), Buffer.of(1)),
  ]),
  "bad-opt": bytes("two OPT records of an unknown version", (message) =>
    header(Buffer.concat([message, Buffer.from([0, 0, 41, 4, 208, 9, 9, 0, 0, 0, 0])]), (copy) =>
      copy.writeUInt16BE(copy.readUInt16BE(10) + 1, 10),
    ),
  ),
  expired: timed("signatures that expired a second ago", -100, -1),
  expiring: timed("signatures that expire while the call runs", -100, 1),
  "not-yet": timed("signatures of a clock that is an hour ahead", 3_600, 7_200),
  "times-swapped": timed("signatures that end before they begin", 7_200, 3_600),
  "far-times": timed("signatures for 68 years", -0x7fff_0000, 0x7fff_0000),
  unsigned: changed("records without signatures", (parts, { type, name }) =>
    ["DS", "DNSKEY"].includes(type) || !name.endsWith(".test")
      ? {}
      : { answers: parts.answers.slice(0, 1), authority: [] },
  ),
  "keys-of-one-tag": withKeys("700 keys of one tag", (own) => [own, ...otherKeys()]),
  "many-keys": withKeys("800 keys", (own) => [
    own,
    ...Array.from({ length: 800 }, (_, index) =>
      Buffer.concat([own.subarray(0, 4), createHash("sha512").update(`${index}`).digest()]),
    ),
  ]),
  "long-keys": withKeys("keys of 16,000 bytes", (own) => [
    own,
    Buffer.concat([own.subarray(0, 3), Buffer.of(8), Buffer.alloc(16_000, 0xfe)]),
  ]),
  "many-ds": changed("800 DS records", (_, query, transport) =>
    query.type === "DS" && isZone(query)
      ? whole(
          signedSet(
            query.name,
            typeNumbers.DS,
            Array.from({ length: 800 }, (_, index) =>
              Buffer.concat([
                dsData(query.name).subarray(0, 4),
                createHash("sha256").update(`${index}`).digest(),
              ]),
            ),
            "",
          ),
          transport,
        )
      : {},
  ),
  "many-signatures": forgedSignatures("600 signatures by one tag", 600),
  "signatures-ed448": forgedSignatures("400 signatures of another algorithm", 400, 16, 114),
  "nsec3-65535": nsec3("NSEC3 of 65,535 iterations", 65_535, 4),
  "nsec3-150": nsec3("130 NSEC3 of 150 iterations and a salt of 255 bytes", 150, 130),
}
