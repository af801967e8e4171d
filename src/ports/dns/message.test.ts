import { expect, test } from "bun:test"
import fc from "fast-check"
import { readQuery } from "../../../test/support/dns-reply.ts"
import { encodeQuery, type Question, type Response, readResponse } from "./message.ts"
import { toWireName } from "./name.ts"

const question: Question = { name: toWireName("www.example.com") ?? "", type: "A" }
const id = 0xbeef

/** A response written byte by byte: NOERROR, one address, EDNS. */
function response(change: (bytes: Buffer) => void = () => {}): Buffer {
  const bytes = Buffer.concat([
    Buffer.from("beef" + "8180" + "0001000100000001", "hex"),
    Buffer.from("\x03WwW\x07exAMple\x03com\0\0\x01\0\x01", "latin1"),
    Buffer.from("c00c" + "0001" + "0001" + "0000003c" + "0004" + "c0000201", "hex"),
    Buffer.from("00" + "0029" + "04d0" + "00000000" + "0000", "hex"),
  ])
  change(bytes)
  return bytes
}

function read(bytes: Buffer): Response {
  const found = readResponse(bytes, question, id)
  if (typeof found === "string") throw new Error(found)
  return found
}

test("encodeQuery asks one question, with recursion and room for 1232 bytes", () =>
  expect(encodeQuery(question, id, true).toString("hex")).toBe(
    ["beef", "0100", "0001", "0000", "0000", "0001"].join("") +
      Buffer.from("\x03www\x07example\x03com\0\0\x01\0\x01", "latin1").toString("hex") +
      "00002904d0000000000000",
  ))

test("encodeQuery leaves EDNS out on request", () => {
  const query = encodeQuery(question, id, false)
  expect([query.readUInt16BE(10), readQuery(query).ednsSize]).toEqual([0, null])
})

test("encodeQuery sends every byte of a name unchanged", () => {
  const name = "\xff\x80 :/.x-\\y.example"
  const query = encodeQuery({ name: toWireName(name) ?? "", type: "TXT" }, 1, true)
  expect(readQuery(query)).toMatchObject({ id: 1, name, type: "TXT", ednsSize: 1232 })
})

test("readResponse: reads the answer, in any case of the question's letters", () => {
  const { rcode, truncated, answers, authority } = read(response())
  expect({ rcode, truncated, authority }).toEqual({ rcode: 0, truncated: false, authority: [] })
  expect(answers).toEqual([{ owner: question.name, type: 1, class: 1, ttlSeconds: 60, at: 43, length: 4 }])
})

test.each<[string, (bytes: Buffer) => void]>([
  ["another id", (bytes) => bytes.writeUInt16BE(id ^ 1, 0)],
  ["a query", (bytes) => bytes.writeUInt16BE(0x0180, 2)],
  ["another opcode", (bytes) => bytes.writeUInt16BE(0x9180, 2)],
  ["another name", (bytes) => bytes.write("x", 13)],
  ["another type", (bytes) => bytes.writeUInt16BE(28, 29)],
  ["another class", (bytes) => bytes.writeUInt16BE(3, 31)],
  ["no question", (bytes) => bytes.writeUInt16BE(0, 4)],
  ["two questions", (bytes) => bytes.writeUInt16BE(2, 4)],
])("readResponse: %s is not the answer", (_, change) =>
  expect(readResponse(response(change), question, id)).toBe("unrelated"),
)

test("readResponse: a name with a dot inside a label is another name", () => {
  const bytes = response((bytes) => bytes.write("\x0bWwW.exAMple", 12, "latin1"))
  expect(readResponse(bytes, question, id)).toBe("unrelated")
})

test("readResponse: names that are equal only as invalid UTF-8 differ", () => {
  const asked = { name: toWireName("\xfe.x") ?? "", type: "A" } as const
  const reply = encodeQuery({ name: toWireName("\xff.x") ?? "", type: "A" }, id, false)
  reply.writeUInt16BE(0x8180, 2)
  expect(readResponse(reply, asked, id)).toBe("unrelated")
})

test.each([
  ["nothing", Buffer.alloc(0)],
  ["half a header", response().subarray(0, 11)],
  ["a cut question", response().subarray(0, 20)],
  ["a cut question type", response().subarray(0, 31)],
  ["a question that points at itself", response((bytes) => bytes.writeUInt16BE(0xc00c, 12))],
])("readResponse: %s is garbage", (_, bytes) => expect(readResponse(bytes, question, id)).toBe("garbage"))

test.each([
  ["a cut answer", response().subarray(0, 40)],
  ["cut data", response().subarray(0, 48)],
  ["a length past the end", response((bytes) => bytes.writeUInt16BE(0xffff, 43))],
  ["more answers than there are", response((bytes) => bytes.writeUInt16BE(0xffff, 6))],
  ["an owner that points forward", response((bytes) => bytes.writeUInt16BE(0xc0ff, 33))],
])("readResponse: %s is malformed", (_, bytes) => expect(readResponse(bytes, question, id)).toBe("malformed"))

test("readResponse: a truncated response is not read beyond the question", () => {
  const bytes = response((bytes) => bytes.writeUInt16BE(0x8380, 2)).subarray(0, 40)
  expect(read(bytes)).toMatchObject({ truncated: true, answers: [] })
})

test("readResponse: the upper bits of the code come from the EDNS record", () =>
  expect(read(response((bytes) => bytes.writeUInt8(1, bytes.length - 6))).rcode).toBe(16))

test.each([1, 2, 4, 5])("readResponse: code %d may come without a question", (code) => {
  expect(read(Buffer.from(`beef818${code}0000000000000000`, "hex")).rcode).toBe(code)
})

test("readResponse: a TTL with the highest bit set is zero (RFC 2181 §8)", () =>
  expect(read(response((bytes) => bytes.writeUInt32BE(0x8000_0001, 39))).answers[0]?.ttlSeconds).toBe(0))

test("readResponse: never throws, whatever comes", () => {
  const change = fc.tuple(fc.nat(100), fc.nat(255))
  const damaged = fc.tuple(fc.array(change, { maxLength: 6 }), fc.nat(80)).map(([changes, cut]) => {
    const bytes = response()
    for (const [at, value] of changes) bytes[at % bytes.length] = value
    return bytes.subarray(0, Math.max(0, bytes.length - Math.max(0, cut - 40)))
  })
  const noise = fc.uint8Array({ maxLength: 120 }).map((bytes) => Buffer.from(bytes))
  fc.assert(
    fc.property(fc.oneof(damaged, noise), (bytes) => {
      const found = readResponse(bytes, question, id)
      if (typeof found === "string") return
      expect(bytes.readUInt16BE(0)).toBe(id)
      for (const { at, length } of [...found.answers, ...found.authority])
        expect(at + 2 + length).toBeLessThanOrEqual(bytes.length)
    }),
    { numRuns: 3000 },
  )
})
