/** The API: its input, its report, and the examples with a server on loopback. */
import { afterAll, expect, test } from "bun:test"
import { createManualClock } from "../../../test/support/clock.ts"
import { noExchange } from "../../../test/support/dns.ts"
import { refusalOf } from "../../../test/support/refusal.ts"
import { createSignedDns, startSignedDnsServer, type Tampering } from "../../../test/support/signed-dns.ts"
import { testAnchor } from "../../../test/support/signed-zones.ts"
import { portsFor } from "../../../test/support/zone-ports.ts"
import { createResolver } from "../../ports/dns/resolver.ts"
import { systemRandom } from "../../ports/random.ts"
import { systemTimer } from "../../ports/timer.ts"
import type { Dns } from "../contract.ts"
import { readAnchor, rootAnchors } from "../mail/dnssec/root-anchors.ts"
import { dnssecvalidator } from "./index.ts"

const now = "2026-11-23T12:00:00Z"
const resolve = noExchange

async function run(
  input: Parameters<typeof dnssecvalidator.run>[0],
  { dns = createSignedDns(), at = now }: { dns?: Pick<Dns, "exchange">; at?: string } = {},
) {
  const ports = { ...portsFor({ given: { now: at } }), dns: { resolve, exchange: dns.exchange } }
  return await dnssecvalidator.run(
    { trust_anchor: testAnchor, ...input },
    { ports, giveWay() {}, premium: true },
  )
}

const refusal = (input: Parameters<typeof run>[0]) => refusalOf(() => run(input))

test.each([
  ["a..b", "The 'name' parameter must not have empty labels."],
  ["..", "The 'name' parameter must not have empty labels."],
  [`${"a".repeat(64)}.test`, "The 'name' parameter must not have a label of more than 63 bytes."],
  ["a.".repeat(130), "The 'name' parameter must be at most 253 bytes long."],
  ["192.0.2.1", "The 'name' parameter must be a domain name, not an IP address."],
  ["a b.test", "The 'name' parameter must be a domain name without spaces."],
  ["https://a.test", "The 'name' parameter must be a domain name such as example.com, not a URL."],
  ["a\\.b.test", "The 'name' parameter must be a domain name of letters, digits and hyphens."],
  ["☃️.test", "The 'name' parameter must be a domain name of letters, digits and hyphens."],
])("the name: %s is refused", async (name, message) => expect(await refusal({ name })).toBe(message))

// RFC 4034 §3.1.3: the star is not counted in the labels of a signature, so its records are not expanded ones.
test("the name may be a wildcard", async () => {
  const answer = await run({ name: "*.wild.optout.test", type: "TXT" })
  expect(answer).toMatchObject({ name: "*.wild.optout.test", status: "secure", result: "records" })
  expect(await run({ name: "*.www.p256.test" })).toMatchObject({ status: "secure", result: "nxdomain" })
})

test("the name may be in any case, with a dot at its end, the root, or international", async () => {
  expect((await run({ name: "WWW.P256.test." })).name).toBe("www.p256.test")
  expect(await run({ name: ".", type: "SOA" })).toMatchObject({ name: ".", status: "secure" })
  expect((await run({ name: "bücher.p256.test" })).name).toBe("xn--bcher-kva.p256.test")
})

test.each(["the keys of the root", "signatures"])(
  "a DNS server that does not pass on %s says nothing of a name: a 503",
  async (what) => {
    const { exchange } = createSignedDns()
    const stripped: typeof exchange = async (...question) => {
      const reply = await exchange(...question)
      if (reply.kind !== "reply") return reply
      const isLost = ({ owner, type }: { readonly owner: string; readonly type: string }) =>
        what === "signatures" ? type === "RRSIG" : owner === "" && type === "DNSKEY"
      return { ...reply, answer: reply.answer.filter((record) => !isLost(record)) }
    }
    const answer = run({ name: "www.p256.test" }, { dns: { exchange: stripped } })
    expect(answer).rejects.toThrow("does not pass on DNSSEC")
  },
)

test("the trust anchor is that of the root of the Internet by default", async () => {
  expect(rootAnchors.map(({ keyTag }) => keyTag)).toEqual([20_326, 38_696])
  const { exchange } = createSignedDns()
  const ports = { ...portsFor({ given: { now } }), dns: { resolve, exchange } }
  const report = await dnssecvalidator.run(
    { name: "test", type: "SOA" },
    { ports, giveWay() {}, premium: true },
  )
  expect(report).toMatchObject({ status: "bogus", problems: [{ code: "no_matching_key", where: "." }] })
})

test("the trust anchor may be a whole record, and in small letters", () => {
  const read = readAnchor(testAnchor)
  expect(readAnchor(`. IN DS ${testAnchor.toLowerCase()}`)).toEqual(read)
  expect(readAnchor(`.  3600 IN DS ${testAnchor}`)).toEqual(read)
  expect(read?.digest).toHaveLength(64)
})

test.each([
  "",
  "x",
  "1 8 2 00",
  `1 8 1 ${"00".repeat(20)}`,
  `70000 8 2 ${"00".repeat(32)}`,
  `1 8 2 ${"00".repeat(33)}`,
])("the trust anchor: %p is not read", (text) => expect(readAnchor(text)).toBeNull())

test("the trust anchor is refused with what to change", async () => {
  const name = "test"
  expect(await refusal({ name, trust_anchor: "KSK-2017" })).toBe(
    "The 'trust_anchor' parameter must be the data of a DS record with SHA-256 or SHA-384, such as '20326 8 2 E06D…'.",
  )
  expect(await refusal({ name, trust_anchor: `1 5 2 ${"00".repeat(32)}` })).toBe(
    "The 'trust_anchor' parameter must have one of the algorithms 8, 10, 13, 14, 15 and 16.",
  )
})

test("the report has the chain with DS records, keys and signatures", async () => {
  const { chain, valid_until } = await run({ name: "_25._tcp.mail.p256.test", type: "TLSA" })
  expect(chain.map(({ zone }) => zone)).toEqual([".", "test", "p256.test"])
  expect(chain.map(({ ds }) => ds?.length ?? null)).toEqual([null, 1, 1])
  expect(chain.map(({ signatures }) => signatures.map(({ name, type }) => `${name} ${type}`))).toEqual([
    [". DNSKEY"],
    ["test DS", "test DNSKEY"],
    ["p256.test DS", "p256.test DNSKEY", "_25._tcp.mail.p256.test TLSA"],
  ])
  const keys = chain[0]?.keys.map(({ flags, is_matched }) => `${flags} ${is_matched}`)
  expect(keys).toEqual(["257 true", "256 false"])
  expect(chain[2]?.signatures[0]).toMatchObject({
    algorithm: "ECDSAP256SHA256",
    valid_from: "2024-12-01T00:00:00.000Z",
    valid_until: "2035-12-31T23:59:59.000Z",
    days_left: 3325,
  })
  expect(valid_until).toBe("2035-12-31T23:59:59.000Z")
})

test("the report has the names that an alias leads to, and the records of the last", async () =>
  expect(await run({ name: "one.alias.test" })).toMatchObject({
    status: "secure",
    aliases: ["two.alias.test", "secure.alias.test", "www.p256.test"],
    records: [{ name: "www.p256.test", type: "A", ttl: 300, value: "192.0.2.3" }],
    reason: null,
    problems: [],
  }))

test("the report warns of signatures that end within 3 days, and of SHA-1", async () => {
  const soon = await run({ name: "www.p256.test" }, { at: "2035-12-30T12:00:00Z" })
  expect(soon.status).toBe("secure")
  expect(soon.problems.map(({ code, severity, where }) => [code, severity, where])).toEqual([
    ["expires_soon", "warning", "."],
    ["expires_soon", "warning", "test"],
    ["expires_soon", "warning", "p256.test"],
  ])
  const weak = await run({ name: "www.sha1.test" })
  expect(weak).toMatchObject({
    status: "secure",
    problems: [
      { code: "sha1_digest", message: "Add a DS record of sha1.test with the digest SHA-256 (RFC 9904 §3)." },
    ],
  })
})

test("the report says what is wrong once, as reason and as problem", async () => {
  const { reason, problems } = await run({ name: "www.altered.test" })
  expect(reason).toBe("The signatures of www.altered.test A do not fit its records (RFC 4035 §5.3.3).")
  expect(problems).toEqual([
    { code: "invalid_signature", severity: "error", message: reason ?? "", where: "www.altered.test A" },
  ])
})

test("the report has no records of a name without an answer", async () => {
  const silent: Tampering = () => null
  expect(await run({ name: "www.p256.test" }, { dns: createSignedDns(silent) })).toMatchObject({
    status: "indeterminate",
    result: null,
    records: [],
    valid_until: null,
    chain: [],
    reason: "The DNS server gave no answer for www.p256.test A.",
  })
})

test("over the network, from a server on loopback", async () => {
  const server = await startSignedDnsServer()
  afterAll(() => server.stop())
  const dns = createResolver({
    servers: [{ host: "127.0.0.1", port: server.port, family: 4 }],
    clock: createManualClock(now),
    random: systemRandom,
    timer: systemTimer,
  })
  expect(await run({ name: "x.wild.nsec3.test", type: "TXT" }, { dns })).toMatchObject({
    status: "secure",
    records: [{ name: "x.wild.nsec3.test", type: "TXT", value: '"any name"' }],
  })
  expect((await run({ name: "www.manysigs.test" }, { dns })).problems[0]?.code).toBe("too_much_work")
  expect(server.queries.some(({ transport }) => transport === "tcp")).toBe(true)
})
