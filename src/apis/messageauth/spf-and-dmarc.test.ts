/** SPF and DMARC of messages, and whose name they confirm. */
import { expect, test } from "bun:test"
import {
  check,
  codes,
  keys,
  now,
  plain,
  resultOf,
  sign,
  zone,
} from "../../../test/support/signed-messages.ts"
import { createManualTimer } from "../../../test/support/timer.ts"
import { portsFor } from "../../../test/support/zone-ports.ts"
import { dmarcvalidator } from "../dmarcvalidator/index.ts"
import { isolatedRuns, maxAskingMs } from "../isolated-runs.ts"
import { messageauth } from "./index.ts"

test("SPF and DMARC: an aligned sender confirms the author, another one does not", async () => {
  const own = await check(plain, { ip: "192.0.2.1", sender: "x@a.test" })
  expect(own.results).toMatchObject([
    { method: "spf", result: "pass", domain: "a.test", is_aligned: true },
    { method: "dkim", result: "none" },
    { method: "arc", result: "none" },
    { method: "dmarc", result: "pass", domain: "a.test" },
  ])
  expect(own.dmarc).toEqual({
    policy: "quarantine",
    record_domain: "a.test",
    organizational_domain: "a.test",
    is_testing: false,
  })
  const dns = { ...zone, "b.test": [{ TXT: "v=spf1 +all" }] } as const
  const other = await check(plain, { ip: "198.51.100.1", sender: "x@b.test", dns })
  expect(other.is_authentic).toBe(false)
  expect(resultOf(other, "spf")).toMatchObject({ result: "pass", is_aligned: false })
  expect(resultOf(await check(plain, { ip: "198.51.100.1", sender: "x@a.test" }), "spf")?.result).toBe("fail")
})

test("SPF and DMARC: a run in the service has as much time for questions as one in a thread", async () => {
  const timer = createManualTimer()
  const asked = Promise.withResolvers<void>()
  const resolve = () => {
    asked.resolve()
    return new Promise<never>(() => {})
  }
  const context = {
    ...{ giveWay: () => undefined, premium: true },
    ports: { ...portsFor({}), timer, dns: { ...portsFor({}).dns, resolve } },
  }
  const { run } = (await isolatedRuns.messageauth?.()) ?? messageauth
  const answer = Promise.resolve(run({ message: plain }, context))
  await asked.promise
  timer.advance(maxAskingMs - 1)
  expect(timer.waiting).toHaveLength(1)
  timer.advance(1)
  expect(timer.waiting).toEqual([])
  expect(await answer).toMatchObject({
    problems: expect.arrayContaining([{ code: "no_answer" }].map(expect.objectContaining)),
  })
})

test("SPF and DMARC take Return-Path for the sender, and HELO for an empty one", async () => {
  const bounce = await check(`Return-Path: <ann@a.test>\r\n${plain}`, { ip: "192.0.2.1" })
  expect(resultOf(bounce, "spf")).toMatchObject({ result: "pass", domain: "a.test" })
  const empty = await check(plain, { ip: "192.0.2.1", sender: "", helo: "a.test" })
  expect(empty.authentication_results).toContain("spf=pass smtp.helo=a.test")
  expect(codes(await check(plain, { ip: "192.0.2.1" }))).toContain("no_sender")
  expect(codes(await check(plain, {}))).toContain("no_ip")
})

test("SPF and DMARC without an author, with two, or without a policy", async () => {
  expect(codes(await check("Subject: a\r\n\r\n"))).toContain("no_author")
  expect(codes(await check(`From: bob@b.test\r\n${plain}`))).toContain("several_authors")
  const none = await check(plain, { dns: keys })
  expect(codes(none)).toEqual(["no_policy", "no_ip"])
  expect(none.dmarc).toBeNull()
})

test("SPF and DMARC: a server that does not answer is a temporary result", async () => {
  const dns = {
    ...zone,
    "_dmarc.a.test": ["SERVFAIL"],
    "rsa._domainkey.a.test": ["TIMEOUT"],
    "a.test": ["SERVFAIL"],
  } as const
  const answer = await check(await sign(plain), { ip: "192.0.2.1", sender: "x@a.test", dns })
  expect(answer.results.map(({ result }) => result)).toEqual(["temperror", "temperror", "none", "temperror"])
  expect(codes(answer).filter((code) => code === "no_answer").length).toBe(3)
})

/** RFC 9989 §5.3.6: what failed to answer can neither confirm the author nor refute it. */
const slowKey = { ...zone, "rsa._domainkey.a.test": ["TIMEOUT"] } as const
const including = [{ TXT: "v=spf1 include:b.test -all" }]
const slowSpf = { ...zone, "a.test": including, "b.test": ["SERVFAIL"] } as const
const from = { ip: "192.0.2.1", sender: "x@a.test" }

test.each<[string, "pass" | "fail" | "temperror", Parameters<typeof check>[1]]>([
  ["a key of the author's domain", "temperror", { dns: slowKey }],
  ["SPF of the author's domain", "temperror", { ...from, dns: slowSpf }],
  ["a key, but SPF confirms", "pass", { ...from, dns: slowKey }],
  ["SPF, but the key confirms", "pass", { ...from, dns: { ...slowSpf, ...keys } }],
  [
    "SPF of another domain",
    "fail",
    { ip: "192.0.2.1", sender: "x@b.test", dns: { ...slowSpf, ...slowKey, "rsa._domainkey.a.test": [] } },
  ],
  ["the record of DMARC", "temperror", { dns: { ...zone, "_dmarc.a.test": ["SERVFAIL"] } }],
])("DMARC without an answer of the DNS: %s: %s", async (what, result, more) => {
  const answer = await check(what.startsWith("SPF of") ? plain : await sign(plain), more)
  const dmarc = resultOf(answer, "dmarc")
  expect(dmarc?.result).toBe(result)
  expect(answer.is_authentic).toBe(result === "pass")
  expect(codes(answer).includes("undecided")).toBe(result === "temperror")
  expect(codes(answer).includes("not_authentic")).toBe(result === "fail")
  expect(answer.authentication_results).toContain(`dmarc=${result}`)
  if (result === "temperror") {
    expect(dmarc?.reason).toBe("the DNS gave no answer for what could confirm the author")
    expect(answer.authentication_results).not.toContain("policy.dmarc")
  }
})

test("DMARC without an answer of the DNS: strict alignment lets a subdomain fail, whatever its key would be", async () => {
  const dns = { ...slowKey, "_dmarc.sub.a.test": [{ TXT: "v=DMARC1; p=reject; adkim=s" }] } as const
  const answer = await check(await sign(plain.replace("ann@a.test", "ann@sub.a.test")), { dns })
  expect(resultOf(answer, "dmarc")?.result).toBe("fail")
})

test("DMARC records are read as dmarcvalidator reads them", async () => {
  for (const [TXT, policy] of [
    [" v=DMARC1; p=reject", null],
    ["v=DMARC1; P=Reject", "reject"],
    ["v=DMARC1; p=quarantine; p=none", "quarantine"],
    ["v=DMARC1; p=x; rua=mailto:r@a.test!10m", "none"],
    ["v=DMARC1; p=x; rua=r@a.test", null],
  ] as const) {
    const dns = { ...keys, "_dmarc.a.test": [{ TXT }] }
    const context = { ports: portsFor({ given: { now, dns } }), giveWay: () => undefined, premium: true }
    const { policy: validated } = await dmarcvalidator.run({ domain: "a.test" }, context)
    const { dmarc } = await check(plain, { dns })
    expect([TXT, dmarc?.policy ?? null, validated]).toEqual([TXT, policy, policy])
  }
})

test("the author in a nested comment, or beside another address, confirms nothing", async () => {
  const forged = async (from: string) => check(await sign(plain.replace("Ann <ann@a.test>", from)))
  for (const from of ["(a (b) <ann@a.test>) Boss <boss@bank.test>", "(\\) ann@a.test) boss@bank.test"]) {
    const answer = await forged(from)
    expect(answer).toMatchObject({ is_authentic: false, author: "boss@bank.test" })
    expect(answer.results.at(-1)?.domain).toBe("bank.test")
  }
  for (const from of ["boss@bank.test\\@a.test", "boss@bank.test (x) ann@a.test"]) {
    const answer = await forged(from)
    expect(answer).toMatchObject({ is_authentic: false, author: null, dmarc: null })
    expect(answer.problems[0]).toMatchObject({ code: "no_author" })
    expect(answer.problems[0]?.message).toContain(from)
  }
})

test("the topmost Return-Path counts, and one that cannot be read is none", async () => {
  const paths = "Return-Path: <x@a.test>\r\nReturn-Path: <x@b.test>\r\n"
  const answer = await check(paths + plain, { ip: "192.0.2.1" })
  expect(resultOf(answer, "spf")).toMatchObject({ result: "pass", domain: "a.test" })
  const forged = await check(`Return-Path: (a (b) <x@a.test>) <y@b.test>\r\n${plain}`, { ip: "192.0.2.1" })
  expect(resultOf(forged, "spf")?.domain).toBe("b.test")
  const wrong = await check(`Return-Path: x@a.test y@b.test\r\n${plain}`, { ip: "192.0.2.1" })
  expect(codes(wrong)).toContain("no_sender")
})

test("a record at a top-level name makes one organization of all below it only if it says so", async () => {
  const message = "From: Boss <boss@bank.tld>\r\n\r\nPay.\r\n"
  const passes = async (record: string, ip: string) => {
    const dns = { "_dmarc.tld": [{ TXT: record }], "evil.tld": [{ TXT: "v=spf1 ip4:192.0.2.0/24 -all" }] }
    const answer = await check(message, { ip, sender: "x@evil.tld", dns })
    expect(resultOf(answer, "spf")?.result).toBe("pass")
    return [answer.is_authentic, answer.dmarc?.record_domain, answer.dmarc?.organizational_domain]
  }
  // RFC 9989 §4.10.2 would take it for an organization; a registry that has one, as for a brand, says psd=n.
  expect(await passes("v=DMARC1; p=reject", "192.0.2.1")).toEqual([false, "tld", "bank.tld"])
  expect(await passes("v=DMARC1; p=reject; psd=u", "192.0.2.1")).toEqual([false, "tld", "bank.tld"])
  expect(await passes("v=DMARC1; p=reject; psd=y", "192.0.2.1")).toEqual([false, "tld", "bank.tld"])
  expect(await passes("v=DMARC1; p=reject; psd=n", "192.0.2.1")).toEqual([true, "tld", "tld"])
})
