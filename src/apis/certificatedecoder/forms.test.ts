import { expect, test } from "bun:test"
import fc from "fast-check"
import { createManualClock } from "../../../test/support/clock.ts"
import { portsFor } from "../../../test/support/zone-ports.ts"
import { elementsOf } from "../../values/der.ts"
import { InputRejected } from "../contract.ts"
import { certificatedecoder } from "./index.ts"
import { run } from "./run.ts"

const context = {
  ports: { ...portsFor({}), clock: createManualClock("2026-11-23T12:00:00Z") },
  giveWay: () => undefined,
  premium: true,
}

/** Writes an element of DER. */
function write(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts)
  const size = content.length
  const length = size < 0x80 ? [size] : size < 0x100 ? [0x81, size] : [0x82, size >> 8, size & 0xff]
  return Buffer.concat([Buffer.from([tag, ...length]), content])
}

const [pem = ""] =
  certificatedecoder.examples[0]?.input.certificate?.match(/-----BEGIN[\s\S]*?-----END [A-Z]+-----\n/) ?? []
const der = new Uint8Array(Buffer.from(pem.replace(/-----[^-]*-----|\s/g, ""), "base64"))
const [outer] = elementsOf(der)
const [signed, ...signature] = elementsOf(outer?.content ?? der)
const fields = elementsOf(signed?.content ?? der)

/** The certificate of the example with other times or extensions. Its signature is not checked, as its authority is not there. */
async function decode(
  changes: { times?: readonly Uint8Array[]; extensions?: readonly Uint8Array[] },
  host?: string,
) {
  const changed = fields.map(({ tag, whole }, index) => {
    if (index === 4 && changes.times) return write(0x30, ...changes.times)
    return tag === 0xa3 && changes.extensions ? write(tag, write(0x30, ...changes.extensions)) : whole
  })
  const made = write(0x30, write(0x30, ...changed), ...signature.map(({ whole }) => whole))
  const certificate = made.toString("base64")
  const answer = await run({ certificate, ...(host !== undefined && { host }) }, context)
  return { ...answer, codes: answer.problems.map(({ code }): string => code) }
}

const time = (text: string) =>
  write(text.length < 14 || /^\d{12}Z|^\d{10,12}[+-]/.test(text) ? 0x17 : 0x18, Buffer.from(text))
const utc = (text: string) => write(0x17, Buffer.from(text))
const general = (text: string) => write(0x18, Buffer.from(text))
const oid = (hex: string) => write(0x06, Buffer.from(hex, "hex"))
const extension = (id: string, ...value: readonly Uint8Array[]) => write(0x30, oid(id), write(0x04, ...value))
const san = (...names: readonly Uint8Array[]) => extension("551d11", write(0x30, ...names))
const dns = (name: string) => write(0x82, Buffer.from(name))

test.each<[string, Buffer, string | null, string | null]>([
  ["two digits", utc("260101000000Z"), "2026-01-01T00:00:00.000Z", null],
  ["50 is 1950", utc("500101000000Z"), "1950-01-01T00:00:00.000Z", null],
  ["49 is 2049", utc("491231235959Z"), "2049-12-31T23:59:59.000Z", null],
  ["four digits from 2050 on", general("20500101000000Z"), "2050-01-01T00:00:00.000Z", null],
  ["no end", general("99991231235959Z"), "9999-12-31T23:59:59.000Z", null],
  ["four digits before 2050", general("20260101000000Z"), "2026-01-01T00:00:00.000Z", "is before 2050"],
  ["year 1", general("00010101000000Z"), "0001-01-01T00:00:00.000Z", "is before 2050"],
  ["no seconds", utc("2601010000Z"), "2026-01-01T00:00:00.000Z", "has no seconds"],
  ["a zone", utc("260101000000+0130"), "2025-12-31T22:30:00.000Z", "has a zone"],
  ["a zone to the west", general("20500101000000-0800"), "2050-01-01T08:00:00.000Z", "has a zone"],
  ["fractions", general("20500101000000.25Z"), "2050-01-01T00:00:00.250Z", "has fractions"],
  ["no zone", general("20500101000000"), null, "does not say its zone"],
  ["30 February", utc("260230000000Z"), null, "does not exist"],
  ["29 February of a common year", utc("270229000000Z"), null, "does not exist"],
  ["month 13", utc("261301000000Z"), null, "does not exist"],
  ["24 o'clock", utc("260101240000Z"), null, "does not exist"],
  ["second 60", utc("260101000060Z"), null, "does not exist"],
  ["words", utc("yesterday"), null, "is not a time"],
  ["nothing", utc(""), null, "is not a time"],
  ["two digits in four", general("260101000000Z"), null, "does not exist"],
])("times (RFC 5280 §4.1.2.5): %s", async (_name, begin, at, mistake) => {
  const answer = await decode({ times: [begin, general("99991231235959Z")] })
  expect(answer.valid_from).toBe(at)
  const found = answer.problems.find(({ code }) => code === "time_form")
  expect(found?.message ?? null).toEqual(mistake === null ? null : expect.stringContaining(mistake))
  expect(found?.where ?? null).toBe(mistake === null ? null : "valid_from")
  if (mistake !== null) expect(answer.is_valid).toBe(false)
})

test("times (RFC 5280 §4.1.2.5): any moment is read as it was written, in either form", async () => {
  const [min, max] = [new Date("0001-01-01"), new Date("9999-12-31T23:59:59Z")]
  const moments = fc.date({ min, max, noInvalidDate: true })
  await fc.assert(
    fc.asyncProperty(moments, async (moment) => {
      const iso = `${moment.toISOString().slice(0, 19)}.000Z`
      const text = iso.replace(/[-:T]|\.000/g, "")
      const year = Number(text.slice(0, 4))
      const isShort = year >= 1950 && year < 2050
      const time = isShort ? utc(text.slice(2)) : general(text)
      const answer = await decode({ times: [time, general("99991231235959Z")] })
      expect(answer.valid_from).toBe(iso)
      expect(answer.codes.includes("time_form")).toBe(year < 1950)
    }),
    { numRuns: 200 },
  )
})

test("times (RFC 5280 §4.1.2.5): any text of a time is a moment or null, and no answer has an invented one", async () => {
  const unit = fc.constantFrom(..."0123456789Z+-.")
  const texts = fc.oneof(fc.string({ unit, maxLength: 20 }), fc.stringMatching(/^[0-9]{10,14}Z?$/))
  await fc.assert(
    fc.asyncProperty(texts, async (text) => {
      const { valid_from } = await decode({ times: [time(text), general("99991231235959Z")] })
      // Each part of the answer is in the text, unless a zone moves it.
      if (valid_from !== null && text.endsWith("Z"))
        expect(text).toContain(valid_from.slice(2, 13).replace(/[-T]/g, ""))
    }),
    { numRuns: 300 },
  )
})

const basic = (...parts: readonly Uint8Array[]) => extension("551d13", write(0x30, ...parts))
const isCa = write(0x01, Buffer.from([0xff]))
const length = write(0x02, Buffer.from([0]))
const party = write(0xa5, write(0xa1, write(0x13, Buffer.from("party"))))
const paul = write(0x0c, Buffer.from("Paul"))
const named = san(dns("a.example"))
const oids = { basicConstraints: "2.5.29.19", keyUsage: "2.5.29.15", subjectAltName: "2.5.29.17" }

test.each<[string, readonly Buffer[]]>([
  ["an authority with a path length", [named, basic(isCa, length)]],
  ["an otherName", [san(write(0xa0, oid("550403"), write(0xa0, paul)), dns("a.example"))]],
  ["ediPartyName", [san(dns("a.example"), party)]],
])("extensions (RFC 5280 §4.2.1): %s", async (_name, extensions) =>
  expect(await mistakesOf(extensions)).toEqual([]),
)

test.each<[string, readonly Buffer[], keyof typeof oids, string]>([
  ["a path length without authority", [named, basic(length)], "basicConstraints", "has a path length"],
  [
    "a path length below 0",
    [named, basic(isCa, write(0x02, Buffer.from([0xfb])))],
    "basicConstraints",
    "has a path length below 0",
  ],
  [
    "a name beyond ASCII",
    [san(dns("a.example"), dns("ä.example"))],
    "subjectAltName",
    "has a name with characters beyond ASCII",
  ],
  ["a text", [named, extension("551d13", dns("x"))], "basicConstraints", "cannot be read"],
  ["no value", [named, extension("551d0f")], "keyUsage", "cannot be read"],
  [
    "an address of 3 bytes",
    [san(dns("a.example"), write(0x87, Buffer.from([192, 0, 2])))],
    "subjectAltName",
    "has an address of 3 bytes",
  ],
  [
    "an otherName without [0]",
    [san(write(0xa0, oid("550403"), paul), dns("a.example"))],
    "subjectAltName",
    "has a name that cannot be read",
  ],
  [
    "a name of an unknown kind",
    [san(dns("a.example"), write(0x8c, Buffer.from("x")))],
    "subjectAltName",
    "has a name that cannot be read",
  ],
])("extensions (RFC 5280 §4.2.1): %s", async (_name, extensions, id, mistake) => {
  const message = expect.stringContaining(`${id} (${oids[id]}) ${mistake}`)
  expect(await mistakesOf(extensions)).toEqual([message])
})

/** The messages about extensions. The name is found, whatever is wrong beside it. */
async function mistakesOf(extensions: readonly Buffer[]) {
  const answer = await decode({ extensions })
  expect(answer.names).toContainEqual({ kind: "dns", value: "a.example" })
  expect(answer.extensions).toHaveLength(extensions.length)
  return answer.problems.filter(({ code }) => code === "extension").map(({ message }) => message)
}

test("extensions (RFC 5280 §4.2.1): any value of an extension leaves the rest readable, and no text of a library is in the answer", async () => {
  const ids = "551d0e 551d0f 551d11 551d12 551d13 551d1f 551d20 551d23 551d25 2b06010505070101".split(" ")
  const piece = fc.uint8Array({ maxLength: 6 })
  const tags = [1, 2, 3, 4, 6, 0x0c, 0x30, 0x80, 0x81, 0x82, 0x86, 0x87, 0xa0, 0xa4, 0xa5]
  const value = fc.oneof(
    piece,
    fc
      .array(fc.tuple(fc.constantFrom(...tags), piece), { maxLength: 4 })
      .map((parts) => write(0x30, ...parts.map(([one, bytes]) => write(one, bytes)))),
  )
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...ids), value, async (id, bytes) => {
      const answer = await decode({ extensions: [san(dns("a.example")), extension(id, bytes)] })
      expect(answer).toMatchObject({ kind: "certificate", subject: "CN=www.example.com" })
      expect(answer.extensions).toHaveLength(2)
      expect(JSON.stringify(answer.problems)).not.toMatch(/ASN1|schema|buffer|bounds|undefined|Error:/)
    }),
    { numRuns: 300 },
  )
})

test("extensions (RFC 5280 §4.2.1): bytes that are no certificate are refused in our words alone", () =>
  fc.assert(
    fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 40 }), async (bytes) => {
      const certificate = write(0x30, bytes).toString("base64")
      const refused = async () => run({ certificate }, context)
      expect(refused()).rejects.toBeInstanceOf(InputRejected)
      expect(refused()).rejects.toThrow(
        "must have a certificate (RFC 5280 §4.1) in each block; one cannot be read.",
      )
    }),
    { numRuns: 200 },
  ))

const address = (...bytes: readonly number[]) => write(0x87, Buffer.from(bytes))
const names = [dns("*.Example.com"), dns("xn--mnchen-3ya.example"), dns("192.0.2.9")]
const extensions = [san(...names, address(192, 0, 2, 1))]
test.each<[string, string | null]>([
  ["a.example.com", "*.Example.com"],
  ["A.EXAMPLE.com.", "*.Example.com"],
  ["münchen.example", "xn--mnchen-3ya.example"],
  ["192.0.2.1", "192.0.2.1"],
  ["::ffff:192.0.2.1", "192.0.2.1"],
  // A star is one label, the common name does not count, and an address is no name.
  ["example.com", null],
  ["a.b.example.com", null],
  ["www.example.org", null],
  ["192.0.2.9", null],
  ["192.0.2.2", null],
])("a host (RFC 9525 §6): %s", async (host, matched_name) => {
  const answer = await decode({ extensions }, host)
  expect(answer.matched_name).toBe(matched_name)
  expect(answer.codes.includes("host")).toBe(matched_name === null)
  expect(answer.is_valid).toBe(matched_name !== null)
})

test("a host (RFC 9525 §6): the common name does not count", async () => {
  const answer = await decode({ extensions: [] }, "www.example.com")
  expect(answer.subject).toBe("CN=www.example.com")
  expect(answer.codes).toContain("host")
})

test.each(["https://www.example.com", "a..example", "a b", "*.example.com", "www.example.com:443", "[::1]"])(
  "a host (RFC 9525 §6): %s is refused",
  (host) => expect(decode({}, host)).rejects.toThrow("The 'host' parameter must be the name of a server"),
)
