/** The signed zones and their server, which the tests of DNSSEC stand on. */
import { afterAll, expect, test } from "bun:test"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { DnsType } from "../src/apis/contract.ts"
import { systemTimer } from "../src/ports/timer.ts"
import { resolverFor } from "./support/resolver.ts"
import { createSignedDns, startSignedDnsServer } from "./support/signed-dns.ts"
import { testAnchor } from "./support/signed-zones.ts"
import { compareNames, hashOf } from "./support/zone-names.ts"

const folder = join(import.meta.dir, "data/dnssec")
const files = readdirSync(folder)
  .filter((file) => file.endsWith(".zone"))
  .sort()
const { exchange } = createSignedDns()

async function ask(name: string, type: DnsType, dnssec = true) {
  const reply = await exchange(name, type, { dnssec })
  if (reply.kind === "failure") throw new Error(reply.reason)
  const line = (one: (typeof reply.answer)[number]) =>
    one.type === "RRSIG" ? `${one.owner} RRSIG ${one.data.typeCovered}` : `${one.owner} ${one.type}`
  return { rcode: reply.rcode, answer: reply.answer.map(line), authority: reply.authority.map(line) }
}

test("the files are signed until the end of 2035, but for those that are expired or not yet valid on purpose", () => {
  const wrong = files.filter((file) => {
    const times = [...readFileSync(join(folder, file), "utf8").matchAll(/ RRSIG .* (\d{14}) (\d{14}) /g)]
    return times.some(([, end, start]) => end !== "20351231235959" || start !== "20241201000000")
  })
  expect(wrong).toEqual(["expired.test.zone", "future.test.zone"])
  expect(files.length).toBeGreaterThan(24)
})

test("the files hold no private keys", () => {
  expect(readdirSync(folder).filter((file) => !/\.zone$|^anchor\.txt$/.test(file))).toEqual([])
  expect(testAnchor).toMatch(/^\d+ 8 2 [0-9A-F]{64}$/)
})

test("names have the order of RFC 4034 §6.1", () => {
  const names = ["example", "a.example", "yljkjljk.a.example", "z.a.example", "z.example", "*.z.example"]
  expect(names.toReversed().sort(compareNames)).toEqual(names)
})

test("names have the hashes of RFC 5155 appendix A", () => {
  const hashing = { salt: Buffer.from("aabbccdd", "hex"), iterations: 12 }
  expect(hashOf("example", hashing)).toBe("0p9mhaveqvm6t7vbl5lop2u3t2rp3tom")
  expect(hashOf("a.example", hashing)).toBe("35mthgpgcu1qg68fab165klnsnk3dpvl")
})

/** Records, each with its signature. */
const signed = (...records: string[]) =>
  records.flatMap((record) => [record, record.replace(/ (?=\S+$)/, " RRSIG ")])

test("the server answers with records and signatures", async () => {
  const answer = signed("www.p256.test A")
  expect(await ask("www.p256.test", "A")).toEqual({ rcode: "NOERROR", answer, authority: [] })
  const alone = { rcode: "NOERROR" as const, answer: ["www.p256.test A"], authority: [] }
  expect(await ask("www.p256.test", "A", false)).toEqual(alone)
})

test("the server answers for DS from the zone above", async () => {
  expect((await ask("child.p256.test", "DS")).answer).toEqual(signed("child.p256.test DS"))
  const authority = signed("p256.test SOA", "plain.p256.test NSEC")
  expect((await ask("plain.p256.test", "DS")).authority).toEqual(authority)
})

test("the server answers for a wildcard with the NSEC that shows that the name itself is not there", async () => {
  const { answer, authority } = await ask("x.y.wild.p256.test", "TXT")
  expect(answer).toEqual(signed("x.y.wild.p256.test TXT"))
  expect(authority).toEqual(signed("*.wild.p256.test NSEC"))
})

test("the server answers for a name that is not there with proofs of the name and of the wildcard", async () => {
  expect(await ask("nothing.p256.test", "A")).toEqual({
    rcode: "NXDOMAIN",
    answer: [],
    authority: signed("p256.test SOA", "_25._tcp.mail.p256.test NSEC", "p256.test NSEC"),
  })
  const { rcode, authority } = await ask("nothing.at.all.nsec3.test", "A")
  expect(rcode).toBe("NXDOMAIN")
  expect(authority.filter((line) => line.endsWith(" NSEC3")).length).toBeGreaterThanOrEqual(2)
})

test("the server answers for a name with names below it alone", async () => {
  expect(await ask("b.ent.p256.test", "A")).toMatchObject({ rcode: "NOERROR", answer: [] })
  expect(await ask("b.ent.nsec3.test", "A")).toMatchObject({ rcode: "NOERROR", answer: [] })
})

test("the server answers for aliases, also of trees, with what they lead to", async () => {
  const address = signed("www.p256.test A")
  const alias = signed("secure.alias.test CNAME")
  expect((await ask("secure.alias.test", "A")).answer).toEqual([...alias, ...address])
  const tree = [...signed("tree.alias.test DNAME"), "www.tree.alias.test CNAME", ...address]
  expect((await ask("www.tree.alias.test", "A")).answer).toEqual(tree)
  expect((await ask("loop1.alias.test", "A")).answer.length).toBe(4)
})

test("over UDP an answer that is too long is cut, and comes whole over TCP", async () => {
  const server = await startSignedDnsServer()
  afterAll(() => server.stop())
  const reply = await resolverFor([server], { timer: systemTimer }).exchange("www.manysigs.test", "A", {
    dnssec: true,
  })
  expect(reply.kind === "reply" && reply.answer.length).toBe(81)
  expect(server.queries.map(({ transport }) => transport)).toEqual(["udp", "tcp"])
})
