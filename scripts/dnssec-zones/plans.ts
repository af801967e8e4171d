/** The contents of the signed zones of test/data/dnssec, how each is signed, and how some are broken on purpose. */

/** One zone. */
export interface ZonePlan {
  /** With a trailing dot. */
  readonly name: string
  /** The DNSSEC algorithm of its key; absent for a zone without signatures. */
  readonly algorithm?: number
  /** Lines of its zone file besides its SOA and NS. Names are relative to the zone. */
  readonly records: string
  /** Options for dnssec-signzone. */
  readonly signing?: readonly string[]
  /** Iterations of NSEC3 that dnssec-signzone refuses and ldns-signzone does not. */
  readonly iterations?: number
  /** Whether it has a key for its keys and another one for its data. */
  readonly hasTwoKeys?: boolean
  /** Adds lines to the zone before it is signed, given the lines of its DNSKEY records. */
  readonly prepare?: (keys: readonly string[]) => readonly string[]
  /** Breaks the signed zone. */
  readonly change?: (lines: readonly string[]) => readonly string[]
  /** The digests of its DS records in the parent: names of dnssec-dsfromkey. SHA-256 by default, none for none. */
  readonly digests?: readonly string[]
  /** Changes or adds DS records in the parent. */
  readonly changeDs?: (lines: readonly string[]) => readonly string[]
}

/** Records of most zones. The MX has capitals, which count as small letters in signatures (RFC 4034 §6.2). */
const usual = `
@ MX 10 MAIL
@ TXT "v=spf1 -all"
www A 192.0.2.3
www AAAA 2001:db8::3
mail A 192.0.2.25
_25._tcp.mail TLSA 3 1 1 ${"5e".repeat(32)}
*.wild TXT "any name"
a.b.ent TXT "below names without records"
alias CNAME www
lost CNAME missing
`
const few = `
www A 192.0.2.3
alias CNAME www
*.wild TXT "any name"
`

const signedLong = ["-s", "20241201000000", "-e", "20351231235959"]
const nsec3 = (iterations: number, salt: string, ...more: string[]) => [
  ...[...signedLong, "-3", salt, "-H", String(iterations)],
  ...more,
]

const without = (pattern: RegExp) => (lines: readonly string[]) => lines.filter((line) => !pattern.test(line))
const replace = (pattern: RegExp, by: string) => (lines: readonly string[]) =>
  lines.map((line) => line.replace(pattern, by))
/** Changes the last digit of each digest. */
const wrongDigest = (line: string) => line.replace(/.$/, (digit) => (digit === "0" ? "1" : "0"))

/** A digest of 32 bytes, one of 64, and one that no matching type has. */
const [sha256, sha512, sha1] = ["5e".repeat(32), "5e".repeat(64), "5e".repeat(20)]

/** Hosts with TLSA records of each kind, and domains with such mail servers. */
const dane = `
good A 192.0.2.25
good AAAA 2001:db8::25
_25._tcp.good TLSA 3 1 1 ${sha256}
_443._tcp.good TLSA 1 1 1 ${sha256}
_853._udp.good TLSA 3 1 1 ${sha256}
both A 192.0.2.25
_25._tcp.both TLSA 3 1 1 ${sha256}
_25._tcp.both TLSA 3 1 2 ${sha512}
rollover A 192.0.2.25
_25._tcp.rollover TLSA 3 1 1 ${sha256}
_25._tcp.rollover TLSA 3 1 1 ${"6f".repeat(32)}
_25._tcp.rollover TLSA 3 1 2 ${sha512}
long A 192.0.2.25
_25._tcp.long TLSA 2 0 2 ${sha512}
mixed A 192.0.2.25
_25._tcp.mixed TLSA 1 1 1 ${sha256}
_25._tcp.mixed TLSA 3 1 1 ${sha256}
_25._tcp.mixed TLSA 3 1 1 ${sha1}
pkix A 192.0.2.25
_25._tcp.pkix TLSA 0 0 1 ${sha256}
_25._tcp.pkix TLSA 1 1 1 ${sha256}
_443._tcp.pkix TLSA 0 0 1 ${sha256}
odd A 192.0.2.25
_25._tcp.odd TLSA 4 1 1 ${sha256}
_25._tcp.odd TLSA 3 255 1 ${sha256}
_25._tcp.odd TLSA 3 1 1 ${sha1}
_443._tcp.odd TLSA 3 1 7 ${sha256}
none A 192.0.2.25
nohost TXT "no address"
_25._tcp.nohost TLSA 3 1 1 ${sha256}
star A 192.0.2.25
*._tcp.star TLSA 3 1 1 ${sha256}
shared A 192.0.2.25
_25._tcp.shared CNAME ca._dane
ca._dane TLSA 2 0 1 ${sha256}
tounsigned A 192.0.2.25
_25._tcp.tounsigned CNAME _25._tcp.mail.plain.test.
tobogus A 192.0.2.25
_25._tcp.tobogus CNAME www.expired.test.
alias CNAME good
ownalias CNAME none
_25._tcp.ownalias TLSA 2 0 1 ${sha256}
bothalias CNAME good
_25._tcp.bothalias TLSA 2 0 1 ${sha256}
outalias CNAME www.plain.test.
_25._tcp.outalias TLSA 3 1 1 ${sha256}
outalone CNAME mail.plain.test.
badalias CNAME www.expired.test.
all A 192.0.2.80
all MX 20 mixed
all MX 10 GOOD
some MX 10 good
some MX 20 none
some MX 30 pkix
some MX 40 www.expired.test.
some MX 50 mail.plain.test.
nomail MX 0 .
itself A 192.0.2.25
_25._tcp.itself TLSA 3 1 1 ${sha256}
twice MX 10 good
twice MX 20 good
badmx MX 10 gone
aliasmx MX 10 alias
toexpired CNAME expired.test.
${Array.from({ length: 12 }, (_, index) => `many MX ${index} m${index}\nm${index} A 192.0.2.25\n_25._tcp.m${index} TLSA 3 1 1 ${sha256}`).join("\n")}
`

/** A zone below `test` with a few records. */
function zone(label: string, algorithm: number | undefined, more: Partial<ZonePlan> = {}): ZonePlan {
  return { name: `${label}.test.`, ...(algorithm !== undefined && { algorithm }), records: few, ...more }
}

/** All zones, children before their parents. */
export const plans: readonly ZonePlan[] = [
  ...["plain.p256", "plain.nsec3", "plain.optout", "plain.deep.optout"].map((label) =>
    zone(label, undefined),
  ),
  zone("child.p256", 15),
  zone("child.optout", 13),

  zone("rsa256", 8, { records: usual }),
  zone("rsa512", 10),
  zone("p256", 13, { records: usual }),
  zone("p384", 14),
  zone("ed25519", 15, { records: usual }),
  zone("ed448", 16),
  zone("twokeys", 13, { hasTwoKeys: true }),
  zone("rsasha1", 5),

  zone("nsec3", 13, { records: usual, signing: nsec3(0, "-") }),
  zone("salt", 13, { records: usual, signing: nsec3(10, "AABBCCDD") }),
  zone("many", 13, { signing: nsec3(150, "AA") }),
  zone("toomany", 13, { iterations: 151 }),
  zone("most", 13, { iterations: 65_535 }),
  zone("optout", 13, { records: usual, signing: nsec3(0, "-", "-A") }),

  zone("expired", 13, { signing: ["-s", "20200101000000", "-e", "20200201000000"] }),
  zone("future", 13, { signing: ["-s", "20350101000000", "-e", "20351231235959"] }),
  zone("wrongds", 13, { changeDs: (lines) => lines.map(wrongDigest) }),
  zone("altered", 13, { records: usual, change: replace(/192\.0\.2\.3$/, "192.0.2.99") }),
  zone("nokey", 13, { change: without(/ IN (RRSIG )?DNSKEY /) }),
  zone("nosig", 13, { records: usual, change: without(/ IN RRSIG (?!DNSKEY)/) }),
  zone("nonsec", 13, { records: usual, change: without(/ IN (RRSIG )?NSEC /) }),
  // Signatures of a zone that is not above the name.
  zone("otherzone", 13, { change: replace(/( RRSIG A .*) otherzone\.test\. /, "$1 p256.test. ") }),
  zone("sha384", 13, { digests: ["SHA-384"] }),
  zone("sha1", 13, { digests: ["SHA-1"] }),
  zone("downgrade", 13, {
    digests: ["SHA-1", "SHA-256"],
    changeDs: (lines) => lines.map((line) => (/ 13 2 /.test(line) ? wrongDigest(line) : line)),
  }),
  zone("unsupported", 13, {
    change: replace(/( DNSKEY \d+ 3| RRSIG \S+) 13 /, "$1 253 "),
    changeDs: replace(/( DS \d+) 13 /, "$1 253 "),
  }),
  // A key that is not there yet, and one of an unsupported algorithm.
  zone("rollover", 13, {
    changeDs: (lines) => [
      ...lines,
      ...replace(/ DS \d+ 13 /, " DS 1 13 ")(lines),
      ...replace(/ DS \d+ 13 /, " DS 2 253 ")(lines),
    ],
  }),
  zone("plain", undefined, { records: `${usual}hosted MX 10 good.dane.test.\n` }),
  zone("dane", 13, { records: dane }),
  zone("dane3", 13, { records: dane, signing: nsec3(0, "-") }),
  zone("island", 13, { digests: [] }),
  zone("stripped", 13, { change: without(/ IN (RRSIG|NSEC|DNSKEY) /) }),

  zone("keytrap", 15, { prepare: keysOfOneTag, change: (lines) => withForgedSignatures(lines, 20) }),
  zone("manysigs", 15, { change: (lines) => withForgedSignatures(lines, 80) }),

  {
    name: "alias.test.",
    algorithm: 13,
    records: `
secure CNAME www.p256.test.
plain CNAME www.plain.test.
expired CNAME www.expired.test.
missing CNAME missing.nsec3.test.
nodata CNAME mail.salt.test.
loop1 CNAME loop2
loop2 CNAME loop1
one CNAME two
two CNAME secure
*.any CNAME www.p256.test.
tree DNAME p256.test.
bad DNAME altered.test.
`,
  },
  { name: "test.", algorithm: 13, records: "" },
  // Opt-out (RFC 5155 §6): the names of the test double that are in no signed zone are proven to be unsigned.
  { name: ".", algorithm: 8, records: "", hasTwoKeys: true, signing: nsec3(0, "-", "-A") },
]

/** The options of dnssec-signzone for a zone. */
export const signingOf = ({ signing = signedLong }: ZonePlan): readonly string[] => signing

/**
 * Keys with the tag of the zone's own key: 24 as in CVE-2023-50387 (KeyTrap). Bytes 4 and 5 of the data count towards the tag
 * (RFC 4034 appendix B), so they are chosen last.
 */
function keysOfOneTag(keys: readonly string[]): readonly string[] {
  const [own = ""] = keys
  const tag = keyTag(own)
  const found: string[] = []
  for (let seed = 1; found.length < 24; seed++) {
    const key = Buffer.from(new Bun.CryptoHasher("sha256").update(`key ${seed}`).digest())
    for (let pair = 0; pair <= 0xffff; pair++) {
      key.writeUInt16BE(pair, 0)
      const line = own.replace(/\S+$/, key.toString("base64"))
      if (keyTag(line) !== tag) continue
      found.push(line)
      break
    }
  }
  return found
}

/** The key tag of a line with a DNSKEY record (RFC 4034 appendix B). */
function keyTag(line: string): number {
  const [flags = "", protocol = "", algorithm = "", ...key] = line
    .replace(/^.* DNSKEY /, "")
    .trim()
    .split(" ")
  const head = [Number(flags) >> 8, Number(flags) & 255, Number(protocol), Number(algorithm)]
  const data = Buffer.concat([Buffer.from(head), Buffer.from(key.join(""), "base64")])
  const sum = data.reduce((total, byte, at) => total + (at % 2 === 0 ? byte << 8 : byte), 0)
  return (sum + (sum >>> 16)) & 0xffff
}

/** In place of each signature of an address, so many that have its form and are not right. */
const withForgedSignatures = (lines: readonly string[], count: number): readonly string[] =>
  lines.flatMap((line) => {
    if (!/ RRSIG A /.test(line)) return [line]
    return Array.from({ length: count }, (_, index) => {
      const signature = Buffer.alloc(64, new Bun.CryptoHasher("sha512").update(`${index}`).digest())
      // The second half is a number below the order of the group: verification goes all the way (RFC 8032 §5.1.7).
      signature.writeUInt8(0, 63)
      return line.replace(/( \d{14} \d{14} \d+ \S+ ).*$/, `$1${signature.toString("base64")}`)
    })
  })
