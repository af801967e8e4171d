/** Tests for each part of check_host() beyond the public suite, with the section of RFC 7208 they follow. */
import { describe, expect, test } from "bun:test"
import { recording, validateIn } from "../../../test/spf/support.ts"
import { createZoneDns } from "../../ports/dns/zone.ts"
import type { DnsZone, ZoneEntry } from "../contract.ts"
import type { SpfResult } from "./check-host.ts"
import type { SpfInput } from "./schema.ts"

const hosts: DnsZone = {
  "a.example": [{ A: "192.0.2.1" }, { A: "192.0.2.2" }],
  "b.example": [{ AAAA: "2001:db8::1" }],
  "ab.example": [{ A: "192.0.2.1" }, { AAAA: "2001:db8::1" }],
  "m.example": [{ MX: [20, "a.example"] }, { MX: [10, "b.example"] }],
  "nullmx.example": [{ MX: [0, ""] }],
  "down.example": ["SERVFAIL"],
  "silent.example": ["TIMEOUT"],
  "refusing.example": ["REFUSED"],
  "pass.example": [{ TXT: "v=spf1 +all" }],
  "fail.example": [{ TXT: "v=spf1 -all exp=exp.fail.example" }],
  "exp.fail.example": [{ TXT: "from the included domain" }],
  "softfail.example": [{ TXT: "v=spf1 ~all" }],
  "neutral.example": [{ TXT: "v=spf1 ?all" }],
  "broken.example": [{ TXT: "v=spf1 moo -all" }],
  "two.example": [{ TXT: "v=spf1 -all" }, { TXT: "v=spf1 ~all" }],
  "empty.example": [{ TXT: "hello" }],
  "1.2.0.192.in-addr.arpa": [{ PTR: "a.example" }, { PTR: "liar.example" }],
  "9.2.0.192.in-addr.arpa": ["SERVFAIL"],
  "liar.example": [{ A: "192.0.2.99" }],
}

async function check(record: string, more: Partial<SpfInput> = {}, zone: DnsZone = {}) {
  const own: ZoneEntry[] = [{ TXT: record }, { A: "192.0.2.10" }, { MX: [10, "a.example"] }]
  const { ip = "192.0.2.1", ...rest } = more
  return validateIn({ "d.example": own, ...hosts, ...zone }, { domain: "d.example", ip, ...rest })
}

type Vector = readonly [record: string, result: SpfResult, more?: Partial<SpfInput>]

function vectors(area: string, list: readonly Vector[]): void {
  describe(area, () => {
    for (const [record, result, more] of list)
      test(`${record} ${more === undefined ? "" : JSON.stringify(more)} is ${result}`, async () => {
        const report = await check(record, more)
        expect(report.ip_result).toBe(result)
        expect(report.ip_pass).toBe(result === "pass")
      })
  })
}

vectors("evaluation is in order and ends with neutral (§4.6.2, §4.7)", [
  ["v=spf1", "neutral"],
  ["v=spf1 ?ip4:192.0.2.1 -all", "neutral"],
  ["v=spf1 ip4:192.0.2.9 -all", "fail"],
  ["v=spf1 ~ip4:192.0.2.0/24 ip4:192.0.2.1", "softfail"],
  ["v=spf1 -all ip4:192.0.2.1", "fail"],
  ["V=SPF1 IP4:192.0.2.1 -ALL", "pass"],
  ["v=spf1  ip4:192.0.2.1  ", "pass"],
])

vectors("a syntax error anywhere is a permerror before any term is evaluated (§4.6)", [
  ["v=spf1 ip4:192.0.2.1 -all moo", "permerror"],
  ["v=spf1 ip4:192.0.2.1 redirect=x.example redirect=x.example", "permerror"],
  ["v=spf1 include:broken.example -all", "permerror"],
  ["v=spf1 ip4:192.0.2.1 include:broken.example -all", "pass"],
])

vectors("addresses of both families (§5)", [
  ["v=spf1 ip4:192.0.2.0/24 -all", "pass", { ip: "::ffff:192.0.2.7" }],
  ["v=spf1 ip6:::ffff:192.0.2.7 -all", "fail", { ip: "::ffff:192.0.2.7" }],
  // Another address, which only contains the bytes of the IPv4 address.
  ["v=spf1 ip4:192.0.2.0/24 -all", "fail", { ip: "::192.0.2.7" }],
  ["v=spf1 ip6:::192.0.2.7 -all", "fail", { ip: "192.0.2.7" }],
  ["v=spf1 ip6:::192.0.2.0/120 -all", "pass", { ip: "::192.0.2.7" }],
  ["v=spf1 ip6:::/0 -all", "fail"],
  ["v=spf1 ip4:0.0.0.0/0 -all", "fail", { ip: "2001:db8::1" }],
  ["v=spf1 ip6:2001:db8::/32 -all", "pass", { ip: "2001:DB8:0::1" }],
  ["v=spf1 a:ab.example//64 -all", "pass", { ip: "2001:db8::99" }],
  ["v=spf1 a:ab.example/24 -all", "fail", { ip: "2001:db8::99" }],
])

vectors("a (§5.3)", [
  ["v=spf1 a:a.example -all", "pass"],
  ["v=spf1 a -all", "fail"],
  ["v=spf1 a/24 -all", "pass"],
  ["v=spf1 a:b.example/0 -all", "fail"],
  ["v=spf1 a:down.example -all", "temperror"],
  ["v=spf1 a:silent.example -all", "temperror"],
  ["v=spf1 a:refusing.example -all", "temperror"],
  ["v=spf1 a:no..name.example -all", "fail"],
])

vectors("mx (§5.4)", [
  ["v=spf1 mx -all", "pass"],
  ["v=spf1 mx:m.example -all", "pass"],
  ["v=spf1 mx:m.example -all", "pass", { ip: "2001:db8::1" }],
  ["v=spf1 mx:a.example -all", "fail"],
  ["v=spf1 mx:nullmx.example -all", "fail"],
  ["v=spf1 mx:down.example -all", "temperror"],
])

vectors("ptr (§5.5)", [
  ["v=spf1 ptr:a.example -all", "pass"],
  ["v=spf1 ptr:EXAMPLE.example -all", "fail"],
  ["v=spf1 ptr:liar.example -all", "fail"],
  ["v=spf1 ptr -all", "fail", { ip: "192.0.2.9" }],
])

vectors("exists (§5.7)", [
  ["v=spf1 exists:a.example -all", "pass"],
  ["v=spf1 exists:a.example -all", "pass", { ip: "2001:db8::1" }],
  ["v=spf1 exists:b.example -all", "fail", { ip: "2001:db8::1" }],
  ["v=spf1 exists:down.example -all", "temperror"],
])

vectors("include (§5.2)", [
  ["v=spf1 include:pass.example -all", "pass"],
  ["v=spf1 ~include:pass.example -all", "softfail"],
  ["v=spf1 include:fail.example ?all", "neutral"],
  ["v=spf1 include:softfail.example -all", "fail"],
  ["v=spf1 include:neutral.example -all", "fail"],
  ["v=spf1 include:down.example +all", "temperror"],
  ["v=spf1 include:broken.example +all", "permerror"],
  ["v=spf1 include:two.example +all", "permerror"],
  ["v=spf1 include:empty.example +all", "permerror"],
  ["v=spf1 include:nowhere.example +all", "permerror"],
  ["v=spf1 include:%{h} +all", "permerror", { helo: "single" }],
])

vectors("redirect (§6.1)", [
  ["v=spf1 redirect=softfail.example", "softfail"],
  ["v=spf1 redirect=softfail.example ip4:192.0.2.1", "pass"],
  ["v=spf1 redirect=softfail.example -all", "fail"],
  ["v=spf1 redirect=empty.example", "permerror"],
  ["v=spf1 redirect=down.example", "temperror"],
  ["v=spf1 redirect=a..example", "permerror"],
])

test("the limits of §4.6.4: ten terms may look something up, and an eleventh is a permerror when it is reached", async () => {
  const repeated = (count: number) => `v=spf1 ${"a ".repeat(count)}`
  expect((await check(`${repeated(10)}~all`)).ip_result).toBe("softfail")
  expect((await check(`${repeated(11)}~all`)).ip_result).toBe("permerror")
  expect((await check(`${repeated(10)}ip4:192.0.2.1 a ~all`)).ip_result).toBe("pass")
})

test("the limits of §4.6.4: include and redirect share the count", async () => {
  const zone = { "five.example": [{ TXT: "v=spf1 a a a a a" }, { A: "203.0.113.1" }] }
  expect((await check("v=spf1 include:five.example a a a a ~all", {}, zone)).ip_result).toBe("softfail")
  expect((await check("v=spf1 include:five.example a a a a a ~all", {}, zone)).ip_result).toBe("permerror")
  expect((await check("v=spf1 a a a a redirect=five.example", {}, zone)).ip_result).toBe("neutral")
  expect((await check("v=spf1 a a a a a redirect=five.example", {}, zone)).ip_result).toBe("permerror")
  expect((await check("v=spf1 include:d.example ~all")).ip_result).toBe("permerror")
  expect((await check("v=spf1 redirect=d.example")).ip_result).toBe("permerror")
})

test("the limits of §4.6.4: two look-ups may find nothing; a name that cannot exist is not a look-up", async () => {
  const dead = (count: number) => Array.from({ length: count }, (_, index) => `a:x${index}.example`).join(" ")
  expect((await check(`v=spf1 ${dead(2)} ~all`)).ip_result).toBe("softfail")
  expect((await check(`v=spf1 ${dead(3)} ~all`)).ip_result).toBe("permerror")
  expect((await check(`v=spf1 ${dead(2)} a:no..name.example ~all`)).ip_result).toBe("softfail")
  expect((await check(`v=spf1 ${dead(2)} exp=x9.example -all`)).ip_result).toBe("fail")
  expect(
    (await check("v=spf1 mx:a.example exists:b.example ptr ~all", { ip: "203.0.113.1" })).ip_result,
  ).toBe("permerror")
})

test("the limits of §4.6.4: ten mail exchangers are allowed", async () => {
  const exchangers = (count: number) => ({
    "many.example": Array.from({ length: count }, (_, index): ZoneEntry => ({ MX: [index, "a.example"] })),
  })
  expect((await check("v=spf1 mx:many.example -all", {}, exchangers(10))).ip_result).toBe("pass")
  expect((await check("v=spf1 mx:many.example -all", {}, exchangers(11))).ip_result).toBe("permerror")
})

test("the limits of §4.6.4: only the first ten host names are looked at", async () => {
  const names = (position: number): DnsZone => ({
    "5.2.0.192.in-addr.arpa": Array.from(
      { length: 12 },
      (_, index): ZoneEntry => ({ PTR: `h${index}.example` }),
    ),
    [`h${position}.example`]: [{ A: "192.0.2.5" }],
  })
  const ip = "192.0.2.5"
  expect((await check("v=spf1 ptr:example ~all", { ip }, names(9))).ip_result).toBe("permerror")
  expect((await check("v=spf1 ptr:h9.example ~all", { ip }, names(9))).ip_result).toBe("pass")
  expect((await check("v=spf1 ptr:h10.example ~all", { ip }, names(10))).ip_result).toBe("softfail")
})

const exists = async (spec: string, name: string, more: Partial<SpfInput> = {}) =>
  (await check(`v=spf1 exists:${spec} -all`, more, { [name]: [{ A: "127.0.0.2" }] })).ip_result

test("macros (§7): sender, helo and address go into names", async () => {
  const sender = "Ann-Lee@Mail.example"
  expect(await exists("%{l1r-}.%{o}.%{d}", "ann.mail.example.d.example", { sender })).toBe("pass")
  expect(await exists("%{ir}.%{v}.x.example", "1.2.0.192.in-addr.x.example")).toBe("pass")
  expect(await exists("%{h}", "what ever[x].example", { helo: "What ever[x].example" })).toBe("pass")
  expect(await exists("%{S}.x.example", "ann-lee%40mail.example.x.example", { sender })).toBe("pass")
  expect(await exists("%{p}.x.example", "a.example.x.example")).toBe("pass")
  expect(await exists("%{p}.x.example", "unknown.x.example", { ip: "192.0.2.9" })).toBe("pass")
})

test("macros (§7) without sender and helo both are the domain's own (§2.4)", async () => {
  expect(await exists("%{s}.%{h}", "postmaster@d.example.d.example")).toBe("pass")
  expect(
    await exists("%{l}.%{o}.x.example", "postmaster.bare.example.x.example", { sender: "bare.example" }),
  ).toBe("pass")
  expect(
    await exists("%{l}.%{o}.x.example", "postmaster.at.example.x.example", { sender: "@at.example" }),
  ).toBe("pass")
  expect(await exists("%{h}x.x.example", "x.x.example", { helo: "" })).toBe("pass")
})

test("macros (§7): d is the current domain, also in includes and redirects", async () => {
  const zone = {
    "inner.example": [{ TXT: "v=spf1 exists:%{d}.x.example" }],
    "inner.example.x.example": [{ A: "127.0.0.2" }],
  }
  expect((await check("v=spf1 include:inner.example -all", {}, zone)).ip_result).toBe("pass")
  expect((await check("v=spf1 redirect=inner.example", {}, zone)).ip_result).toBe("pass")
})

test("macros (§7): international domains are A-labels, and a local-part outside ASCII matches nothing (RFC 8616 §4)", async () => {
  const more = { sender: "ann@bücher.example", helo: "bücher.example" }
  expect(await exists("%{o}.x.example", "xn--bcher-kva.example.x.example", more)).toBe("pass")
  expect(await exists("%{h}.x.example", "xn--bcher-kva.example.x.example", more)).toBe("pass")
  expect(await exists("%{l}.x.example", "jörg.x.example", { sender: "jörg@d.example" })).toBe("fail")
  const local = await check("v=spf1 include:%{l}.example -all", { sender: "jörg@d.example" })
  expect(local.ip_result).toBe("fail")
})

const explain = async (record: string, more: Partial<SpfInput> = {}, zone: DnsZone = {}) =>
  (await check(record, more, zone)).ip_explanation
const why: DnsZone = { "why.example": [{ TXT: ["%{c} may not ", "send for %{s}, %{d}. %{t} %{r}"] }] }

test("explanations (§6.2) are given on a fail only, with macros replaced and no dot removed", async () => {
  const record = "v=spf1 -all exp=why.example"
  expect(await explain(record, { sender: "ann@d.example" }, why)).toBe(
    "192.0.2.1 may not send for ann@d.example, d.example. 1735689600 unknown",
  )
  expect(await explain(record, { ip: "2001:DB8::0:1" }, why)).toStartWith("2001:db8::1 may")
  expect(await explain("v=spf1 ~all exp=why.example", {}, why)).toBeUndefined()
  expect(await explain("v=spf1 -all", {}, why)).toBeUndefined()
})

test("explanations (§6.2) come from the record that decides: a redirect's target, never an include", async () => {
  const zone = {
    ...why,
    "r.example": [{ TXT: "v=spf1 -all" }],
    "s.example": [{ TXT: "v=spf1 -all exp=t.example" }],
    "t.example": [{ TXT: "%{d}" }],
  }
  expect(await explain("v=spf1 exp=why.example redirect=r.example", {}, zone)).toBeUndefined()
  expect(await explain("v=spf1 exp=why.example redirect=s.example", {}, zone)).toBe("s.example")
  expect(await explain("v=spf1 -include:pass.example exp=t.example", {}, zone)).toBe("d.example")
  expect(await explain("v=spf1 include:fail.example -all", {}, zone)).toBeUndefined()
})

test("explanations (§6.2) are dropped when anything is wrong with them", async () => {
  for (const entries of [
    [],
    ["SERVFAIL"],
    [{ TXT: "one" }, { TXT: "two" }],
    [{ TXT: "" }],
    [{ TXT: "caf\xe9" }],
    [{ TXT: "%{x}" }],
  ] as ZoneEntry[][]) {
    const report = await check("v=spf1 -all exp=why.example", {}, { "why.example": entries })
    expect([report.ip_result, report.ip_explanation]).toEqual(["fail", undefined])
  }
  expect(await explain("v=spf1 -all exp=%{h}", { helo: "no..name" })).toBeUndefined()
  expect(await explain("v=spf1 -all exp=why.example", { sender: "jörg@d.example" }, why)).toBeUndefined()
})

test("mail exchangers are looked up in the order of preference, for the client's family only", async () => {
  // More exchangers than the report looks up, so that the check alone asks for the last two.
  const exchangers = [7, 6, 5, 4, 3, 2, 1].map((n) => ({ MX: [n, `${n}.m.example`] as const }))
  const zone = createZoneDns({ "d.example": [{ TXT: "v=spf1 mx:m.example -all" }], "m.example": exchangers })
  const questionsWith = async (input: { readonly ip?: string }) => {
    const dns = recording(zone)
    await validateIn(dns, { domain: "d.example", ...input })
    return dns.questions
  }
  const [withIp, without] = await Promise.all([questionsWith({ ip: "192.0.2.1" }), questionsWith({})])
  expect(withIp.filter((question) => !without.includes(question))).toEqual(["A 6.m.example", "A 7.m.example"])
  expect(withIp.filter((question) => question.startsWith("A "))).toEqual(
    [1, 2, 3, 4, 5, 6, 7].map((n) => `A ${n}.m.example`),
  )
})

test("an exchanger that matches before a failing one gives pass, one after it temperror", async () => {
  const zone = (first: string, second: string): DnsZone => ({
    "mixed.example": [{ MX: [10, first] }, { MX: [20, second] }],
  })
  const late = zone("a.example", "down.example")
  expect((await check("v=spf1 mx:mixed.example -all", {}, late)).ip_result).toBe("pass")
  const early = zone("down.example", "a.example")
  expect((await check("v=spf1 mx:mixed.example -all", {}, early)).ip_result).toBe("temperror")
})
