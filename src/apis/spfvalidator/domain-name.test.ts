import { expect, test } from "bun:test"
import fc from "fast-check"
import { anyCharacter } from "../../../test/support/any-character.ts"
import { toALabels } from "../../values/idna.ts"
import { InputRejected } from "../contract.ts"
import { isAskable, isSameOrBelow, requireDomain, toTargetName } from "../mail/look-up.ts"

const label63 = "a".repeat(63)
const longest = `${label63}.${label63}.${label63}.${"a".repeat(61)}`

test.each([
  ["example.com", "example.com"],
  ["Example.COM.", "example.com"],
  ["_spf.example.com", "_spf.example.com"],
  ["xn--mnchen-3ya.de", "xn--mnchen-3ya.de"],
  ["münchen.de", "xn--mnchen-3ya.de"],
  ["MÜNCHEN.DE.", "xn--mnchen-3ya.de"],
  ["faß.de", "xn--fa-hia.de"],
  ["日本語。jp", "xn--wgv71a119e.jp"],
  ["ｅｘａｍｐｌｅ.com", "example.com"],
  ["президент.рф", "xn--d1abbgf6aiiy.xn--p1ai"],
  [`${label63}.com`, `${label63}.com`],
  [longest, longest],
])("the domain %s is read as %s", async (text, name) => expect(await requireDomain(text)).toBe(name))

test.each([
  ["empty", [""]],
  ["spaces", [" ", "example .com", "example.com\n"]],
  ["URL", ["http://example.com", "example.com/path"]],
  ["e-mail", ["ann@example.com"]],
  ["IP address", ["192.0.2.1", "[192.0.2.1]", "2001:db8::1", "example.com:25", "example.123"]],
  ["253", [`${longest}a`, "x".repeat(5000)]],
  ["63", [`a.${"ü".repeat(200)}.com`, `${label63}a.com`]],
  ["empty labels", ["a..example.com", ".example.com", "example.com..", "."]],
  ["full domain name", ["localhost", "com."]],
  ["letters", ["💩.la", "☃.example", "1️⃣.com", "a\u200db.com"]],
  ["letters", ["exa%mple.com", "*.example.com", "example,com.net", "ex\0ample.com"]],
])("domains that are refused: %s: %j", async (words, texts) => {
  for (const text of texts) await expect(requireDomain(text)).rejects.toThrow(words)
})

test("any text is read or refused, and a name that is read can be asked for", () =>
  fc.assert(
    fc.asyncProperty(fc.oneof(fc.string({ unit: anyCharacter }), fc.domain(), fc.webUrl()), async (text) => {
      const name = await requireDomain(text).catch((error: Error) => {
        expect(error).toBeInstanceOf(InputRejected)
        expect(error.message).toStartWith("The 'domain' parameter must ")
        return null
      })
      if (name === null) return
      expect(isAskable(name)).toBe(true)
      expect(await requireDomain(name)).toBe(name)
    }),
    { numRuns: 300 },
  ))

test("a target name loses its trailing dot, and labels from the left while it is too long", () => {
  expect([toTargetName("Example.COM."), toTargetName("example..")]).toEqual(["example.com", "example."])
  expect(toTargetName(longest)).toBe(longest)
  expect(toTargetName(`x.${longest}.`)).toBe(longest)
  expect(toTargetName(`${label63}.y.x.${longest.slice(4)}`)).toBe(`y.x.${longest.slice(4)}`)
  expect(isAskable(toTargetName("a".repeat(300)))).toBe(false)
})

test("names that cannot be asked for", () => {
  for (const name of ["", ".", "a..b", "a.", ".a", `${label63}a.com`, `a${longest}`, "ü.com", "a\tb.com"])
    expect(isAskable(name)).toBe(false)
  for (const name of ["a", "foo:bar/baz.example.com", "jumpin' jupiter", "a%b c.example.com", longest])
    expect(isAskable(name)).toBe(true)
})

test("a name is below a domain by whole labels, in any case", () => {
  expect(isSameOrBelow("Mail.Example.com", "example.com")).toBe(true)
  expect(isSameOrBelow("example.com", "example.com")).toBe(true)
  expect(isSameOrBelow("badexample.com", "example.com")).toBe(false)
})

test("a name with a label that IDNA forbids has no A-labels", async () => {
  expect(await toALabels("bücher.example")).toBe("xn--bcher-kva.example")
  expect(await toALabels("a\u0300\u0301‮.example")).toBeNull()
  expect(await toALabels("plain [text]")).toBe("plain [text]")
})
