import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { limits } from "./limits.ts"
import { parseRecord } from "./parse.ts"
import type { Directive, SyntaxCode } from "./record.ts"

function only(term: string): Directive {
  const record = parseRecord(`v=spf1 ${term}`)
  expect(record.problems).toEqual([])
  const [directive, ...more] = record.directives
  expect(more).toEqual([])
  if (directive === undefined) throw new Error(`'${term}' gave no directive`)
  return directive
}

function codeOf(term: string): SyntaxCode | undefined {
  return parseRecord(`v=spf1 ${term}`).problems[0]?.code
}

describe("terms in the grammar", () => {
  test.each([
    ["all", "+"],
    ["+all", "+"],
    ["-all", "-"],
    ["~ALL", "~"],
    ["?all", "?"],
  ] as const)("%s has the qualifier %s", (term, qualifier) => {
    expect(only(term)).toMatchObject({ qualifier, mechanism: { kind: "all" } })
  })

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
  ])("%s", (term, target, prefix4, prefix6) => {
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
  ])("%s", (term, address, prefix) => {
    const { mechanism } = only(term)
    if (mechanism.kind !== "ip4" && mechanism.kind !== "ip6") throw new Error("no network")
    expect(mechanism.network.address.toString()).toBe(address)
    expect(mechanism.network.prefix).toBe(prefix)
  })

  test("modifiers stand apart, and unknown ones may say anything in macro syntax", () => {
    const record = parseRecord(
      "v=spf1 moo.cow-far_out=man:dog/cat EXP=x.example.com redirect=%{d}.example.com x=",
    )
    expect(record.problems).toEqual([])
    expect(record.redirect?.target.text).toBe("%{d}.example.com")
    expect(record.explanation?.target.text).toBe("x.example.com")
    expect(record.unknownModifiers.map(({ name }) => name)).toEqual(["moo.cow-far_out", "x"])
  })

  test("positions count octets from the start of the record", () => {
    const record = parseRecord("v=spf1  a   mx:bad -all ")
    expect(record.directives.map(({ text, position }) => [text, position])).toEqual([
      ["a", 8],
      ["-all", 19],
    ])
    expect(record.problems.map(({ text, position }) => [text, position])).toEqual([["mx:bad", 12]])
  })
})

describe("terms out of the grammar", () => {
  test.each([
    ["all:x", "SYNTAX_ERROR"],
    ["all/8", "SYNTAX_ERROR"],
    ["=all", "SYNTAX_ERROR"],
    ["1up=foo", "SYNTAX_ERROR"],
    ["-", "SYNTAX_ERROR"],
    ["all.", "UNKNOWN_MECHANISM"],
    ["inlcude:example.com", "UNKNOWN_MECHANISM"],
    ["redirect:example.com", "UNKNOWN_MECHANISM"],
    ["moo.cow/far=man", "UNKNOWN_MECHANISM"],
    ["-exp=example.com", "SYNTAX_ERROR"],
    ["a:ex\xe4mple.com", "NON_ASCII"],
    ["\x80a", "NON_ASCII"],
    ["a:example.com\0", "CONTROL_OR_TAB"],
    ["a\tmx", "CONTROL_OR_TAB"],
    ["ip4:192.0.2.1\r\n", "CONTROL_OR_TAB"],
    ["a\x7f", "CONTROL_OR_TAB"],
    ["\xe2\x80\x9call\xe2\x80\x9d", "CONTROL_OR_TAB"],
    ["a\xc2\xa0mx", "CONTROL_OR_TAB"],
    ["ip4:192.0.2.1~all", "MISSING_SPACE"],
    ["include:a.example.comip4:192.0.2.1", "MISSING_SPACE"],
    ["include:_spf.example.com~all", "MISSING_SPACE"],
    ["ip4:192.0.2.1-ip4:192.0.2.2", "MISSING_SPACE"],
    ["allredirect:x.example.com", "UNKNOWN_MECHANISM"],
    ["ip4", "INVALID_IP"],
    ["ip4:", "INVALID_IP"],
    ["ip4:192.0.2", "INVALID_IP"],
    ["ip4:192.0.2.256", "INVALID_IP"],
    ["ip4:192.0.2.01", "INVALID_IP"],
    ["ip4:192.0.2.1:25", "INVALID_IP"],
    ["ip4:2001:db8::1", "INVALID_IP"],
    ["ip4:example.com", "INVALID_IP"],
    ["ip6:192.0.2.1", "INVALID_IP"],
    ["ip6::CAFE::BABE", "INVALID_IP"],
    ["ip6:fe80::1%eth0", "INVALID_IP"],
    ["ip4:192.0.2.1/33", "INVALID_CIDR"],
    ["ip4:192.0.2.1/032", "INVALID_CIDR"],
    ["ip4:192.0.2.1/", "INVALID_CIDR"],
    ["ip4:192.0.2.1//32", "INVALID_CIDR"],
    ["ip6:2001:db8::/129", "INVALID_CIDR"],
    ["ip6:2001:db8:://33", "INVALID_CIDR"],
    ["a/33", "INVALID_CIDR"],
    ["a/24/64", "INVALID_CIDR"],
    ["a//129", "INVALID_CIDR"],
    ["a/01", "INVALID_CIDR"],
    ["a/", "INVALID_CIDR"],
    ["ptr/0", "INVALID_CIDR"],
    ["include:example.com/24", "INVALID_CIDR"],
    ["exists:example.com/24", "INVALID_CIDR"],
    ["include", "INVALID_DOMAIN_SPEC"],
    ["include:", "INVALID_DOMAIN_SPEC"],
    ["exists", "INVALID_DOMAIN_SPEC"],
    ["ptr:", "INVALID_DOMAIN_SPEC"],
    ["a:", "INVALID_DOMAIN_SPEC"],
    ["mx:/24", "INVALID_DOMAIN_SPEC"],
    ["a:museum", "INVALID_DOMAIN_SPEC"],
    ["a:museum.", "INVALID_DOMAIN_SPEC"],
    ["a:example.123", "INVALID_DOMAIN_SPEC"],
    ["a:111.222.33.44", "INVALID_DOMAIN_SPEC"],
    ["a:example.-com", "INVALID_DOMAIN_SPEC"],
    ["a:example.com-", "INVALID_DOMAIN_SPEC"],
    ["a:example.com:8080", "INVALID_DOMAIN_SPEC"],
    ["a:%{d}com", "INVALID_DOMAIN_SPEC"],
    ["include:ip4:192.0.2.1", "INVALID_DOMAIN_SPEC"],
    ["exp=", "INVALID_DOMAIN_SPEC"],
    ["redirect=-all", "INVALID_DOMAIN_SPEC"],
    ["exists:%(ir).example.com", "INVALID_MACRO"],
    ["exists:foo%.example.com", "INVALID_MACRO"],
    ["exists:%{a}.example.com", "INVALID_MACRO"],
    ["exists:%{d0}.example.com", "INVALID_MACRO"],
    ["exists:%{d", "INVALID_MACRO"],
    ["exists:%{dr5}", "INVALID_MACRO"],
    ["exp=%{r}.example.com", "INVALID_MACRO"],
    ["foo=%{c}", "INVALID_MACRO"],
    ["foo=%abc", "INVALID_MACRO"],
  ] as const)("%j is %s", (term, code) => {
    expect(codeOf(term)).toBe(code)
  })

  test("a modifier that may stand once stands once", () => {
    for (const name of ["redirect", "exp"]) {
      const { problems } = parseRecord(`v=spf1 ${name}=a.example.com ${name.toUpperCase()}=b.example.com`)
      expect(problems).toMatchObject([{ code: "DUPLICATE_MODIFIER", position: 7 + name.length + 15 }])
    }
    expect(parseRecord("v=spf1 x=1 x=2").problems).toEqual([])
  })

  test("every problem of a record is told, and the rest is read nonetheless", () => {
    const record = parseRecord("v=spf1 ip4:1 a mx/99 moo -all")
    expect(record.problems.map(({ code }) => code)).toEqual([
      "INVALID_IP",
      "INVALID_CIDR",
      "UNKNOWN_MECHANISM",
    ])
    expect(record.directives.map(({ text }) => text)).toEqual(["a", "-all"])
  })
})

test("a record beyond the bounds is not read", () => {
  const tooLong = `v=spf1 ${"x".repeat(limits.recordOctets)}`
  const tooMany = `v=spf1${" a".repeat(limits.recordTerms + 1)}`
  for (const text of [tooLong, tooMany]) {
    expect(parseRecord(text)).toMatchObject({ directives: [], problems: [{ code: "RECORD_TOO_LARGE" }] })
  }
  expect(parseRecord(`v=spf1${" a".repeat(limits.recordTerms)}`).directives).toHaveLength(limits.recordTerms)
})

test("any octets are either read or told to be wrong", () => {
  const octets = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes).toString("latin1"))
  const pieces = fc.constantFrom(
    "a",
    "mx:",
    "ip4:",
    "%{",
    "}",
    "d",
    "2",
    "r",
    ".",
    "/",
    "//",
    " ",
    "=",
    "-",
    "all",
    "redirect=",
    "\x80",
  )
  const nearly = fc.array(pieces, { maxLength: 40 }).map((list) => list.join(""))
  fc.assert(
    fc.property(fc.oneof(octets, nearly), (text) => {
      const record = parseRecord(`v=spf1 ${text}`)
      const { directives, unknownModifiers, redirect, explanation, problems } = record
      const terms = text.split(" ").filter((term) => term !== "").length
      const read =
        directives.length + unknownModifiers.length + Number(redirect !== null) + Number(explanation !== null)
      const told = problems.filter(({ code }) => code !== "DUPLICATE_MODIFIER").length
      const repeated = problems.length - told
      expect(read + told + repeated).toBe(terms)
      for (const { text: term, position } of [...directives, ...problems]) {
        expect(`v=spf1 ${text}`.startsWith(term, position)).toBe(true)
      }
    }),
    { seed: 20250101, numRuns: 500 },
  )
})
