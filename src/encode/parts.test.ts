import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { anyEnvelope, everything, failure } from "../../test/data/envelope-samples.ts"
import type { Envelope } from "./envelope.ts"
import { encodeEnvelope, formats } from "./formats.ts"
import { encodeInParts } from "./parts.ts"

const withList = (...results: unknown[]): Envelope => ({
  status: "ok",
  error: null,
  data: { count: results.length, credits_used: 1, results },
})

describe.each([...formats])("%s", (format) => {
  const partsOf = (envelope: Envelope) => [...encodeInParts(format, envelope)]
  const expectSame = (envelope: Envelope) =>
    expect(partsOf(envelope).join("")).toBe(encodeEnvelope(format, envelope))

  test("a list is written in parts, of eight items in JSON and of one elsewhere", () => {
    const results = Array.from({ length: 200 }, (_, index) => ({ index, data: { a: [index], b: null } }))
    expectSame(withList(...results))
    expect(partsOf(withList(...results)).length).toBe(2 + (format === "json" ? 25 : 200))
  })

  test("together they are the text of the whole, whatever the items are", () => {
    const awkward = [null, [], {}, [[1, [2]], []], "", " x\ny", -0, { y: "no", list: [{ a: { b: [] } }] }]
    expectSame(withList(...awkward))
    for (const item of awkward) expectSame(withList(item))
    expectSame(withList(everything.data, failure, everything))
    fc.assert(
      fc.property(fc.array(anyEnvelope, { minLength: 1, maxLength: 20 }), (items) =>
        expectSame(withList(...items.map(({ data }, index) => ({ index, data })))),
      ),
      { seed: 20250101, numRuns: 200 },
    )
  })

  test("an envelope of another shape is one part", () => {
    for (const data of [
      {},
      { results: [1] },
      { a: [], results: [1] },
      { a: 1, results: [] },
      { a: 1 },
      null,
    ]) {
      const envelope: Envelope = { status: "ok", error: null, data }
      expect(partsOf(envelope)).toEqual([encodeEnvelope(format, envelope)])
    }
    expect(partsOf(failure)).toEqual([encodeEnvelope(format, failure)])
    fc.assert(fc.property(anyEnvelope, expectSame), { seed: 20250101, numRuns: 200 })
  })
})
