/** The duties of clients by RFC 7672 §2.2, over the signed zones of test/data/dnssec. */
import { describe, expect, test } from "bun:test"
import { refusalOf } from "../../../test/support/refusal.ts"
import { createSignedDns, type Tampering } from "../../../test/support/signed-dns.ts"
import { testAnchor } from "../../../test/support/signed-zones.ts"
import { portsFor } from "../../../test/support/zone-ports.ts"
import type { Dns, DnsZone } from "../contract.ts"
import { maxMailServers } from "../mail/dane/service.ts"
import { limits } from "../mail/dnssec/session.ts"
import { danelookup } from "./index.ts"

const now = "2026-11-23T12:00:00Z"
type Input = Parameters<typeof danelookup.run>[0]

async function run(
  input: Input,
  {
    tamper,
    dns,
    premium = true,
    anchor = { trust_anchor: testAnchor },
  }: {
    tamper?: Tampering
    dns?: Pick<Dns, "exchange">
    premium?: boolean
    anchor?: { trust_anchor?: string }
  } = {},
) {
  const signed = createSignedDns(tamper)
  const ports = portsFor({ given: { now } })
  const { exchange } = dns ?? signed
  const answer = await danelookup.run(
    { ...anchor, ...input },
    { ports: { ...ports, dns: { ...ports.dns, exchange } }, giveWay: () => undefined, premium },
  )
  return { ...answer, questions: signed.questions }
}

const refusal = (input: Input) => refusalOf(() => run(input))

/** Replaces the reply to one question by silence. */
const silentFor =
  (name: string, type: string): Tampering =>
  (reply, asked, ofType) =>
    asked === name && ofType === type ? null : reply

describe.each(["dane.test", "dane3.test"])("mail, in %s", (zone) => {
  test.each<[what: string, host: string, action: string, security: string]>([
    ["a secure set with a usable record", "good", "authenticate", "secure"],
    ["a secure set with a usable and unusable records", "mixed", "authenticate", "secure"],
    ["a secure set made from a wildcard", "star", "authenticate", "secure"],
    ["a secure set at the end of a secure alias of the TLSA name", "shared", "authenticate", "secure"],
    ["a secure set of usages 0 and 1 alone", "pkix", "encrypt", "secure"],
    ["a secure set of numbers and digests that nobody knows", "odd", "encrypt", "secure"],
    ["no set, proven", "none", "ordinary", "secure"],
    ["an insecure set at the end of an alias of the TLSA name", "tounsigned", "ordinary", "insecure"],
    ["a bogus answer", "tobogus", "avoid", "bogus"],
    ["a host that is a secure alias", "alias", "authenticate", "secure"],
    ["a host that is a secure alias, with records of its own alone", "ownalias", "authenticate", "secure"],
    ["a host that is a secure alias, with records at both names", "bothalias", "authenticate", "secure"],
    ["a secure alias into an unsigned zone, with records of its own", "outalias", "authenticate", "secure"],
    ["a secure alias into an unsigned zone that alone has records", "outalone", "ordinary", "secure"],
    ["an alias into a bogus zone", "badalias", "avoid", "bogus"],
    ["a host without an address", "nohost", "avoid", "secure"],
    ["a host that does not exist", "missing", "avoid", "secure"],
  ])("%s", async (_, label, action, security) =>
    expect(await run({ host: `${label}.${zone}` }, { premium: false })).toMatchObject({
      action,
      security,
      is_usable: action === "authenticate",
    }),
  )

  test("the name that the records were found at is the one that counts", async () => {
    const nameFor = async (label: string) => (await run({ host: `${label}.${zone}` })).record_name
    for (const alias of ["alias", "bothalias"]) expect(await nameFor(alias)).toBe(`_25._tcp.good.${zone}`)
    for (const own of ["ownalias", "outalias", "shared", "none"])
      expect(await nameFor(own)).toBe(`_25._tcp.${own}.${zone}`)
  })

  test("the records say which of them can be used", async () => {
    const { records, problems } = await run({ host: `mixed.${zone}` })
    const found = records.map(({ value, is_usable }) => [value.slice(0, 10), is_usable])
    expect(found.toSorted()).toEqual([
      ["1 1 1 5E5E", false],
      ["3 1 1 5E5E", false],
      ["3 1 1 5E5E", true],
    ])
    expect(problems.map(({ code }) => code)).toEqual(["unusable_record", "unusable_record"])
  })
})

// RFC 7672 §2.2.2: the addresses that are found decide. That there are none of the other family needs no proof.
test("a family without addresses does not count, also where its denial is insecure", async () => {
  const writable = limits as { nsec3Iterations: number }
  const before = writable.nsec3Iterations
  // Makes every denial by NSEC3 insecure, as those with too many iterations are (RFC 9276 §3.2).
  writable.nsec3Iterations = -1
  try {
    const answer = await run({ host: "shared.dane3.test" }, { premium: false })
    expect(answer).toMatchObject({ action: "authenticate", address_security: "secure", problems: [] })
  } finally {
    writable.nsec3Iterations = before
  }
})

test("an alias into an unsigned zone is not called unsigned where clients authenticate", async () => {
  const codesOf = async (host: string) => (await run({ host })).problems.map(({ code }) => code)
  expect(await codesOf("outalias.dane.test")).toEqual([])
  expect(await codesOf("tounsigned.dane.test")).toContain("not_signed")
})

describe("questions that fail", () => {
  const host = "good.dane.test"
  test.each([
    ["TLSA", `_25._tcp.${host}`],
    ["DNSKEY", "dane.test"],
    ["DS", "test"],
  ])("without an answer for %s of %s, nobody connects", async (type, name) => {
    const answer = await run({ host }, { tamper: silentFor(name, type), premium: false })
    expect(answer).toMatchObject({ action: "avoid", security: "indeterminate", is_usable: false })
    expect(answer.problems).toEqual([
      {
        code: "not_secure",
        severity: "error",
        where: `${name} ${type}`,
        message: `The DNS server gave no answer for ${name} ${type}.`,
      },
    ])
  })

  test("without an answer for the addresses of both families, nobody connects", async () => {
    const tamper: Tampering = (reply, name, type) => (name === host && /^A/.test(type) ? null : reply)
    const answer = await run({ host }, { tamper, premium: false })
    expect(answer).toMatchObject({ action: "avoid", address_security: "indeterminate" })
    expect(answer.problems.map(({ code }) => code)).toEqual(["not_secure"])
  })

  test.each(["A", "AAAA"])("without an answer for %s, those of the other family count", async (type) => {
    const answer = await run({ host }, { tamper: silentFor(host, type), premium: false })
    expect(answer).toMatchObject({ action: "authenticate", security: "secure", address_security: "secure" })
    expect(answer.problems).toEqual([
      {
        code: "addresses_fail",
        severity: "warning",
        where: `${host} ${type}`,
        message: `The DNS server gave no answer for ${host} ${type}.`,
      },
    ])
  })

  test("a host with addresses of one family, and no answer for the other, may have no address", async () => {
    const single = "pkix.dane.test"
    expect(await run({ host: single }, { tamper: silentFor(single, "A") })).toMatchObject({ action: "avoid" })
    const found = await run({ host: single }, { tamper: silentFor(single, "AAAA") })
    expect(found).toMatchObject({ action: "encrypt" })
  })

  test("a forged record is bogus, and nobody connects", async () => {
    const forge: Tampering = (reply, _, type) =>
      type === "TLSA" ? { ...reply, answers: reply.answers.map(withLastByteChanged) } : reply
    const answer = await run({ host }, { tamper: forge, premium: false })
    expect(answer).toMatchObject({ action: "avoid", security: "bogus" })
  })

  test("a forged absence is bogus, and nobody connects", async () => {
    const strip: Tampering = (reply, _, type) =>
      type === "TLSA" ? { ...reply, rcode: 3, answers: [], authority: [] } : reply
    const answer = await run({ host }, { tamper: strip, premium: false })
    expect(answer).toMatchObject({ action: "avoid", security: "bogus", records: [] })
    expect(answer.problems.map(({ code }) => code)).toEqual(["not_secure"])
  })

  test("of an unsigned host, a failure of the TLSA question does not count", async () => {
    const tamper = silentFor("_25._tcp.mail.plain.test", "TLSA")
    const answer = await run({ host: "mail.plain.test" }, { tamper, premium: false })
    expect(answer).toMatchObject({ action: "ordinary", address_security: "insecure", records: [] })
  })
})

const services: readonly (readonly [Input, string])[] = [
  [{ host: "good.dane.test", port: 443 }, "authenticate"],
  [{ host: "pkix.dane.test", port: 443 }, "authenticate"],
  [{ host: "good.dane.test", port: 853, protocol: "udp" }, "authenticate"],
  [{ host: "good.dane.test", port: 853, protocol: "tcp" }, "ordinary"],
  [{ host: "odd.dane.test", port: 443 }, "ordinary"],
  [{ host: "mail.plain.test", port: 443 }, "ordinary"],
  [{ host: "tobogus.dane.test", port: 25, protocol: "sctp" }, "ordinary"],
]
test.each(services)("other services: %j: %s", async (input, action) =>
  expect(await run(input)).toMatchObject({ action, mail_servers: null }),
)

const codesOf = async (host: string, port = 25) =>
  (await run({ host, port })).problems.map(({ code, where }) => `${code} ${where}`)
test("problems of sets that change", async () => {
  expect(await codesOf("both.dane.test")).toEqual([])
  expect(await codesOf("long.dane.test")).toEqual(["no_sha256 _25._tcp.long.dane.test 2 0 2"])
  expect(await codesOf("rollover.dane.test")).toEqual(["missing_digest _25._tcp.rollover.dane.test 3 1 2"])
})

test("problems of hosts and zones", async () => {
  expect(await codesOf("nohost.dane.test")).toEqual(["no_address nohost.dane.test"])
  expect(await codesOf("none.dane.test")).toEqual(["no_records _25._tcp.none.dane.test"])
  expect(await codesOf("mail.plain.test")).toEqual(["not_signed _25._tcp.mail.plain.test"])
  expect(await codesOf("badalias.dane.test")).toEqual(["not_secure expired.test DNSKEY"])
  expect((await run({ host: "badalias.dane.test" })).reason).toContain("have expired")
})

const serversOf = async (host: string, tamper?: Tampering) => {
  const { mail_servers } = await run({ host }, tamper && { tamper })
  if (!mail_servers) throw new Error("no mail servers")
  const { servers, ...rest } = mail_servers
  return { ...rest, servers: servers.map((one) => `${one.preference} ${one.host} ${one.action}`) }
}

test("the mail servers of a domain are in the order of preference, each with what senders do", async () => {
  expect(await serversOf("all.dane.test")).toEqual({
    security: "secure",
    reason: null,
    is_protected: true,
    servers_left_out: 0,
    servers: ["10 good.dane.test authenticate", "20 mixed.dane.test authenticate"],
  })
  expect(await serversOf("some.dane.test")).toMatchObject({
    is_protected: false,
    servers: [
      "10 good.dane.test authenticate",
      "20 none.dane.test ordinary",
      "30 pkix.dane.test encrypt",
      "40 www.expired.test avoid",
      "50 mail.plain.test ordinary",
    ],
  })
})

test("the mail servers of a domain are known by MX records that must be secure", async () => {
  expect(await serversOf("hosted.plain.test")).toMatchObject({
    security: "insecure",
    is_protected: false,
    servers: ["10 good.dane.test authenticate"],
  })
  expect(await serversOf("all.dane.test", silentFor("all.dane.test", "MX"))).toMatchObject({
    security: "indeterminate",
    is_protected: false,
    servers: [],
  })
})

test("the mail servers of a domain may be the domain itself, none, one that is twice there, or one that is an alias", async () => {
  expect((await serversOf("itself.dane.test")).servers).toEqual(["null itself.dane.test authenticate"])
  expect(await serversOf("nomail.dane.test")).toMatchObject({ servers: [], is_protected: false })
  expect((await serversOf("twice.dane.test")).servers).toEqual(["10 good.dane.test authenticate"])
  expect((await serversOf("badmx.dane.test")).servers).toEqual(["10 gone.dane.test avoid"])
  expect((await serversOf("aliasmx.dane.test")).servers).toEqual(["10 alias.dane.test authenticate"])
  expect((await serversOf("missing.dane.test")).servers).toEqual([])
})

test("the mail servers of a domain are at most 10, and questions are asked once", async () => {
  const { questions, mail_servers } = await run({ host: "many.dane.test" })
  expect(mail_servers).toMatchObject({ servers_left_out: 2, is_protected: false })
  expect(mail_servers?.servers).toHaveLength(maxMailServers)
  expect(new Set(questions).size).toBe(questions.length)
  expect(questions.length).toBeLessThanOrEqual(40)
})

test("the mail servers of a domain cost no question without premium fields", async () => {
  const { questions } = await run({ host: "all.dane.test" }, { premium: false })
  expect(questions.filter((one) => /MX|good|mixed/.test(one))).toEqual([])
})

test("the trust anchor is that of the root of the Internet by default", async () => {
  const answer = await run({ host: "good.dane.test" }, { anchor: {}, premium: false })
  expect(answer).toMatchObject({ action: "avoid", security: "bogus" })
  expect(answer.problems).toMatchObject([{ code: "not_secure", where: "." }])
})

test.each([
  [{ host: "192.0.2.1" }, "The 'host' parameter must be a domain name, not an IP address."],
  [{ host: "a..b" }, "The 'host' parameter must not have empty labels."],
  [
    { host: `${"a.".repeat(123)}aa`, port: 65_535 },
    "The 'host' parameter must be at most 253 bytes long together with `_65535._tcp.`.",
  ],
  [
    { host: "a.test", trust_anchor: "x" },
    "The 'trust_anchor' parameter must be the data of a DS record with SHA-256 or SHA-384, such as '20326 8 2 E06D…'.",
  ],
])("%j is refused", async (input, message) => expect(await refusal(input)).toBe(message))

test("the host may be in any case, with a dot at its end, or international", async () => {
  expect((await run({ host: "GOOD.Dane.test." })).host).toBe("good.dane.test")
  expect((await run({ host: "bücher.dane.test" })).host).toBe("xn--bcher-kva.dane.test")
})

test("a DNS without DNSSEC is a 503, not insecure: the root is known to be signed", async () => {
  const zone: DnsZone = { "a.test": [{ A: "192.0.2.1" }] }
  const { dns } = portsFor({ given: { now, dns: zone } })
  expect(run({ host: "a.test" }, { dns })).rejects.toThrow("does not pass on DNSSEC")
})

function withLastByteChanged(record: Buffer): Buffer {
  const changed = Buffer.from(record)
  changed.writeUInt8(changed.readUInt8(changed.length - 1) ^ 1, changed.length - 1)
  return changed
}
