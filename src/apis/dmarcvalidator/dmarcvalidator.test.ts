import { expect, test } from "bun:test"
import fc from "fast-check"
import { askApi } from "../../../test/support/run-api.ts"
import { createZoneDns } from "../../ports/dns/zone.ts"
import type { Dns, DnsZone } from "../contract.ts"
import { walkDmarc } from "../mail/dmarc-walk.ts"
import { dmarcvalidator } from "./index.ts"

const validate = (zone: DnsZone, domain: string, dns: Dns = createZoneDns(zone), premium = true) =>
  askApi(dmarcvalidator, { domain }, { dns, premium })
/** Records of DMARC by domain; the names below `_dmarc` exist too. */
const zoneOf = (records: Readonly<Record<string, string>>, others: DnsZone = {}): DnsZone => ({
  ...others,
  ...Object.fromEntries(Object.entries(records).map(([domain, TXT]) => [`_dmarc.${domain}`, [{ TXT }]])),
})
const reject = "v=DMARC1; p=reject; rua=mailto:r@example.com"

/** RFC 9989 §4.10. */
test.each([
  [
    "a.b.c.d.e.f.g.h.i.j.mail.example.com",
    "a.b.c.d.e.f.g.h.i.j.mail.example.com g.h.i.j.mail.example.com h.i.j.mail.example.com i.j.mail.example.com j.mail.example.com mail.example.com example.com com",
  ],
  ["a.b.c.d.e.f.g.h", "a.b.c.d.e.f.g.h b.c.d.e.f.g.h c.d.e.f.g.h d.e.f.g.h e.f.g.h f.g.h g.h h"],
  ["a.mail.example.com", "a.mail.example.com mail.example.com example.com com"],
])("the tree walk of %s asks for the names of the RFC", async (domain, names) => {
  const asked: string[] = []
  const dns: Dns = {
    ...createZoneDns({}),
    async resolve(name) {
      asked.push(name)
      return { kind: "nodata" }
    },
  }
  await walkDmarc(domain, dns, new AbortController().signal)
  expect(asked).toEqual(names.split(" ").map((name) => `_dmarc.${name}`))
})

const [low, middle] = ["a.mail.example.com", "mail.example.com"] as const
const [below, top] = ["a.example.com", "example.com"] as const
test.each<[string, Record<string, string>, string, string | null]>([
  // The three examples of §4.10.2.
  [low, { [middle]: reject, [top]: reject }, top, top],
  [low, { [middle]: `${reject}; psd=n`, [top]: reject }, middle, middle],
  [low, { com: `${reject}; psd=y` }, top, "com"],
  // A domain's own record applies, wherever the organizational domain is.
  [low, { [low]: reject, [top]: reject }, top, low],
  [top, { [top]: reject }, top, top],
  // That of a public suffix applies only where the organizational domain has none.
  [below, { [top]: reject, com: `${reject}; psd=y` }, top, top],
  ["a.b.example.com", { "b.example.com": reject, com: `${reject}; psd=y` }, top, "com"],
  // The walk ends at psd=n and psd=y, not at psd=u.
  [below, { [below]: `${reject}; psd=y`, [top]: reject }, below, below],
  [below, { [below]: `${reject}; psd=u`, [top]: reject }, top, below],
  [below, { [below]: `${reject}; PSD=N`, [top]: reject }, below, below],
  ["a.b.c.d.e.f.g.h.i", { i: `${reject}; psd=y` }, "h.i", "i"],
  // A top-level name that does not say that it is none is a public suffix.
  ["a.mail.example", { example: reject }, "mail.example", "example"],
  ["a.mail.example", { example: `${reject}; psd=u` }, "mail.example", "example"],
  ["a.mail.example", { example: `${reject}; psd=n` }, "example", "example"],
  [below, {}, below, null],
])("the tree walk of %s with %j: %s, record of %s", async (domain, records, organizational, owner) =>
  expect(await validate(zoneOf(records), domain)).toMatchObject({
    organizational_domain: organizational,
    record_domain: owner,
  }),
)

test("the tree walk: a record at a top-level name says of which kind it is", async () => {
  const codesOf = async (record: string) => (await validate(zoneOf({ example: record }), "a.example")).codes
  for (const record of [reject, `${reject}; psd=u`]) expect(await codesOf(record)).toContain("top_level")
  for (const tag of ["y", "Y", "n"]) expect(await codesOf(`${reject}; psd=${tag}`)).not.toContain("top_level")
  expect((await validate(zoneOf({ "b.example": reject }), "a.b.example")).codes).not.toContain("top_level")
})

test("the tree walk: several records of a name are none, and said", async () => {
  const twice = [{ TXT: reject }, { TXT: reject }]
  const zone = { ...zoneOf({ "example.com": reject }), "_dmarc.a.example.com": twice }
  const { record_domain, codes } = await validate(zone, "a.example.com")
  expect([record_domain, codes]).toEqual(["example.com", ["multiple_records"]])
})

test("the tree walk: a name without an answer refuses the call, but not one behind the end of the walk", async () => {
  const zone = { ...zoneOf({ "example.com": `${reject}; psd=n` }), "_dmarc.com": ["SERVFAIL" as const] }
  expect(await validate(zone, "a.example.com")).toMatchObject({ record_domain: "example.com" })
  await expect(validate({ "_dmarc.com": ["SERVFAIL"] }, "a.example.com")).rejects.toThrow(
    "The DNS gave no answer for _dmarc.com (servfail).",
  )
})

test.each([
  ["p=reject", "reject", "reject", "reject"],
  ["p=quarantine; sp=none", "quarantine", "none", "none"],
  ["p=none; sp=quarantine; np=reject", "none", "quarantine", "reject"],
  ["p=reject; np=none", "reject", "reject", "none"],
  ["P=Reject ; SP = None", "reject", "none", "none"],
  ["p=reject; sp=x", "none", "none", "none"],
  ["sp=reject", "none", "none", "none"],
])("the policy of %s is %s, %s and %s", async (tags, own, below, nonexistent) => {
  const record = `v=DMARC1; ${tags}; rua=mailto:r@example.com`
  const zone = zoneOf({ "example.com": record }, { "a.example.com": [] })
  const policyOf = async (domain: string) => (await validate(zone, domain)).policy
  expect([
    await policyOf("example.com"),
    await policyOf("a.example.com"),
    await policyOf("b.example.com"),
  ]).toEqual([own, below, nonexistent] as never)
})

test("the policy does not apply when it is wrong and nobody gets reports", async () => {
  for (const tags of ["p=x", "sp=none", "p=none; sp=x", "p=x; rua=r@example.com"])
    expect(await validate(zoneOf({ "example.com": `v=DMARC1; ${tags}` }), "example.com")).toMatchObject({
      is_valid: false,
      policy: null,
      policies: null,
    })
})

test("the policy: tests and alignment are read without case", async () => {
  const zone = zoneOf({ "example.com": `${reject}; t=Y; adkim=S; aspf=r` })
  expect(await validate(zone, "example.com")).toMatchObject({
    is_valid: true,
    is_testing: true,
    alignment: { dkim: "strict", spf: "relaxed" },
    codes: ["testing"],
  })
})

test.each([
  ["v=DMARC1;p=reject;rua=mailto:r@a.example;", []],
  ["V = DMARC1 ; p = reject ; rua = mailto:r@a.example?subject=x , mailto:s@b.example", []],
  ["v=DMARC1; p=none; rua=mailto:r@a.example", ["monitoring"]],
  ["v=DMARC1; p=reject", ["no_reports"]],
  ["v=DMARC1; p=reject; rua=mailto:r@a.example; sp=none", ["weaker_below"]],
  // RFC 9989 §4.8, obs-dmarc-report-size; RFC 7489 §6.2 and 6.4. The unit has no case, as in all of ABNF.
  ["v=DMARC1; p=reject; rua=mailto:r@a.example!10m", ["obsolete_size"]],
  [
    "v=DMARC1; p=reject; rua=mailto:r@a.example!10G , mailto:s@a.example!1",
    ["obsolete_size", "obsolete_size"],
  ],
  ["v=DMARC1; p=x; rua=mailto:r@a.example!10m", ["value", "obsolete_size", "assumed_none"]],
  ["v=DMARC1; p=reject; rua=mailto:r@a.example!10p", ["uri"]],
  ["v=DMARC1; p=reject; rua=mailto:r@a.example!", ["uri"]],
  ["v=DMARC1; p=reject; rua=mailto:r!10m@a.example", ["uri"]],
  ["v=DMARC1; p=reject; rua=r@a.example", ["uri"]],
  ["v=DMARC1; p=reject; rua=https://a.example/r", ["scheme"]],
  ["v=DMARC1; p=reject; rua=mailto:r@a.example,", ["uri"]],
  ["v=DMARC1; p=reject; rua=mailto:r@a.example; fo=1", ["unused_fo"]],
  ["v=DMARC1; p=reject; rua=mailto:r@a.example; fo=2; ruf=mailto:r@a.example", ["value"]],
  ["v=DMARC1; p=reject; rua=mailto:r@a.example; fo=1:d:s; ruf=mailto:r@a.example", []],
  [
    "v=DMARC1; p=reject; rua=mailto:r@a.example; pct=20; rf=afrf; ri=1",
    ["historic_tag", "historic_tag", "historic_tag"],
  ],
  ["v=DMARC1; p=reject; rua=mailto:r@a.example; x=y", ["unknown_tag"]],
  ["v=DMARC1; p=reject; rua=mailto:r@a.example; constructor=y", ["unknown_tag"]],
  ["v=DMARC1; p=reject; rua=mailto:r@a.example; t=x", ["value"]],
  ["v=DMARC1; p=reject; rua=mailto:r@a.example; what", ["syntax"]],
  ["v=DMARC1; p=reject; rua=mailto:r@a.example; adkim=", ["syntax"]],
  ["v=DMARC1; p=reject; p=none; rua=mailto:r@a.example", ["repeated_tag"]],
  ["v=DMARC1;; p=reject; rua=mailto:r@a.example", ["syntax"]],
  ["v=DMARC1 p=reject", ["not_a_record", "no_record"]],
  ["v=dmarc1; p=reject", ["not_a_record", "no_record"]],
  ["p=reject; v=DMARC1", ["not_a_record", "no_record"]],
  ["v=DMARC1; rua=mailto:r@a.example", ["assumed_none"]],
  ["v=DMARC1", ["no_policy", "no_reports"]],
  [`v=DMARC1; p=reject; rua=${"mailto:r@a.example,".repeat(3_000)}`, ["too_long"]],
])("%s has %j", async (record, codes) =>
  expect<string[]>((await validate(zoneOf({ "a.example": record }), "a.example")).codes).toEqual(codes),
)

const record =
  "v=DMARC1; p=reject; rua=mailto:r@mail.a.example,mailto:r@Reports.example,mailto:r@other.example; ruf=mailto:f@reports.example,mailto:f@slow.example"
const zone: DnsZone = {
  ...zoneOf({ "a.example": record, "b.a.example": `${reject}; psd=n` }),
  "a.example._report._dmarc.reports.example": [{ TXT: "v=DMARC1" }],
  "a.example._report._dmarc.other.example": [{ TXT: "v=DMARC2" }],
  "a.example._report._dmarc.slow.example": ["TIMEOUT"],
}

test("report permissions are asked of hosts with another organizational domain, each once", async () =>
  expect((await validate(zone, "x.a.example")).report_permissions).toEqual([
    { domain: "mail.a.example", is_external: false, is_permitted: true },
    { domain: "reports.example", is_external: true, is_permitted: true },
    { domain: "other.example", is_external: true, is_permitted: false },
    { domain: "slow.example", is_external: true, is_permitted: null },
  ]))

test("report permissions are not asked without premium fields, and of ten hosts at most", async () => {
  const asked: string[] = []
  const many = `v=DMARC1; p=reject; rua=${Array.from({ length: 40 }, (_, n) => `mailto:r@r${n}.example`).join(",")}`
  const fixture = createZoneDns(zoneOf({ "a.example": many }))
  const dns: Dns = {
    ...fixture,
    resolve(name, type) {
      asked.push(name)
      return fixture.resolve(name, type)
    },
  }
  const { report_permissions, rua } = await validate({}, "a.example", dns)
  expect([report_permissions.length, rua.length]).toEqual([10, 40])
  // Two names and the domain itself; for each host a permission and a walk over two names.
  expect(asked).toHaveLength(3 + 10 * 3)
  asked.length = 0
  await validate({}, "a.example", dns, false)
  expect(asked).toHaveLength(3)
})

/** RFC 9989 §4.8. */
test("records made by the grammar have no error, and what they say is read", () => {
  const wsp = fc.array(fc.constantFrom(" ", "\t"), { maxLength: 2 }).map((spaces) => spaces.join(""))
  const request = fc.constantFrom("none", "quarantine", "reject", "Reject")
  const uri = fc.constantFrom(
    "mailto:a@b.example",
    "mailto:r%2Cx@b.example",
    "MAILTO:r+x@b.example?subject=a%21",
  )
  const tag = fc.oneof(
    fc.tuple(fc.constantFrom("sp", "np", "NP"), request),
    fc.tuple(fc.constantFrom("adkim", "aspf"), fc.constantFrom("r", "s")),
    fc.tuple(fc.constant("psd"), fc.constantFrom("n", "u")),
    fc.tuple(fc.constant("t"), fc.constantFrom("y", "n")),
    fc.tuple(fc.constant("fo"), fc.constantFrom("0", "1", "d", "s", "d:s", "s:d")),
    fc.tuple(
      fc.constantFrom("x", "abc"),
      fc
        .string({ unit: fc.constantFrom(..."aZ09 !#=:,~"), minLength: 1, maxLength: 5 })
        .filter((value) => value.trim() !== ""),
    ),
  )
  const tags = fc.uniqueArray(tag, { maxLength: 4, selector: ([name]) => name.toLowerCase() })
  return fc.assert(
    fc.asyncProperty(
      tags,
      request,
      fc.array(uri, { minLength: 1, maxLength: 3 }),
      wsp,
      wsp,
      fc.boolean(),
      async (list, p, uris, one, two, ends) => {
        const all = [["p", p] as const, ["rua", uris.join(`${one},${two}`)] as const, ...list]
        const written = all.map(([name, value]) => `${one};${two}${name}${two}=${one}${value}`)
        const record = `v${one}=${two}DMARC1${written.join("")}${ends ? `${two};${one}` : ""}`
        const answer = await validate(zoneOf({ "a.example": record }), "a.example", undefined, false)
        expect(answer.problems.filter(({ severity }) => severity === "error")).toEqual([])
        expect(answer).toMatchObject({
          record,
          policy: p.toLowerCase(),
          rua: uris.map((text) => ({ uri: text, is_valid: true })),
        })
      },
    ),
    { numRuns: 2_000, seed: 9989 },
  )
})

/** The records of checkdmarc d4866ca, tests/test_dmarc.py, and whether it takes them; its warnings are not compared. */
test.each<[string, "taken" | string]>([
  ["v=DMARC1;p=ReJect", "taken"],
  ["v = DMARC1;p=reject;", "taken"],
  ["v = DMARC1\t;\tp=reject\t;", "taken"],
  ["v = DMARC1\t;\tp\t\t\t=\t\t\treject\t;", "taken"],
  ["V=DMARC1;p=reject;", "taken"],
  ["v=DMARC1; p=none; rua=reports@dmarc.cyber.dhs.gov,mailto:dmarcreports@usdoj.gov", "uri"],
  ["v=DMARC1; p=none; rua=__mailto:reports@dmarc.cyber.dhs.gov,mailto:dmarcreports@usdoj.gov", "uri"],
  ["v=DMARC1; p=foo; rua=mailto:dmarc@example.com", "value"],
  ["v=DMARC1; p=reject; np=quarantine", "taken"],
  ["v=DMARC1; p=reject; psd=n", "taken"],
  ["v=DMARC1; p=reject; t=y", "taken"],
  ["v=DMARC1; p=reject; np=invalid", "value"],
  ["v=DMARC1; p=reject; psd=x", "value"],
  ["v=DMARC1; p=reject; t=x", "value"],
  ["v=DMARC1; p=reject; sp=invalid", "value"],
  ["v=DMARC1; p=reject; fo=invalid_value", "value"],
  ["v=DMARC1; p=reject; fo=x", "value"],
  ["v=DMARC1; p=reject; fo=0:1", "taken"],
  ...["pct=100", "pct=0", "pct=150", "pct=-1", "pct=abc", "rf=afrf", "rf=invalid", "ri=3600", "ri=abc"].map(
    (historic): [string, string] => [`v=DMARC1; p=reject; ${historic}`, "taken"],
  ),
  ["v=DMARC1; rua=mailto:dmarc@example.com", "taken"],
  ["v=DMARC1; p=reject; sp=quarantine", "taken"],
  ["v=DMARC1; sp=none; p=reject", "taken"],
  ["v=DMARC1; p", "syntax"],
  ["v=DMARC1; p=reject; p=none", "repeated_tag"],
  ["v=DMARC1; p=reject; xyz=foo", "taken"],
  ["v=spf1 include:example.com -all", "no_record"],
  [" v=DMARC1; p=reject", "no_record"],
])("the table of checkdmarc: %j is %s", async (record, verdict) => {
  const { is_valid, problems } = await validate(zoneOf({ "example.com": record }), "example.com")
  const errors = problems.filter(({ severity }) => severity === "error").map(({ code }) => code)
  expect(is_valid).toBe(verdict === "taken")
  if (verdict !== "taken") expect(errors).toContain(verdict as (typeof errors)[number])
})

test("the table of checkdmarc: several records are refused, and texts of other kinds beside one are not", async () => {
  const two = [{ TXT: "v=DMARC1; p=reject" }, { TXT: "v=DMARC1; p=none" }]
  expect(await validate({ "_dmarc.example.com": two }, "example.com")).toMatchObject({ is_valid: false })
  const other = [{ TXT: "v=DMARC1; p=reject" }, { TXT: "unrelated" }]
  expect(await validate({ "_dmarc.example.com": other }, "example.com")).toMatchObject({ policy: "reject" })
})

test("the size after an address is left out of the answer, and its host is asked for a permission", async () => {
  const zone = {
    ...zoneOf({ "a.example": "v=DMARC1; p=reject; rua=mailto:r@b.example!10m; ruf=mailto:f@b.example!1" }),
    "a.example._report._dmarc.b.example": [{ TXT: "v=DMARC1" }],
  }
  expect(await validate(zone, "a.example")).toMatchObject({
    is_valid: true,
    rua: [{ uri: "mailto:r@b.example", is_valid: true }],
    ruf: [{ uri: "mailto:f@b.example", is_valid: true }],
    report_permissions: [{ domain: "b.example", is_external: true, is_permitted: true }],
  })
})

const messagesOf = async (record: string) =>
  (await validate(zoneOf({ "a.example": record }), "a.example")).problems.map(({ message }) => message)

test.each([
  ["p=rejekt; rua=mailto:r@a.example", "p=rejekt", "The value of p is none, quarantine or reject."],
  ["p=none rua=mailto:r@b.cd", "p=none rua=mailto:r@b.cd", "A semicolon is missing between two tags."],
  ["p=none, sp=none", "p=none, sp=none", "A semicolon is missing between two tags."],
  ["p:none", "p:none", "Write an equals sign for the colon."],
  ["p=none\\; t=y", "p=none\\", "Leave out the backslash: it is for zone files alone."],
  ['p="none"', 'p="none"', "Leave out the quotation marks."],
  [
    "p=none; rua=mailto:a@a.example; mailto:b@a.example",
    "mailto:b@a.example",
    "Put a comma between addresses: a semicolon ends the list.",
  ],
  ["p=none; t=", "t=", "There is no value: add one, or leave the tag out."],
])("of the tags %s: %s is wrong. %s", async (tags, wrong, advice) =>
  expect(await messagesOf(`v=DMARC1; ${tags}`)).toContain(`'${wrong}' is wrong. ${advice}`),
)

test.each([
  ["mailto://d@a.example", "Leave out the slashes after mailto:."],
  ...["!10MB", "!10mib", "!5kb", "!9bytes"].map((size) => [
    `mailto:d@a.example${size}`,
    "Leave out the size after the exclamation mark: receivers ignore it.",
  ]),
  ["d@a.example", "Begin it with mailto:."],
  ["mailto: d@a.example", "Leave out the blank."],
  ["<mailto:d@a.example>", "Leave out the brackets and quotation marks around it."],
  ["mailto:d@a.example mailto:e@a.example", "Put a comma between two addresses."],
  ["mailto:d!x@a.example", "Write an exclamation mark as %21."],
])("%s is no address for reports. %s", async (address, advice) => {
  const message = `'${address}' is no address for reports. ${advice}`
  expect(await messagesOf(`v=DMARC1; p=none; rua=${address}`)).toContain(message)
})

test.each([
  ["v=DMARC1; p=none;; t=y", "Between two semicolons there is nothing: leave one out."],
  ["v=DMARC1; p=none; rua=,mailto:d@a.example", "An address is missing: leave out the comma, or the tag."],
])("%s: %s", async (record, message) => expect(await messagesOf(record)).toContain(message))
