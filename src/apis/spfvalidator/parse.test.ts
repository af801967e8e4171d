import { expect, test } from "bun:test"
import fc from "fast-check"
import { parseRecord } from "./parse.ts"
import { type Directive, limits, type SyntaxCode } from "./record.ts"

function only(term: string): Directive {
  const record = parseRecord(`v=spf1 ${term}`)
  expect(record.problems).toEqual([])
  const [directive, ...more] = record.directives
  expect(more).toEqual([])
  if (directive === undefined) throw new Error(`'${term}' gave no directive`)
  return directive
}

test.each([
  ["all", "+"],
  ["+all", "+"],
  ["-all", "-"],
  ["~ALL", "~"],
  ["?all", "?"],
] as const)("terms that follow the grammar: %s has the qualifier %s", (term, qualifier) =>
  expect(only(term)).toMatchObject({ qualifier, mechanism: { kind: "all" } }),
)

test.each([
  ["a", null, 32, 128],
  ["a/24", null, 24, 128],
  ["a//64", null, 32, 64],
  ["a/24//64", null, 24, 64],
  ["a/0//0", null, 0, 0],
  ["a:example.com", "example.com", 32, 128],
  ["a:example.com/24//64", "example.com", 24, 64],
  ["a:foo:bar/baz.example.com", "foo:bar/baz.example.com", 32, 128],
  ["a:foo:bar/24.example.com/24", "foo:bar/24.example.com", 24, 128],
  ["a:example.com.", "example.com.", 32, 128],
  ["a:mail.example...com", "mail.example...com", 32, 128],
  ["a:foo.example.xn--zckzah", "foo.example.xn--zckzah", 32, 128],
  ["a:a.1-2", "a.1-2", 32, 128],
  ["a:%{d}", "%{d}", 32, 128],
  ["a:%{ir/}/24", "%{ir/}", 24, 128],
  ["mx:%{d2}.example.com//32", "%{d2}.example.com", 32, 32],
])("terms that follow the grammar: %s", (term, target, prefix4, prefix6) => {
  const { mechanism } = only(term)
  if (mechanism.kind !== "a" && mechanism.kind !== "mx") throw new Error("neither a nor mx")
  expect(mechanism.target?.text ?? null).toBe(target)
  expect(mechanism).toMatchObject({ prefix4, prefix6 })
})

test.each([
  ["ip4:192.0.2.1", "192.0.2.1", 32],
  ["ip4:0.0.0.0/0", "0.0.0.0", 0],
  ["ip6:::1.1.1.1/0", "::101:101", 0],
  ["ip6:Cafe:Babe:8000::/33", "cafe:babe:8000::", 33],
  ["ip6:::ffff:192.0.2.1", "::ffff:c000:201", 128],
])("terms that follow the grammar: %s", (term, address, prefix) => {
  const { mechanism } = only(term)
  if (mechanism.kind !== "ip4" && mechanism.kind !== "ip6") throw new Error("no network")
  expect(mechanism.network.address.toString()).toBe(address)
  expect(mechanism.network.prefix).toBe(prefix)
})

test("terms that follow the grammar: modifiers are kept by name, and unknown ones may have any value in macro syntax", () => {
  const text = "v=spf1 moo.cow-far_out=man:dog/cat EXP=x.example.com redirect=%{d}.example.com x="
  const record = parseRecord(text)
  expect(record.problems).toEqual([])
  expect(record.redirect?.target.text).toBe("%{d}.example.com")
  expect(record.explanation?.target.text).toBe("x.example.com")
  expect(record.unknownModifiers.map(({ name }) => name)).toEqual(["moo.cow-far_out", "x"])
})

test("terms that follow the grammar: positions count bytes from the start of the record", () => {
  const record = parseRecord("v=spf1  a   mx:bad -all ")
  expect(record.directives.map(({ text, position }) => `${text} ${position}`)).toEqual(["a 8", "-all 19"])
  expect(record.problems.map(({ text, position }) => [text, position])).toEqual([["mx:bad", 12]])
})

test.each([
  ["SYNTAX_ERROR", "all:x all/8 =all 1up=foo - -exp=example.com"],
  ["UNKNOWN_MECHANISM", "all. inlcude:example.com redirect:example.com moo.cow/far=man"],
  ["UNKNOWN_MECHANISM", "allredirect:x.example.com"],
  ["NON_ASCII", "a:ex\xe4mple.com \x80a"],
  ["CONTROL_OR_TAB", "a:example.com\0 a\tmx ip4:192.0.2.1\r\n a\x7f \xe2\x80\x9call\xe2\x80\x9d"],
  ["CONTROL_OR_TAB", "a\xc2\xa0mx"],
  ["MISSING_SPACE", "ip4:192.0.2.1~all include:a.example.comip4:192.0.2.1"],
  ["MISSING_SPACE", "include:_spf.example.com~all ip4:192.0.2.1-ip4:192.0.2.2"],
  ["INVALID_IP", "ip4 ip4: ip4:192.0.2 ip4:192.0.2.256 ip4:192.0.2.01 ip4:192.0.2.1:25"],
  ["INVALID_IP", "ip4:2001:db8::1 ip4:example.com ip6:192.0.2.1 ip6::CAFE::BABE ip6:fe80::1%eth0"],
  ["INVALID_CIDR", "ip4:192.0.2.1/33 ip4:192.0.2.1/032 ip4:192.0.2.1/ ip4:192.0.2.1//32"],
  ["INVALID_CIDR", "ip6:2001:db8::/129 ip6:2001:db8:://33 a/33 a/24/64 a//129 a/01 a/ ptr/0"],
  ["INVALID_CIDR", "include:example.com/24 exists:example.com/24"],
  ["INVALID_DOMAIN_SPEC", "include include: exists ptr: a: mx:/24 a:museum a:museum. a:example.123"],
  ["INVALID_DOMAIN_SPEC", "a:111.222.33.44 a:example.-com a:example.com- a:example.com:8080 a:%{d}com"],
  ["INVALID_DOMAIN_SPEC", "include:ip4:192.0.2.1 exp= redirect=-all"],
  ["INVALID_MACRO", "exists:%(ir).example.com exists:foo%.example.com exists:%{a}.example.com"],
  ["INVALID_MACRO", "exists:%{d0}.example.com exists:%{d exists:%{dr5} exp=%{r}.example.com"],
  ["INVALID_MACRO", "foo=%{c} foo=%abc"],
])("terms that break the grammar: %s: %j", (code, terms) => {
  for (const term of terms.split(" "))
    expect([term, parseRecord(`v=spf1 ${term}`).problems[0]?.code]).toEqual([term, code as SyntaxCode])
})

test("terms that break the grammar: redirect and exp are allowed once", () => {
  for (const name of ["redirect", "exp"]) {
    const { problems } = parseRecord(`v=spf1 ${name}=a.example.com ${name.toUpperCase()}=b.example.com`)
    expect(problems).toMatchObject([{ code: "DUPLICATE_MODIFIER", position: 7 + name.length + 15 }])
  }
  expect(parseRecord("v=spf1 x=1 x=2").problems).toEqual([])
})

test("terms that break the grammar: every problem of a record is reported, and the other terms are parsed nonetheless", () => {
  const record = parseRecord("v=spf1 ip4:1 a mx/99 moo -all")
  expect(record.problems.map(({ code }) => code)).toEqual(["INVALID_IP", "INVALID_CIDR", "UNKNOWN_MECHANISM"])
  expect(record.directives.map(({ text }) => text)).toEqual(["a", "-all"])
})

test("a record over the limits is not parsed", () => {
  const tooLong = `v=spf1 ${"x".repeat(limits.recordBytes)}`
  const tooMany = `v=spf1${" a".repeat(limits.recordTerms + 1)}`
  for (const text of [tooLong, tooMany])
    expect(parseRecord(text)).toMatchObject({ directives: [], problems: [{ code: "RECORD_TOO_LARGE" }] })
  expect(parseRecord(`v=spf1${" a".repeat(limits.recordTerms)}`).directives).toHaveLength(limits.recordTerms)
})

test("every term of any bytes is either parsed or reported as a problem", () => {
  const bytes = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes).toString("latin1"))
  const pieces = fc.constantFrom(" ", ..."a|mx:|ip4:|%{|}|d|2|r|.|/|//|=|-|all|redirect=|\x80".split("|"))
  const nearly = fc.array(pieces, { maxLength: 40 }).map((list) => list.join(""))
  fc.assert(
    fc.property(fc.oneof(bytes, nearly), (text) => {
      const { directives, unknownModifiers, redirect, explanation, problems } = parseRecord(`v=spf1 ${text}`)
      const terms = text.split(" ").filter((term) => term !== "").length
      const read =
        directives.length + unknownModifiers.length + Number(redirect !== null) + Number(explanation !== null)
      const wrong = problems.filter(({ code }) => code !== "DUPLICATE_MODIFIER").length
      const repeated = problems.length - wrong
      expect(read + wrong + repeated).toBe(terms)
      for (const { text: term, position } of [...directives, ...problems])
        expect(`v=spf1 ${text}`.startsWith(term, position)).toBe(true)
    }),
    { numRuns: 500 },
  )
})
