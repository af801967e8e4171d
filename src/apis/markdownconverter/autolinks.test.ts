/** Where links of GFM begin: as the shortest expression says, and in linear time. */
import { expect, test } from "bun:test"
import fc from "fast-check"
import { expectWithinProcessorMs } from "../../../test/support/processor-time.ts"
import { begin } from "./autolinks.ts"

/** Where links may begin by the shortest expression, whose time grows by the square of the text. */
const mayBegin = /(?<![^\s*_~(])www\.|(?<![a-z\d])(?:https?|ftp):\/\/|[\w.+-]+@/giu

test("links begin in short texts where the shortest expression for them finds a begin", () => {
  const part = fc.constantFrom(
    ..."www. WWW. w . @ @x.y + - _ * ~ ( a 1 é ſ K 😀 : / x@ http:// ftp:// HTTPS://a.b".split(" "),
    ...[" ", "\n"],
  )
  fc.assert(
    fc.property(fc.array(part, { maxLength: 10 }), (parts) => {
      const beginsBy = (expression: RegExp) =>
        [...parts.join("").matchAll(expression)].map(({ 0: found, index }) => [index, found])
      expect(beginsBy(begin)).toEqual(beginsBy(mayBegin))
    }),
    { numRuns: 5_000 },
  )
})

// A native call of seconds would hold its thread long after the call was refused.
test.each(["www.", "_www.", "a", "a.", "(www.", "www.a "])(
  "begins of links are found in linear time among %j",
  (piece) => expectWithinProcessorMs(50, () => [...piece.repeat(100_000 / piece.length).matchAll(begin)]),
)
