/** Validation of the signed zones of test/data/dnssec, as they are and with replies that were tampered with. */
import { describe, expect, test } from "bun:test"
import { createSignedDns, type Tampering } from "../../../../test/support/signed-dns.ts"
import { testAnchor } from "../../../../test/support/signed-zones.ts"
import type { DnsReply, DnsType } from "../../contract.ts"
import { readAnchor } from "./root-anchors.ts"
import { createQuestions, createSession, type DelegationSigner, limits } from "./session.ts"
import { Chain, validate } from "./validate.ts"

const now = Date.parse("2026-11-23T12:00:00Z") / 1000
const anchor = readAnchor(testAnchor)
if (!anchor) throw new Error("no trust anchor")

async function run(
  name: string,
  type: DnsType,
  {
    tamper,
    at = now,
    anchors = [anchor ?? never()],
  }: { tamper?: Tampering; at?: number; anchors?: readonly DelegationSigner[] } = {},
) {
  const dns = createSignedDns(tamper)
  let turns = 0
  const session = createSession(createQuestions(dns), at, () => {
    turns++
    return undefined
  })
  return { ...(await validate(name, type, new Chain(session, anchors))), questions: dns.questions, turns }
}

function never(): never {
  throw new Error("no trust anchor")
}

/** `secure records`, or the status, result and code. */
async function verdict(name: string, type: DnsType, options: Parameters<typeof run>[2] = {}) {
  const { status, result, reason } = await run(name, type, options)
  return [status, result, ...(reason ? [reason.code] : [])].join(" ")
}

const signed = [
  ..."rsa256 rsa512 p256 p384 ed25519 ed448 twokeys nsec3 salt many sha384 sha1 rollover".split(" "),
  ..."child.p256 child.optout".split(" "),
]
test.each(signed)("a zone that is in order: %s is secure, with all proofs", async (zone) => {
  expect(await verdict(`www.${zone}.test`, "A")).toBe("secure records")
  expect(await verdict(`www.${zone}.test`, "MX")).toBe("secure nodata")
  expect(await verdict(`alias.${zone}.test`, "A")).toBe("secure records")
  expect(await verdict(`missing.${zone}.test`, "A")).toBe("secure nxdomain")
  expect(await verdict(`a.b.c.${zone}.test`, "A")).toBe("secure nxdomain")
  expect(await verdict(`x.wild.${zone}.test`, "TXT")).toBe("secure records")
  expect(await verdict(`x.y.wild.${zone}.test`, "TXT")).toBe("secure records")
  expect(await verdict(`x.wild.${zone}.test`, "A")).toBe("secure nodata")
  expect(await verdict(`wild.${zone}.test`, "A")).toBe("secure nodata")
  expect(await verdict(`${zone}.test`, "DS")).toBe("secure records")
  expect(await verdict(`${zone}.test`, "DNSKEY")).toBe("secure records")
})

test("a zone that is in order names above others without records of their own, and the root", async () => {
  expect(await verdict("b.ent.p256.test", "A")).toBe("secure nodata")
  expect(await verdict("b.ent.salt.test", "A")).toBe("secure nodata")
  expect([await verdict("", "SOA"), await verdict("", "DS")]).toEqual(["secure records", "secure nodata"])
  // The root has opt-out, so an unsigned name may be there (RFC 5155 §12.2).
  expect(await verdict("nothing", "A")).toStartWith("insecure nxdomain")
})

test.each([
  ["plain", "no_delegation_signer"],
  ["island", "no_delegation_signer"],
  ["plain.p256", "no_delegation_signer"],
  ["plain.nsec3", "no_delegation_signer"],
  ["plain.optout", "opt_out"],
  ["plain.deep.optout", "opt_out"],
  ["unsupported", "unsupported_algorithm"],
  ["rsasha1", "unsupported_algorithm"],
])("a zone without trust is insecure where the parent proves it: %s: %s", async (zone, code) => {
  expect(await verdict(`www.${zone}.test`, "A")).toBe(`insecure records ${code}`)
  expect(await verdict(`www.${zone}.test`, "MX")).toBe(`insecure nodata ${code}`)
  expect(await verdict(`missing.${zone}.test`, "A")).toBe(`insecure nxdomain ${code}`)
})

test("a zone without trust is insecure where the parent proves it: a span of opt-out proves nothing about names that are not there, nor for wildcards", async () => {
  expect(await verdict("www.optout.test", "A")).toBe("secure records")
  expect(await verdict("www.optout.test", "MX")).toBe("secure nodata")
  expect(await verdict("missing.optout.test", "A")).toBe("insecure nxdomain opt_out")
  expect(await verdict("x.wild.optout.test", "TXT")).toBe("insecure records opt_out")
  expect(await verdict("deep.optout.test", "A")).toBe("insecure nodata opt_out")
})

test("a zone without trust is insecure where the parent proves it: so are denials with too many iterations, but not what is signed", async () => {
  for (const zone of ["toomany", "most"]) {
    expect(await verdict(`www.${zone}.test`, "A")).toBe("secure records")
    expect(await verdict(`www.${zone}.test`, "MX")).toBe("insecure nodata nsec3_iterations")
    expect(await verdict(`missing.${zone}.test`, "A")).toBe("insecure nxdomain nsec3_iterations")
  }
})

test.each([
  ["expired", "signature_expired"],
  ["future", "signature_not_yet_valid"],
  ["wrongds", "no_matching_key"],
  ["downgrade", "no_matching_key"],
  ["altered", "invalid_signature"],
  ["nokey", "no_keys"],
  ["stripped", "no_keys"],
  ["nosig", "no_signature"],
  ["otherzone", "wrong_signer"],
  ["keytrap", "invalid_signature"],
  ["manysigs", "too_much_work"],
])("a broken zone is bogus: %s: %s", async (zone, code) => {
  expect(await verdict(`www.${zone}.test`, "A")).toBe(`bogus records ${code}`)
  expect(await verdict(`alias.${zone}.test`, "A")).toMatch(/^bogus /)
})

test("a broken zone is bogus: also where the proofs are missing", async () => {
  expect(await verdict("www.nonsec.test", "A")).toBe("secure records")
  expect(await verdict("www.nonsec.test", "MX")).toBe("bogus nodata no_proof")
  expect(await verdict("missing.nonsec.test", "A")).toBe("bogus nxdomain no_proof")
  expect(await verdict("x.wild.nonsec.test", "TXT")).toBe("bogus records no_proof")
  expect(await verdict("missing.nosig.test", "A")).toMatch(/^bogus nxdomain /)
})

test.each([
  ["secure", "secure records"],
  ["one", "secure records"],
  ["x.any", "secure records"],
  ["www.tree", "secure records"],
  ["missing.tree", "secure nxdomain"],
  ["missing", "secure nxdomain"],
  ["nodata", "secure records"],
  ["plain", "insecure records no_delegation_signer"],
  ["expired", "bogus records signature_expired"],
  ["www.bad", "bogus records invalid_signature"],
  ["loop1", "indeterminate  alias_loop"],
])("aliases: %s.alias.test is %s", async (name, expected) =>
  expect(await verdict(`${name}.alias.test`, "A")).toBe(expected),
)

test("aliases of a tree lead on, whatever type is asked for", async () => {
  const { names, status, result } = await run("x.wild.tree.alias.test", "CNAME")
  expect([names.at(-1), status, result]).toEqual(["x.wild.p256.test", "secure", "nodata"])
})

test("aliases are not followed when they are what was asked for", async () => {
  expect((await run("secure.alias.test", "CNAME")).names).toEqual(["secure.alias.test"])
  expect(await verdict("loop1.alias.test", "CNAME")).toBe("secure records")
})

test("the clock decides what has expired and what is not yet valid", async () => {
  const at = (text: string) => ({ at: Date.parse(text) / 1000 })
  const verdictAt = (text: string) => verdict("www.p256.test", "A", at(text))
  expect(await verdictAt("2036-01-01T00:00:00Z")).toBe("bogus records signature_expired")
  expect(await verdictAt("2024-11-30T23:59:59Z")).toBe("bogus records signature_not_yet_valid")
  expect(await verdictAt("2035-12-31T23:59:59Z")).toBe("secure records")
})

test("the work is bounded: many keys of one tag and many signatures end after 64 verifications, each in its own step", async () => {
  expect((await run("www.keytrap.test", "A")).turns).toBeLessThanOrEqual(limits.verifications)
  expect((await run("www.manysigs.test", "A")).turns).toBe(limits.verifications)
})

test("the work is bounded: a name of 127 labels asks 60 questions at most", async () => {
  const deep = `${"a.".repeat(120)}nosig.test`
  const { status, reason, questions } = await run(deep, "A", { tamper: unsignedBelow("nosig.test") })
  expect(questions.length).toBeLessThanOrEqual(limits.questions)
  expect([status, reason?.code]).toEqual(["indeterminate", "too_many_questions"])
})

test("the work is bounded: an ordinary name takes six questions", async () =>
  expect((await run("www.p256.test", "A")).questions).toEqual(
    "www.p256.test A|. DNSKEY|test DS|test DNSKEY|p256.test DS|p256.test DNSKEY".split("|"),
  ))

/** Claims of every name below a zone that it is an alias, so that none of them is a delegation. */
function unsignedBelow(zone: string): Tampering {
  return (reply, name) => {
    if (!name.endsWith(`.${zone}`)) return reply
    const pointer = Buffer.from([0xc0, 12])
    const alias = Buffer.concat([pointer, Buffer.from([0, 5, 0, 1, 0, 0, 0, 9, 0, 3, 1, 0x61, 0])])
    return { ...reply, rcode: 0, answers: [alias], authority: [] }
  }
}

describe("replies that were tampered with are never secure", () => {
  const without =
    (section: "answers" | "authority", from: number): Tampering =>
    (reply, name) =>
      /^(www|missing|x\.wild)\./.test(name) ? { ...reply, [section]: reply[section].slice(0, from) } : reply

  const tampered = (name: string, type: DnsType, tamper: Tampering) => verdict(name, type, { tamper })

  test.each([
    [
      "records without their signature",
      "www.p256.test",
      "A",
      without("answers", 1),
      /^bogus records no_signature$/,
    ],
    ["a denial without its proof", "missing.p256.test", "A", without("authority", 2), /^bogus nxdomain/],
    ["a denial without its proof", "missing.nsec3.test", "A", without("authority", 2), /^bogus nxdomain/],
    ["a wildcard without its proof", "x.wild.p256.test", "TXT", without("authority", 0), /^bogus records/],
    ["a wildcard without its proof", "x.wild.nsec3.test", "TXT", without("authority", 0), /^bogus records/],
  ] as const)("%s: %s", async (_, name, type, tamper, wanted) =>
    expect(await tampered(name, type, tamper)).toMatch(wanted),
  )

  test("a name said not to be there with the proof of another one", async () => {
    const { authority } = await recorded("missing.p256.test", "A")
    const denied: Tampering = (reply, name) =>
      name === "www.p256.test" ? { ...reply, rcode: 3, answers: [], authority } : reply
    expect(await tampered("www.p256.test", "A", denied)).toBe("bogus nxdomain no_proof")
  })

  test("a DS record said not to be there with the proof of another zone", async () => {
    const { authority } = await recorded("plain.test", "DS")
    const denied: Tampering = (reply, name, type) =>
      name === "p256.test" && type === "DS" ? { ...reply, answers: [], authority } : reply
    expect(await verdict("www.p256.test", "A", { tamper: denied })).toMatch(/^bogus records/)
  })

  test("a name of the zone below said not to be there with the NSEC of the delegation", async () => {
    const { authority } = await recorded("plain.p256.test", "DS")
    const denied: Tampering = (reply, name) =>
      name === "www.child.p256.test" ? { ...reply, rcode: 3, answers: [], authority } : reply
    expect(await verdict("www.child.p256.test", "A", { tamper: denied })).toMatch(/^bogus nxdomain/)
  })

  test("any byte of the records of any reply", async () => {
    let changed = 0
    for (let seed = 0; seed < 150; seed++) {
      const tamper: Tampering = (reply, name) => {
        const answers = reply.answers.map((record) => Buffer.from(record))
        const record = answers[seed % Math.max(1, answers.length)]
        if (name !== ["www.p256.test", "p256.test", "test", ""][seed % 4] || !record) return reply
        const at = record.length - 1 - ((Math.imul(seed, 2_654_435_761) >>> 0) % Math.min(record.length, 60))
        record[at] = (record[at] ?? 0) ^ (1 << (seed % 8))
        changed++
        return { ...reply, answers }
      }
      let status = "unreadable"
      try {
        status = (await run("www.p256.test", "A", { tamper })).status
      } catch {
        // The change made a record that no server could have sent, which the port answers with a failure.
      }
      expect([seed, status]).not.toEqual([seed, "insecure"])
      if (status === "secure") expect(await isHarmless(tamper)).toBe(true)
    }
    expect(changed).toBeGreaterThan(100)
  })

  test("servers that do not answer", async () => {
    const withSilence = (asked: string) =>
      tampered("www.p256.test", "A", (reply, name, type) => (`${name} ${type}` === asked ? null : reply))
    expect(await withSilence("www.p256.test A")).toBe("indeterminate  no_answer")
    expect(await withSilence("p256.test DNSKEY")).toBe("indeterminate records no_answer")
    expect(await withSilence(" DNSKEY")).toBe("indeterminate records no_answer")
  })

  test("another root", async () => {
    const anchors = [{ ...(anchor ?? never()), digest: "00".repeat(32) }]
    expect(await verdict("www.p256.test", "A", { anchors })).toBe("bogus records no_matching_key")
  })
})

/**
 * Whether what was tampered with is one of several signatures or keys that were not needed: the records themselves are unchanged.
 */
async function isHarmless(tamper: Tampering): Promise<boolean> {
  const [one, other] = await Promise.all([run("www.p256.test", "A"), run("www.p256.test", "A", { tamper })])
  const [texts, otherTexts] = [one, other].map(({ records }) => records.map(({ text }) => text))
  return Bun.deepEquals(texts, otherTexts)
}

async function recorded(name: string, type: DnsType) {
  let found: Parameters<Tampering>[0] | null = null
  const dns = createSignedDns((reply) => {
    found = reply
    return reply
  })
  const reply: DnsReply = await dns.exchange(name, type, { dnssec: true })
  if (reply.kind === "failure" || found === null) throw new Error("no reply")
  return found as Parameters<Tampering>[0]
}
