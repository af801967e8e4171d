import { expect, test } from "bun:test"
import fc from "fast-check"
import { anyEnvelope, everything, failure } from "../../test/data/envelope-samples.ts"
import { encodeEnvelope, formats } from "./formats.ts"
import { createListEncoder } from "./list-encoder.ts"

test.each([...formats])(
  "the parts of a list are the text of the whole, whatever the items are: %s",
  (format) => {
    function expectSame(...results: unknown[]): void {
      const data = { count: results.length, credits_used: 1 }
      const encoder = createListEncoder(format, "results")
      const { before, after } = encoder.frame({ status: "ok", error: null, data })
      let text = before
      for (let index = 0; index < results.length; index += encoder.itemsPerPart)
        text += encoder.items(results.slice(index, index + encoder.itemsPerPart), index)
      const whole = { status: "ok", error: null, data: { ...data, results } } as const
      expect(text + after).toBe(encodeEnvelope(format, whole))
    }

    expectSame(...Array.from({ length: 200 }, (_, index) => ({ index, data: { a: [index], b: null } })))
    const awkward = [null, [], {}, [[1, [2]], []], "", " x\ny", -0, { y: "no", list: [{ a: { b: [] } }] }]
    expectSame(...awkward)
    for (const item of awkward) expectSame(item)
    expectSame(everything.data, failure, everything)
    fc.assert(
      fc.property(fc.array(anyEnvelope, { minLength: 1, maxLength: 20 }), (items) =>
        expectSame(...items.map(({ data }, index) => ({ index, data }))),
      ),
      { numRuns: 80 },
    )
  },
)
