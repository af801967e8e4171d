import { expect, test } from "bun:test"
import { runApi } from "../../../test/support/run-api.ts"
import type { Ports } from "../contract.ts"
import { linesorter } from "./index.ts"

/** Runs the API and counts how often it lets other work in between. */
async function countPauses(input: Parameters<typeof linesorter.run>[0]) {
  let pauses = 0
  const giveWay = () => {
    pauses++
    return undefined
  }
  const { sorted } = await linesorter.run(input, { ports: {} as Ports, giveWay, premium: true })
  return { sorted, pauses }
}

/** 2 MB, or 10,000 lines, of these would stop the service for a long time if they were sorted. */
const refusedFills = ["\u0f73", "\u0323\u0301", "\u0f71\u0f72", "\uff9e", "\u{1d165}"]
const sortedFills = ["\ufdfa", "a", "\0", "\u0e01", "\u{1f600}"]

function toManyLines(fill: string): string[] {
  const line = fill.repeat(176 / Buffer.byteLength(fill))
  return Array.from({ length: 10_000 }, (_, index) => (index % 3 === 0 ? `a${line}` : `Á${line}`))
}

const marks = "\u0301".repeat(30)
test.each<[name: string, lines: string[], rule: string, item: number]>([
  ["a line over 100,000 characters", ["a", "b".repeat(100_001)], "lines of at most 100,000 characters", 1],
  [
    "ligatures that are over 400,000 characters in full",
    ["\ufdfa".repeat(22_223)],
    "lines of at most 400,000 characters after compatibility decomposition (NFKD)",
    0,
  ],
  [
    "runs of Tibetan vowel signs that are over 10,000 in all lines together",
    Array(400).fill(`a${"\u0f71".repeat(30)}`),
    "at most 10,000 repeated vowel signs U+0F71 in all lines together",
    344,
  ],
])("refuses what takes long to compare, in both orders: %s", async (_, lines, rule, item) => {
  for (const caseSensitive of [false, true])
    await expect(countPauses({ lines, caseSensitive })).rejects.toThrow(
      `The 'lines' parameter must have ${rule}; item ${item} (counted from 0) has more.`,
    )
})

test("refuses what takes long to compare, in both orders: a run of over 30 marks", async () => {
  for (const caseSensitive of [false, true])
    await expect(countPauses({ lines: ["a", "b", `c${marks}\u0301`], caseSensitive })).rejects.toThrow(
      "The 'lines' parameter must be Stream-Safe Text (UAX #15), with at most 30 combining marks in a row; item 2 (counted from 0) has more.",
    )
})

test.each([...refusedFills, ...sortedFills])(
  "refuses what takes long to compare, in both orders: two lines with 1 MB of %j each",
  async (fill) => {
    const long = fill.repeat(1_000_000 / Buffer.byteLength(fill))
    await expect(countPauses({ lines: [`a${long}`, `A${long}`] })).rejects.toThrow("The 'lines' parameter")
  },
)

test.each(refusedFills)("refuses what takes long to compare: 10,000 lines of 180 bytes of %j", (fill) =>
  expect(countPauses({ lines: toManyLines(fill) })).rejects.toThrow("must be Stream-Safe Text"),
)

test.each(sortedFills)("10,000 lines of 180 bytes of %j are sorted in many steps", async (fill) => {
  const lines = toManyLines(fill)
  const { sorted, pauses } = await countPauses({ lines })
  const isPlain = (line: string) => line.startsWith("a")
  expect(sorted).toEqual([...lines.filter(isPlain), ...lines.filter((line) => !isPlain(line))])
  expect(pauses).toBeGreaterThan(100)
})

test.each([
  ["100,000 characters outside the BMP", ["\u{1f600}".repeat(100_000)]],
  ["100,000 Hangul syllables", ["\ud55c".repeat(100_000)]],
  ["runs of 30 marks", Array(1_000).fill(`a${marks}b${marks}`)],
  ["each Tibetan vowel sign fifteen times", [`a${"\u0f73".repeat(15)}`, `A${"\u0f75".repeat(15)}`]],
])("accepts: %s", async (_, lines) => {
  for (const caseSensitive of [false, true])
    expect((await countPauses({ lines, caseSensitive })).sorted).toHaveLength(lines.length)
})

test("few lines are sorted at once, without a wait", () => {
  const lines = Array.from({ length: 50 }, (_, index) => `line ${50 - index}`)
  for (const caseSensitive of [false, true]) {
    const { sorted } = runApi(linesorter, { lines, caseSensitive })
    expect([sorted.length, ...sorted.slice(0, 3)]).toEqual([50, "line 1", "line 10", "line 11"])
  }
})

test("many lines are sorted in steps, in both orders", async () => {
  const lines = Array.from({ length: 10_000 }, (_, index) => `line ${(index * 7_919) % 10_000}`)
  for (const caseSensitive of [false, true]) {
    const { sorted, pauses } = await countPauses({ lines, caseSensitive })
    expect(sorted).toEqual(lines.toSorted())
    expect(pauses).toBeGreaterThan(50)
  }
})
