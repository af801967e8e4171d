import { expect, test } from "bun:test"
import fc from "fast-check"
import { domainOf } from "./domain-of.ts"

test.each([
  ["example.com", "example.com"],
  [" Example.COM. ", "Example.COM"],
  ["https://www.example.com/shop?q=1#top", "example.com"],
  ["http://example.com:8080", "example.com"],
  ["https://ann:secret@example.com/", "example.com"],
  ["www.example.com/contact", "example.com"],
  ["//example.com/path", "example.com"],
  ["example.com:443", "example.com"],
  ["ann@example.com", "example.com"],
  ["mailto:ann@example.com?subject=Hi", "example.com"],
  ["Ann <ann@mail.example.com>", "mail.example.com"],
  ["www.example.com", "example.com"],
  ["www.com", "www.com"],
  ["https://bücher.example/", "xn--bcher-kva.example"],
])("%p names the domain %s", (text, domain) => expect(domainOf(text)).toBe(domain))

test("a domain is found in each form that people paste, and is its own", () => {
  const label = fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/)
  fc.assert(
    fc.property(fc.tuple(label, label), label, ([first, last], word) => {
      fc.pre(first !== "www")
      const domain = `${first}.${last}`
      for (const text of [
        domain,
        `https://${domain}/${word}`,
        `${word}@${domain}`,
        `<${word}@${domain}>`,
        `${domain}/${word}`,
      ])
        expect(domainOf(text)).toBe(domain)
      expect(domainOf(domainOf(domain))).toBe(domain)
    }),
  )
})
