import { expect, test } from "bun:test"
import fc from "fast-check"
import { joinLabels } from "../../values/dns-labels.ts"
import {
  domainOf,
  foldCase,
  isWithin,
  type NamesOfMessage,
  namesOfMessage,
  parentOf,
  readName,
  toDottedName,
  toWireName,
} from "./name.ts"

const wire = (name: string) => {
  const found = toWireName(name)
  if (found === null) throw new Error(`not a name: ${name}`)
  return found
}

test.each([
  ["example.com", "\x07example\x03com\0"],
  ["example.com.", "\x07example\x03com\0"],
  ["EXAMPLE.Com", "\x07example\x03com\0"],
  ["a:b/c d.\\x", "\x07a:b/c d\x02\\x\0"],
  ["\xffa\x00.x", "\x03\xffa\x00\x01x\0"],
  // Only ASCII letters are folded: À and à are different bytes.
  ["\xc0.x", "\x01\xc0\x01x\0"],
])("toWireName: %j", (name, expected) => expect(toWireName(name)).toBe(expected))

test.each([
  ...["", ".", "..", "a..b", ".a", "a..", "a\\..."],
  ...[`${"a".repeat(64)}.example`, "ž.example", `${"a.".repeat(126)}aa`, "a".repeat(300)],
])("toWireName: %j cannot be asked", (name) => expect(toWireName(name)).toBeNull())

test("toWireName: 253 bytes of text are 255 on the wire, which is the most", () => {
  const longest = `${"a.".repeat(126)}a`
  expect(longest).toHaveLength(253)
  expect(toWireName(longest)).toHaveLength(255)
  expect(toWireName(`${longest}.`)).toHaveLength(255)
  expect(toWireName(`${"a".repeat(63)}.b`)).not.toBeNull()
})

test("readName follows compression and returns the offset after the name", () => {
  const message = Buffer.from("\x03com\0\x07Example\xc0\x00\x03www\xc0\x05!", "latin1")
  expect(readName(message, 15)).toEqual({ wire: "\x03www\x07Example\x03com\0", end: 21 })
})

test.each([
  ["points at itself", "\xc0\x00", 0],
  ["points forward", "\xc0\x02\x01a\0", 0],
  ["is a loop", "\x01a\xc0\x00", 0],
  ["ends in a label", "\x05abc", 0],
  ["has no end", "\x01a", 0],
  ["ends in a pointer", "\x01a\xc0", 0],
  ["has an obsolete label type", "\x41a\0", 0],
  ["begins past the end", "", 4],
  ["is over 255 bytes", "\x01a".repeat(128), 0],
])("readName refuses a name that %s", (_, bytes, offset) =>
  expect(() => readName(Buffer.from(bytes, "latin1"), offset)).toThrow(RangeError),
)

test("readName: a chain of pointers is cut off", () => {
  const message = Buffer.alloc(401)
  for (let at = 1; at < 401; at += 2) message.writeUInt16BE(0xc000 | Math.max(0, at - 2), at)
  expect(readName(message, 1 + 2 * 126)).toEqual({ wire: "\0", end: 1 + 2 * 127 })
  expect(() => readName(message, 1 + 2 * 127)).toThrow("pointer")
})

test("readName reads back what was written, at any offset", () => {
  const label = fc.string({ unit: byte, minLength: 1, maxLength: 63 })
  fc.assert(
    fc.property(fc.array(label, { minLength: 1, maxLength: 3 }), fc.nat(20), (labels, skip) => {
      const name = wire(joinLabels(labels))
      const message = Buffer.concat([Buffer.alloc(skip, 7), Buffer.from(name, "latin1"), Buffer.from("rest")])
      expect(readName(message, skip)).toEqual({ wire: name, end: skip + name.length })
      expect(wire(toDottedName(name))).toBe(name)
    }),
  )
})

test("readName returns a legal name or throws a RangeError for any bytes", () => {
  const bytes = fc.array(fc.oneof(fc.nat(255), fc.constantFrom(0, 1, 2, 0xc0)), { maxLength: 60 })
  fc.assert(
    fc.property(bytes, fc.nat(60), (bytes, offset) => {
      try {
        const { wire, end } = readName(Buffer.from(bytes), offset)
        expect(wire.length).toBeLessThanOrEqual(255)
        expect(end).toBeLessThanOrEqual(bytes.length)
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(RangeError)
      }
    }),
    { numRuns: 2000 },
  )
})

test("readName gives a name that others of its message point at as if it were the first that is read", () => {
  const nameAt = (bytes: Buffer, offset: number, names?: NamesOfMessage) => {
    try {
      return readName(bytes, offset, names)
    } catch {
      return "none"
    }
  }
  const pointer = fc.nat(40).map((to) => [0xc0, to])
  const parts = fc.array(fc.oneof(pointer, fc.constantFrom([1, 97], [0])), { maxLength: 30 })
  fc.assert(
    fc.property(parts, fc.array(fc.nat(60)), (parts, offsets) => {
      const message = Buffer.from(parts.flat())
      const names = namesOfMessage()
      for (const offset of offsets) expect(nameAt(message, offset, names)).toEqual(nameAt(message, offset))
    }),
    { numRuns: 2000 },
  )
})

const byte = fc.nat(255).map((code) => String.fromCharCode(code))

test("a dot and a backslash inside a label are escaped, so that different names have different texts", () => {
  const names = ["\x03a.b\x03com\0", "\x02a\\\x01b\x03com\0", "\x04a\\.b\x03com\0", "\0"]
  const texts = ["a\\.b.com", "a\\\\.b.com", "a\\\\\\.b.com", ""]
  expect(names.map(toDottedName)).toEqual(texts)
  expect(texts.slice(0, 3).map(wire)).toEqual(names.slice(0, 3))
})

test("foldCase leaves lengths and bytes above 0x7F alone", () =>
  expect(foldCase("\x02AZ\x03\xc0[@\0")).toBe("\x02az\x03\xc0[@\0"))

test.each([
  ["a.example.com", "example.com", true],
  ["example.com", "example.com", true],
  ["badexample.com", "example.com", false],
  ["com", "example.com", false],
  ["example.org", "example.com", false],
])("%s is within %s: %p", (name, zone, expected) => expect(isWithin(wire(name), wire(zone))).toBe(expected))

test("everything is within the root, and a byte of a label is not read as a length", () =>
  expect([isWithin(wire("a.b"), "\0"), isWithin("\x05x\x03com\0", "\x03com\0")]).toEqual([true, false]))

test("parentOf ends at the root", () => {
  expect(parentOf(wire("a.b"))).toBe(wire("b"))
  expect([parentOf(wire("b")), parentOf("\0")]).toEqual(["\0", null])
})

test.each([
  ["example.com", "example.com"],
  ["_dmarc.a.b.example.com", "example.com"],
  ["a.b.example.co.uk", "example.co.uk"],
  ["a.example.de", "example.de"],
  ["4.3.2.1.in-addr.arpa", "3.2.1.in-addr.arpa"],
  ["com", "com"],
])("the servers of %s are those of %s", (name, domain) => expect(domainOf(wire(name))).toBe(domain))
