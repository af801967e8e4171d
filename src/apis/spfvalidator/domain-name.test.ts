import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { isAskable, isSameOrBelow, parseDomain, toALabels, toTargetName } from "./domain-name.ts"

const label63 = "a".repeat(63)
const longest = `${label63}.${label63}.${label63}.${"a".repeat(61)}`

describe("domains that are taken", () => {
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
  ])("%s is %s", async (text, name) => expect(await parseDomain(text)).toEqual({ name }))
})

describe("domains that are refused", () => {
  test.each([
    ["", "empty"],
    [" ", "spaces"],
    ["example .com", "spaces"],
    ["example.com\n", "spaces"],
    ["http://example.com", "URL"],
    ["example.com/path", "URL"],
    ["ann@example.com", "e-mail"],
    ["192.0.2.1", "IP address"],
    ["[192.0.2.1]", "IP address"],
    ["2001:db8::1", "IP address"],
    ["example.com:25", "IP address"],
    ["example.123", "IP address"],
    [`${longest}a`, "253"],
    ["x".repeat(5000), "253"],
    [`a.${"ü".repeat(200)}.com`, "63"],
    [`${label63}a.com`, "63"],
    ["a..example.com", "empty labels"],
    [".example.com", "empty labels"],
    ["example.com..", "empty labels"],
    [".", "empty labels"],
    ["localhost", "full domain name"],
    ["com.", "full domain name"],
    ["💩.la", "letters"],
    ["☃.example", "letters"],
    ["1️⃣.com", "letters"],
    ["a\u200db.com", "letters"],
    ["exa%mple.com", "letters"],
    ["*.example.com", "letters"],
    ["example,com.net", "letters"],
    ["ex\0ample.com", "letters"],
  ])("%j: %s", async (text, words) => {
    expect(await parseDomain(text)).toEqual({ requirement: expect.stringContaining(words) })
  })
})

test("any text is taken or refused, and what is taken can be asked for", async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.string({ unit: "binary" }), fc.domain(), fc.webUrl()), async (text) => {
      const domain = await parseDomain(text)
      if ("name" in domain) {
        expect(isAskable(domain.name)).toBe(true)
        expect(await parseDomain(domain.name)).toEqual(domain)
      } else expect(domain.requirement).toMatch(/^must /)
    }),
    { seed: 20250101, numRuns: 300 },
  )
}, 60_000)

test("a target name loses its trailing dot, and labels from the left while it is too long", () => {
  expect(toTargetName("Example.COM.")).toBe("example.com")
  expect(toTargetName("example..")).toBe("example.")
  expect(toTargetName(longest)).toBe(longest)
  expect(toTargetName(`x.${longest}.`)).toBe(longest)
  expect(toTargetName(`${label63}.y.x.${longest.slice(4)}`)).toBe(`y.x.${longest.slice(4)}`)
  expect(isAskable(toTargetName("a".repeat(300)))).toBe(false)
})

test("names that cannot be asked for", () => {
  for (const name of ["", ".", "a..b", "a.", ".a", `${label63}a.com`, `a${longest}`, "ü.com", "a\tb.com"]) {
    expect(isAskable(name)).toBe(false)
  }
  for (const name of ["a", "foo:bar/baz.example.com", "jumpin' jupiter", "a%b c.example.com", longest]) {
    expect(isAskable(name)).toBe(true)
  }
})

test("below means whole labels, in any case", () => {
  expect(isSameOrBelow("Mail.Example.com", "example.com")).toBe(true)
  expect(isSameOrBelow("example.com", "example.com")).toBe(true)
  expect(isSameOrBelow("badexample.com", "example.com")).toBe(false)
})

test("labels that IDNA forbids become nothing", async () => {
  expect(await toALabels("bücher.example")).toBe("xn--bcher-kva.example")
  expect(await toALabels("a\u0300\u0301‮.example")).toBeNull()
  expect(await toALabels("plain [text]")).toBe("plain [text]")
})
