import { expect, test } from "bun:test"
import fc from "fast-check"
import { expandDomainSpec, expandExplanation, parseExplanation, parseMacroString } from "./macro.ts"
import { limits, type MacroLetter } from "./record.ts"

const values: Readonly<Record<MacroLetter, string>> = {
  s: "strong-bad@email.example.com",
  l: "strong-bad",
  o: "email.example.com",
  d: "email.example.com",
  i: "192.0.2.3",
  p: "mx.example.org",
  v: "in-addr",
  h: "mail.example.org",
  c: "192.0.2.3",
  r: "unknown",
  t: "1735689600",
}

const expand = (text: string, other: Partial<typeof values> = {}): string =>
  expandDomainSpec(parseMacroString(text, true).macro, (letter) => other[letter] ?? values[letter])

test.each([
  ["%{s}", "strong-bad@email.example.com"],
  ["%{o}", "email.example.com"],
  ["%{d}", "email.example.com"],
  ["%{d4}", "email.example.com"],
  ["%{d3}", "email.example.com"],
  ["%{d2}", "example.com"],
  ["%{d1}", "com"],
  ["%{dr}", "com.example.email"],
  ["%{d2r}", "example.email"],
  ["%{l}", "strong-bad"],
  ["%{l-}", "strong.bad"],
  ["%{lr}", "strong-bad"],
  ["%{lr-}", "bad.strong"],
  ["%{l1r-}", "strong"],
  ["%{ir}.%{v}._spf.%{d2}", "3.2.0.192.in-addr._spf.example.com"],
  ["%{lr-}.lp._spf.%{d2}", "bad.strong.lp._spf.example.com"],
  ["%{lr-}.lp.%{ir}.%{v}._spf.%{d2}", "bad.strong.lp.3.2.0.192.in-addr._spf.example.com"],
  ["%{ir}.%{v}.%{l1r-}.lp._spf.%{d2}", "3.2.0.192.in-addr.strong.lp._spf.example.com"],
  ["%{d2}.trusted-domains.example.net", "example.com.trusted-domains.example.net"],
])("the examples of RFC 7208 §7.4: %s gives %s", (text, expected) => expect(expand(text)).toBe(expected))

test.each([
  ["%%%_%-", "", "% %20"],
  ["%{D2}", "", "example.com"],
  ["%{DR}", "", "com.example.email"],
  ["%{d999}", "", "email.example.com"],
  ["%{l2r+-}", "zap+foo-zip", "foo.zap"],
  ["%{l,/_=}", "a,b/c_d=e.f-g+h", "a.b.c.d.e.f-g+h"],
  ["%{l1}", "a.", ""],
  ["%{lr}", "a..b", "b..a"],
  ["%{L}", "~jack&jill=up-a_b3.c", "~jack%26jill%3Dup-a_b3.c"],
  ["%{L}", "a%c!'()*", "a%25c%21%27%28%29%2A"],
])("transformers and escapes: %s of %j is %j", (text, l, expected) =>
  expect(expand(text, { l })).toBe(expected),
)

test("transformers and escapes: an upper-case letter escapes the bytes of UTF-8, with lone surrogates replaced", () =>
  expect(expand("%{L}", { l: "ü~\ud800" })).toBe("%C3%BC~%EF%BF%BD"))

test.each([..."%|%a|%{|%{}|%{d|%{dd}|%{d-r}|%{0d}|%{d00}|%{x}|%(d)|\x7f|\x80".split("|")])(
  "transformers and escapes: %j breaks the grammar",
  (text) => expect(() => parseMacroString(text, true)).toThrow(),
)

test("transformers and escapes: c, r and t are allowed in explanations only", () => {
  for (const letter of ["c", "R", "t"]) {
    expect(() => parseMacroString(`%{${letter}}`, false)).toThrow("explanation")
    expect(() => parseMacroString(`%{${letter}}`, true)).not.toThrow()
  }
})

test("explanations are plain ASCII of bounded length", () => {
  const text = (explanation: string) => {
    const macro = parseExplanation(explanation)
    return macro === null ? null : expandExplanation(macro, (letter) => values[letter])
  }
  expect(text("See http://%{d}/why?s=%{S}&ip=%{c} at %{t}, %{r}.")).toBe(
    "See http://email.example.com/why?s=strong-bad%40email.example.com&ip=192.0.2.3 at 1735689600, unknown.",
  )
  const tooLong = "x".repeat(limits.explanationBytes + 1)
  for (const bad of ["\xef\xbb\xbftext", "line\nbreak", "%{x}", "100%", tooLong]) expect(text(bad)).toBeNull()
  expect(text("%{s}".repeat(limits.explanationBytes / 4))).toBeNull()
})

test("expansion is bounded for any macros and values, and gives the right-hand end of the name", () => {
  const piece = fc.constantFrom("%{s}", "%{S99r-}", "%{l1r+-}", "%{d2}", "%%", "%_", "a", ".", "%{p}", "%{i}")
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 300 }), fc.string({ maxLength: 300 }), (pieces, value) => {
      const { macro } = parseMacroString(pieces.join(""), false)
      const whole = macro.map((part) => expandDomainSpec([part], () => value)).join("")
      const expanded = expandDomainSpec(macro, () => value)
      expect(whole.endsWith(expanded)).toBe(true)
      expect(expanded.length).toBeGreaterThanOrEqual(Math.min(whole.length, 255))
      expect(expanded.length).toBeLessThan(256 + 3 * 300 * 3)
    }),
    { numRuns: 200 },
  )
})
