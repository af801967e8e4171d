import { expect, test } from "bun:test"
import fc from "fast-check"
import { expectWithinProcessorMs } from "../../../test/support/processor-time.ts"
import { portsFor } from "../../../test/support/zone-ports.ts"
import type { DnsZone, RunContext } from "../contract.ts"
import { caavalidator } from "./index.ts"
import { isIssuerName, policyOf, readIssueValue } from "./policy.ts"

async function validate(dns: DnsZone, domain: string, ca?: string) {
  const context: RunContext = { ports: portsFor({ given: { dns } }), giveWay() {}, premium: true }
  return caavalidator.run(ca === undefined ? { domain } : { domain, ca }, context)
}
const zoneOf = (...records: string[]): DnsZone => ({ "a.example": records.map((CAA) => ({ CAA })) })
const codesOf = async (...records: string[]) =>
  (await validate(zoneOf(...records), "a.example")).problems.map(({ code }) => code)

/** RFC 8659 §3, with the names of its example. */
test.each([
  ["x.y.z.example.com", "y.z.example.com"],
  ["y.z.example.com", "y.z.example.com"],
  ["z.example.com", "com"],
  ["*.x.y.z.example.com", "y.z.example.com"],
  ["alias.example.com", "target.test"],
  ["below.alias.example.com", "target.test"],
  ["other.test", null],
])("the climb for %s ends at the records of %s", async (domain, owner) => {
  const zone: DnsZone = {
    "y.z.example.com": [{ CAA: '0 issue "y.z.example.com"' }],
    com: [{ CAA: '0 issue "com"' }],
    "alias.example.com": [{ CNAME: "target.test" }],
    "target.test": [{ CAA: '0 issue "target.test"' }],
  }
  const { issuers, record_domain } = await validate(zone, domain)
  expect(issuers).toEqual(owner === null ? [] : [owner])
  const name = domain.replace("*.", "")
  // An alias's records are those of its own name.
  expect(record_domain).toBe(owner === "target.test" ? "alias.example.com" : owner)
  expect(name.endsWith(record_domain ?? "")).toBe(true)
})

test("the climb: a server that fails on the way refuses the call, since more records may be there", async () => {
  const zone: DnsZone = { "a.example": ["SERVFAIL"], example: [{ CAA: '0 issue "x"' }] }
  const answer = validate(zone, "b.a.example")
  await expect(answer).rejects.toThrow("The DNS gave no answer for a.example (servfail).")
})

test("the climb: 17 labels are refused, 16 are asked for", async () => {
  const labels = (count: number) => `${"a.".repeat(count - 1)}example`
  await expect(validate({}, labels(17))).rejects.toThrow("must have at most 16 labels")
  expect(await validate({}, labels(16))).toMatchObject({ record_domain: null, is_any_ca_permitted: true })
})

test.each([
  [["0 issue ca.test"], "a.example", "ca.test", true],
  [["0 issue CA.Test"], "a.example", "Ca.tesT", true],
  [["0 issue ca.test"], "a.example", "other.test", false],
  [["0 issue ca.test"], "a.example", "x.ca.test", false],
  [["0 issue ca.test"], "*.a.example", "ca.test", true],
  [["0 issue ca.test", "0 issuewild wild.test"], "*.a.example", "ca.test", false],
  [["0 issue ca.test", "0 issuewild wild.test"], "*.a.example", "wild.test", true],
  [["0 issue ca.test", "0 issuewild wild.test"], "a.example", "wild.test", false],
  [["0 issuewild wild.test"], "a.example", "any.test", true],
  [["0 iodef mailto:x@a.example"], "a.example", "any.test", true],
  [['0 issue ";"'], "a.example", "any.test", false],
  [['0 issue ""'], "a.example", "any.test", false],
  [['0 issue ";"', "0 issue ca.test"], "a.example", "ca.test", true],
  [['0 issue "ca.test; x"'], "a.example", "ca.test", false],
  [["0 issue ca.test", "128 future x"], "a.example", "ca.test", false],
  [["0 issue ca.test", "0 future x"], "a.example", "ca.test", true],
  [["128 issue ca.test"], "a.example", "ca.test", true],
  [["0 issuemail ca.test"], "a.example", "other.test", true],
  [
    ['0 issue "ca.test; accounturi=https://ca.test/1; accounturi=https://ca.test/2"'],
    "a.example",
    "ca.test",
    false,
  ],
  [['0 issue "ca.test; validationmethods="'], "a.example", "ca.test", false],
  [['0 ISSUE "ca.test; validationmethods=dns-01"'], "a.example", "ca.test", true],
])("who may issue with %j, %s: %s %s", async (records, domain, ca, answer) =>
  expect((await validate(zoneOf(...records), domain, ca)).is_ca_permitted).toBe(answer),
)

test("who may issue: conditions of RFC 8657 are those of each record", async () => {
  const { permissions } = await validate(
    zoneOf(
      '0 issue "ca.test; accounturi=https://ca.test/1; ValidationMethods=dns-01,ca-own"',
      "0 issue b.test",
    ),
    "a.example",
  )
  expect(permissions).toEqual([
    { issuer: "ca.test", accounts: ["https://ca.test/1"], methods: ["dns-01", "ca-own"] },
    { issuer: "b.test", accounts: [], methods: null },
  ])
})

test.each([
  [["0 issue ca.test"], []],
  [["3 issue ca.test"], ["reserved_flags"]],
  [["0 is-sue ca.test"], ["tag"]],
  [["128 future x"], ["unknown_critical"]],
  [["0 future x"], ["unknown_tag"]],
  [["0 issue -ca.test"], ["value"]],
  [['0 issue "ca.test; a=b;"'], ["value"]],
  [['0 issue "ca.test b.test"'], ["value"]],
  [['0 issue "ca.test; accounturi=x"'], ["account"]],
  [['0 issue "ca.test; accounturi=a:b; accounturi=a:c"'], ["several_accounts"]],
  [['0 issue "ca.test; validationmethods=http-01,http-1"'], ["unknown_method"]],
  [["0 issuewild ca.test"], ["only_wildcards"]],
  [["0 issue ca.test", "0 issue ;"], ["forbidden_and_allowed"]],
  [["0 issue ca.test", "0 ISSUE ca.test"], ["repeated"]],
  [["0 iodef security@a.example"], ["report_address"]],
  [["0 iodef https://"], ["report_address"]],
  [["0 iodef https://a.example/report"], []],
])("%j has %j", async (records, codes) => expect<string[]>(await codesOf(...records)).toEqual(codes))

test.each(["-ca.test", "ca..test", "ca.test;", "ca test", "https://ca.test"])("the CA %s is refused", (ca) =>
  expect(validate({}, "a.example", ca)).rejects.toThrow("The 'ca' parameter must be a domain name"),
)

test("of thousands of records the first 100 are shown, and all count", async () => {
  const many = Array.from({ length: 3_000 }, (_, index) => `0 issue ca${index}.test`)
  const answer = await validate(zoneOf(...many), "a.example", "ca2999.test")
  expect([answer.records.length, answer.permissions.length, answer.is_ca_permitted]).toEqual([100, 100, true])
})

// RFC 1035 §5.1: quotation marks and backslashes are escaped, other bytes are three digits. dnslookup writes the same.
test("a record is shown as a zone file writes it, and its value as it is", async () => {
  const texts = ['0 issue "ca.test; a=b"', '128 is-sue "\\"\\\\;\\007\\255"', '0 a\\@b\\032\\;c ""']
  const { records } = await validate(zoneOf(...texts), "a.example")
  expect(records.map(({ value }) => value)).toEqual(texts)
  expect(records.map(({ tag, property_value }) => [tag, property_value])).toEqual([
    ["issue", "ca.test; a=b"],
    ["is-sue", '"\\;\u0007\u00ff'],
    ["a@b ;c", ""],
  ])
})

/** RFC 8659 §4.2. */
const letters = fc.constantFrom(..."abzAZ09")
const label = fc
  .tuple(letters, fc.array(fc.oneof(letters, fc.constant("-")), { maxLength: 4 }), letters)
  .map(([first, middle, last]) => first + middle.join("") + last)
const wsp = fc.array(fc.constantFrom(" ", "\t"), { maxLength: 2 }).map((spaces) => spaces.join(""))
const value = fc.array(fc.constantFrom(..."!:<=>~azAZ09,/"), { maxLength: 6 }).map((all) => all.join(""))
const parameter = fc.tuple(label, wsp, wsp, value)
const issuer = fc.array(label, { maxLength: 3 }).map((labels) => labels.join("."))

test("the grammar gives values that are read", () =>
  fc.assert(
    fc.property(
      issuer,
      fc.array(parameter, { maxLength: 3 }),
      wsp,
      wsp,
      fc.boolean(),
      (name, list, one, two, ends) => {
        const written = list.map(([tag, before, after, text]) => `${tag}${before}=${after}${text}`)
        const rest = written.length > 0 || ends ? `;${two}${written.join(`${one};${two}`)}${one}` : ""
        expect(readIssueValue(`${one}${name}${two}${rest}`)).toEqual({
          issuer: name === "" ? null : name.toLowerCase(),
          parameters: list.map(([tag, , , text]) => ({ name: tag.toLowerCase(), value: text })),
        })
      },
    ),
    { numRuns: 2_000, seed: 8659 },
  ))

test("the grammar: any value is read or refused, as the grammar says, and a refused one allows no CA", () => {
  const l = "[A-Za-z0-9]+(?:-*[A-Za-z0-9]+)*"
  const p = `${l}[ \\t]*=[ \\t]*[!-:<-~]*`
  const grammar = new RegExp(
    `^[ \\t]*(?:${l}(?:\\.${l})*[ \\t]*)?(?:;[ \\t]*(?:${p}(?:[ \\t]*;[ \\t]*${p})*[ \\t]*)?)?$`,
  )
  const characters = fc.constantFrom(";", " ", "\t", "=", ".", "-", "a", "b.c", "x=y")
  const piece = fc.oneof(characters, fc.string({ maxLength: 2 }))
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 7 }), (pieces) => {
      const text = pieces.join("")
      const read = readIssueValue(text)
      expect(read !== null).toBe(grammar.test(text))
      const policy = read ?? policyOf([{ flags: 0, tag: "issue", value: text }], false)
      if (read === null) expect(policy).toEqual({ kind: "listed", permissions: [] })
    }),
    { numRuns: 5_000, seed: 8660 },
  )
})

test("the grammar: long values take little processor time", async () => {
  // About 3 ms. A pattern that tries again for each letter would take seconds.
  await expectWithinProcessorMs(40, () => {
    expect(isIssuerName(`${"a-".repeat(30_000)}!`)).toBe(false)
    expect(readIssueValue(`a;${"b =".repeat(20_000)}`)).toBeNull()
  })
})

test.each([
  ['0 issue "https://ca.example/"', "Write its domain alone, without https:// and a path."],
  ['0 issue "ca.example other.example"', "Give each CA a record of its own."],
  ['0 issue "\\"ca.example\\""', "Leave out the quotation marks and backslashes."],
  ['0 issue "ca.example; x"', "Write its domain, and parameters such as accounturi=… after semicolons."],
  ['0 iodef "x@a.example"', "Begin it with mailto:. It may also be http: or https:."],
])("%s: %s", async (record, cause) => {
  const [found] = (await validate(zoneOf(record), "a.example")).problems
  expect(found?.message).toEndWith(cause)
})
