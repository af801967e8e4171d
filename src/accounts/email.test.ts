import { expect, test } from "bun:test"
import fc from "fast-check"
import { anyCharacter } from "../../test/support/any-character.ts"
import { mailboxOf, readEmail } from "./email.ts"

test.each([
  ["ann@example.com", "ann@example.com"],
  ["Ann.B+x@EXAMPLE.com", "ann.b+x@example.com"],
  ["ann@bücher.example", "ann@xn--bcher-kva.example"],
  ["ann@BÜCHER.example", "ann@xn--bcher-kva.example"],
  ["ann@xn--bcher-kva.example", "ann@xn--bcher-kva.example"],
  ["почта@пример.рф", "почта@xn--e1afmkfd.xn--p1ai"],
  ["zoe\u0308@x.com", "zoë@x.com"],
])("%s is kept as %s", async (text, email) => expect(await readEmail(text)).toBe(email))

test.each([
  "",
  "ann",
  "ann@",
  "@x.com",
  "ann@localhost",
  "ann@192.0.2.1",
  "ann@[192.0.2.1]",
  '"a b"@x.com',
  "a b@x.com",
  "a..b@x.com",
  ".a@x.com",
  "a@x..com",
  "a@-x.com",
  "a@x_y.com",
  "a@☃.com",
  "a@xn--zz.com",
  "ann@x.com\r\nBcc: bob@x.com",
  "ann\n@x.com",
  "ann@x.com\n",
  "a\u200b@x.com",
  "a\u202e@x.com",
  "a\u0000@x.com",
  "a,b@x.com",
  "Ann <ann@x.com>",
  "a\ud800@x.com",
  `${"a".repeat(65)}@x.com`,
  `${"é".repeat(33)}@x.com`,
  `a@${"b".repeat(64)}.com`,
  `a@${"b.".repeat(130)}com`,
])("%j is refused", async (text) => expect(await readEmail(text)).toBeNull())

test("what is read is read again as the same, and holds nothing that a header could be made of", () =>
  fc.assert(
    fc.asyncProperty(fc.oneof(fc.emailAddress(), fc.string({ unit: anyCharacter })), async (text) => {
      const email = await readEmail(text)
      if (email === null) return
      expect(await readEmail(email)).toBe(email)
      expect(email).not.toMatch(/[\s<>,;:"()\p{C}]/u)
    }),
    { seed: 28, numRuns: 2_000 },
  ))

test.each([
  ["ann+shop@example.com", "ann@example.com"],
  ["a.nn@example.com", "a.nn@example.com"],
  ["a.n.n+1+2@googlemail.com", "ann@gmail.com"],
  ["+ann@example.com", "+ann@example.com"],
  ["+a+b@example.com", "+a@example.com"],
])("mail to %s goes to the mailbox %s", (email, mailbox) => expect(mailboxOf(email)).toBe(mailbox))

test("a tag changes no mailbox, and the mailbox of a mailbox is itself", () =>
  fc.assert(
    fc.property(fc.emailAddress(), fc.stringMatching(/^[a-z0-9+]{0,9}$/), (email, tag) => {
      const mailbox = mailboxOf(email)
      expect(mailboxOf(mailbox)).toBe(mailbox)
      expect(mailboxOf(email.replace(/@(?=[^@]*$)/, `+${tag}@`))).toBe(mailbox)
    }),
    { seed: 28, numRuns: 2_000 },
  ))
