import { expect, test } from "bun:test"
import fc from "fast-check"
import { mailboxLists } from "../../../test/support/mailboxes.ts"
import { readAddresses, readPath } from "./mailboxes.ts"

/** `bun run oracles --only messageauth-addresses` asks Python's parser about lists of the same generator. */
test("lists made by the grammar of RFC 5322 have the addresses that they were made of, and no other", () =>
  fc.assert(
    fc.property(mailboxLists, ({ text, addresses }) => {
      expect(readAddresses(text)).toEqual([...addresses])
    }),
    { numRuns: 5_000 },
  ))

/** RFC 5322 §3.2.2, §3.4, §4.4; RFC 6532; RFC 6854. */
test.each<[string, readonly string[]]>([
  ["(a (b) <m@evil.example>) Boss <boss@bank.example>", ["boss@bank.example"]],
  ["(x (y) m@evil.example) boss@bank.example", ["boss@bank.example"]],
  ["(\\) <m@evil.example>) boss@bank.example", ["boss@bank.example"]],
  ["Boss (a (b) <m@evil.example>) <boss@bank.example>", ["boss@bank.example"]],
  ["<@evil.example:boss@bank.example>", ["boss@bank.example"]],
  ['"<m@evil.example>" <boss@bank.example>', ["boss@bank.example"]],
  ['"Someone <x@b.example>"@a.example', ['"Someone <x@b.example>"@a.example']],
  ['"ann"@a.example', ["ann@a.example"]],
  ["J. Doe <j@a.example>", ["j@a.example"]],
  ["Ann\r\n Otherwise\r\n <ann@a.example>", ["ann@a.example"]],
  ["ann . b @ a.example", ["ann.b@a.example"]],
  ["Ann@A.example <ann@a.example>", ["ann@a.example"]],
  ["jörg@bücher.example", ["jörg@bücher.example"]],
  ["Team: a@a.example, B <b@a.example>;, c@a.example,", ["a@a.example", "b@a.example", "c@a.example"]],
  ["Nobody:;", []],
])("%s has %j", (text, addresses) => expect(readAddresses(text)).toEqual([...addresses]))

test.each([
  ...["boss@bank.example\\@evil.example", "boss@bank.test (x) m@evil.test", "<x@c.example> <ann@a.example>"],
  ...["boss@bank.example <m@evil.example>", "a@b@c.test", "a@", "@b.example", "a..b@c.test", ".a@c.example"],
  ...["Doe, Ann <ann@a.example>", "Ann", "<>", "<ann@a.test", "ann@a.test>", "a@b.example;", "G:a@b.example"],
  ...["G:a@b.test; c@d.example", "G:H:a@b.test;;", "(a (b) ann@a.example", '"ann@a.example', "a@b.example."],
  ...["a@[b", "a@[x@y]", "a\0@b.example", "Ann [x] <ann@a.test>", "a@b.example\rc@d.test", "<@a,@b:c@d>>"],
])("%j cannot be read without doubt", (text) => expect(readAddresses(text)).toBeNull())

test("any text is read or not, however long, and each address has one domain", () => {
  const piece = fc.constantFrom(...'()<>@,;:\\".[] \t', "\r\n ", "a", "b.example", "é", "\u0000")
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      for (const address of readAddresses(pieces.join("")) ?? []) {
        expect(address.slice(address.lastIndexOf("@") + 1)).toMatch(
          /^(?:[^\s()<>@,;:\\".[\]]+(?:\.[^\s()<>@,;:\\".[\]]+)*|\[[^[\]@]*\])$/,
        )
        expect(readAddresses(address)).toEqual([address])
      }
    }),
    { numRuns: 5_000 },
  )
  for (const text of ["(", "(()", '"', "a ", "a.", "a,", ",", "a:", "@a,", "<@a,", "a<", "a@a,"])
    expect(() => readAddresses(text.repeat(200_000))).not.toThrow()
})

test("a path has one address, or none for a bounce", () => {
  expect(readPath("<ann@a.example>")).toBe("ann@a.example")
  expect(readPath(" ann@a.example ")).toBe("ann@a.example")
  for (const empty of ["", "<>", " < > "]) expect(readPath(empty)).toBe("")
  for (const wrong of ["a@a.example, b@a.example", "ann", "(a <b@c.example>"])
    expect(readPath(wrong)).toBeNull()
})
