import { expect, test } from "bun:test"
import fc from "fast-check"
import { createFrameReader } from "./exchange-tcp.ts"

function frame(message: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([message.length >> 8, message.length & 0xff]), message])
}

test("messages come out whole, wherever the stream is cut", () => {
  const messages = fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 5 })
  const cuts = fc.array(fc.integer({ min: 0, max: 80 }), { minLength: 1, maxLength: 20 })
  fc.assert(
    fc.property(messages, cuts, (sent, sizes) => {
      const stream = Buffer.concat(sent.map(frame))
      const reader = createFrameReader()
      const got: Buffer[] = []
      for (let at = 0, turn = 0; at < stream.length; turn++) {
        const size = Math.max(sizes[turn % sizes.length] ?? 1, turn % 7 === 0 ? 1 : 0)
        got.push(...reader.push(stream.subarray(at, at + size)))
        at += size
      }
      expect(got.map((message) => message.toString("hex"))).toEqual(
        sent.map((message) => Buffer.from(message).toString("hex")),
      )
    }),
  )
})

test("a message of the greatest length passes, and an unfinished one never comes out", () => {
  const reader = createFrameReader()
  const greatest = frame(new Uint8Array(65_535).fill(7))
  expect(reader.push(greatest.subarray(0, -1))).toHaveLength(0)
  const [message] = reader.push(greatest.subarray(-1))
  expect(message).toHaveLength(65_535)
  expect(reader.push(Buffer.from([0]))).toHaveLength(0)
})
