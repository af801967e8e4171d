import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { anyEnvelope, everything, failure } from "../../test/data/envelope-samples.ts"
import { encodeWhole } from "../../test/support/whole-encoders.ts"
import { encodeEnvelope, encodeInPieces, formats } from "./formats.ts"
import type { Envelope } from "./tree.ts"
import { maxPartLength, pieceLength } from "./tree.ts"

/** Envelopes with long texts, whose pairs of surrogates fall on any place, with long lists, and with lists in lists. */
const largeEnvelope = fc
  .record({
    envelope: anyEnvelope,
    shift: fc.nat({ max: 6 }),
    unit: fc.constantFrom("&", "'<", '"', "\u2028", "\0", "😀", "\ud800", "é€", "plain text ", " "),
    length: fc.integer({ min: 1, max: 100_000 }),
    count: fc.integer({ min: 1, max: 300 }),
  })
  .map(({ envelope, shift, unit, length, count }): Envelope => {
    const long = "x".repeat(shift) + unit.repeat(length)
    if (envelope.data === null) return { ...envelope, error: long }
    const list = Array(count).fill([envelope.data, long.slice(0, count)])
    const inner = { lines: Array(length % 20_000).fill(unit) }
    return { ...envelope, data: { ...envelope.data, long, list, inner } }
  })

describe.each([...formats])("%s", (format) => {
  test("is the text that a library writes at once", () => {
    for (const envelope of [everything, failure])
      expect(encodeEnvelope(format, envelope)).toBe(encodeWhole[format](envelope))
    fc.assert(
      fc.property(
        anyEnvelope,
        (envelope) => encodeEnvelope(format, envelope) === encodeWhole[format](envelope),
      ),
      { numRuns: 150 },
    )
  })

  test("the pieces of a large answer are the same text, and none is long", () => {
    let count = 0
    fc.assert(
      fc.property(largeEnvelope, (envelope) => {
        const encoded = encodeInPieces(format, envelope)
        const pieces = typeof encoded === "string" ? [encoded] : [...encoded]
        count += pieces.length
        // One character of the value is up to six of the text.
        const longest = 6 * (pieceLength + maxPartLength)
        return (
          pieces.every(({ length }) => length <= longest) && pieces.join("") === encodeWhole[format](envelope)
        )
      }),
      { numRuns: 15 },
    )
    expect(count).toBeGreaterThan(50)
  })
})
