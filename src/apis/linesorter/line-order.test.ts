import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { anyCharacter } from "../../../test/support/any-character.ts"
import { sortLines as sortLinesInSteps } from "./line-order.ts"

const sortLines = (...given: Parameters<typeof sortLinesInSteps>): readonly string[] => {
  const steps = sortLinesInSteps(...given)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** From few letters, so that equal lines and shared beginnings are common. */
const line = fc.oneof(
  fc.string({ unit: fc.constantFrom(..."aAbBéÉeEßsS -_10"), maxLength: 4 }),
  fc.string({
    unit: fc.constantFrom("a", "\u{1f600}", "\u{10000}", "\u{10ffff}", "\ue000", "\uffff", "\ud7ff"),
    maxLength: 4,
  }),
  fc.string({ unit: anyCharacter, maxLength: 8 }),
)
const lines = fc.array(line, { maxLength: 40 })

describe("case-insensitive", () => {
  const scenarios: readonly [name: string, sorted: readonly string[]][] = [
    ["letters of both cases interleave", ["apple", "Banana", "cherry", "Date"]],
    ["an accent counts, case does not", ["e", "é", "ea", "éb", "EC"]],
    ["accents count only between lines with equal letters", ["cote", "coté", "côte", "côté", "Cotf"]],
    ["blank and punctuation count", ["a b", "a-b", "a.b", "ab"]],
    ["digits are characters, not numbers", ["1", "10", "2", "a"]],
    ["the root order of no language: å is not after z, ch not after c", ["å", "ä", "ch", "ci", "ö", "z"]],
    ["scripts in the order of the root collation", ["z", "ω", "я", "א", "ا", "あ", "日"]],
    ["the empty line is first", ["", " ", "_", "0", "a"]],
  ]
  for (const [name, sorted] of scenarios)
    test(name, () => {
      expect(sortLines(sorted.toReversed(), "asc", false)).toEqual([...sorted])
      expect(sortLines(sorted, "desc", false)).toEqual(sorted.toReversed())
    })

  test("lines that differ by case alone keep their order, ascending and descending", () => {
    expect(sortLines(["b", "Ab", "aB", "AB", "ab"], "asc", false)).toEqual(["Ab", "aB", "AB", "ab", "b"])
    expect(sortLines(["Ab", "aB", "b", "AB", "ab"], "desc", false)).toEqual(["b", "Ab", "aB", "AB", "ab"])
  })

  test("two ways to write one character are equal", () => {
    expect(sortLines(["e\u0301", "\u00e9", "e"], "asc", false)).toEqual(["e", "e\u0301", "\u00e9"])
    expect(sortLines(["\u00e9", "e\u0301", "e"], "asc", false)).toEqual(["e", "\u00e9", "e\u0301"])
  })

  test("the language of the machine changes nothing", async () => {
    const script = `import { sortLines } from ${JSON.stringify(`${import.meta.dir}/line-order.ts`)}
      console.log(JSON.stringify(sortLines(["z", "ö", "å", "ä", "o", "A", "a"], "asc", false).next().value))`
    for (const language of ["C", "sv_SE.UTF-8", "et_EE.UTF-8"]) {
      const env = { ...process.env, LANG: language, LC_ALL: language }
      const child = Bun.spawn([process.execPath, "-e", script], { env, stdout: "pipe" })
      expect(JSON.parse(await new Response(child.stdout).text())).toEqual(["A", "a", "å", "ä", "o", "ö", "z"])
    }
  })
})

test("case-sensitive: capitals come before small letters, accents after both", () =>
  expect(sortLines(["b", "a", "Z", "é", "10", "9"], "asc", true)).toEqual(["10", "9", "Z", "a", "b", "é"]))

test("case-sensitive: characters outside the BMP come after U+E000–U+FFFF", () => {
  const sorted = ["\ud7ff", "\ue000", "\uff5e", "\uffff", "\uffff\u{1f600}", "\u{10000}", "\u{1f600}"]
  expect(sortLines(sorted.toReversed(), "asc", true)).toEqual(sorted)
  expect(sortLines(sorted, "desc", true)).toEqual(sorted.toReversed())
})

test("case-sensitive is the order of the lists of code points", () =>
  fc.assert(
    fc.property(lines, (input) => {
      const expected = input.toSorted(compareCodePoints)
      expect(sortLines(input, "asc", true)).toEqual(expected)
      expect(sortLines(input, "desc", true)).toEqual(expected.toReversed())
    }),
    { numRuns: 200 },
  ))

test("sorting changes only the order, and leaves the input unchanged", () =>
  fc.assert(
    fc.property(lines, fc.constantFrom("asc", "desc"), fc.boolean(), (input, order, caseSensitive) => {
      const before = [...input]
      const sorted = sortLines(Object.freeze(input), order, caseSensitive)
      expect(input).toEqual(before)
      expect(sorted.toSorted()).toEqual(before.toSorted())
    }),
    { numRuns: 200 },
  ))

const { compare } = new Intl.Collator("en", { sensitivity: "accent" })
/** Beginnings and ends of what the root collation treats as one: Catalan l·, Thai and Lao vowels, Indic and Tibetan signs. */
const contracted = fc.constantFrom(
  ..."lL·\u0387เกໂຂ\u09c7\u09be\u0fb2\u0f71\u0f72\u0f80\u0f73ΣσςİıǅʦæÆꜳ\u0301\u0323\u0308",
)
const anyLine = fc.oneof(
  line,
  fc.string({ unit: fc.oneof(contracted, fc.constantFrom(..."aAbB")), maxLength: 8 }),
  fc.string({ unit: "grapheme", maxLength: 6 }),
)
const manyLines = fc.array(anyLine, { maxLength: 60 })

test("the order is that of Intl.Collator for few lines", () =>
  fc.assert(
    fc.property(manyLines, (input) => {
      expect(sortLines(input, "asc", false)).toEqual(input.toSorted(compare))
      expect(sortLines(input, "desc", false)).toEqual(input.toSorted((a, b) => compare(b, a)))
    }),
    { numRuns: 200 },
  ))

test("the order is that of Intl.Collator for so many lines that several steps are needed", () => {
  const size = { minLength: 5_000, maxLength: 5_000, size: "max" } as const
  const [input] = fc.sample(fc.array(anyLine, size), { numRuns: 1 })
  for (const lines of [input ?? [], (input ?? []).toSorted(compare)]) {
    expect([...sortLinesInSteps(lines, "asc", false)].length).toBeGreaterThan(5)
    expect(sortLines(lines, "asc", false)).toEqual(lines.toSorted(compare))
    expect(sortLines(lines, "desc", true)).toEqual(lines.toSorted(compareCodePoints).reverse())
  }
})

test("the order is that of Intl.Collator: each code point is equal to its lower case", () => {
  const different: string[] = []
  for (let code = 0; code < 0x20000; code++) {
    const character = String.fromCodePoint(code)
    const lower = character.toLowerCase()
    if (lower !== character && compare(lower, character) !== 0) different.push(character)
  }
  expect(different).toEqual([])
})

test("equal lines keep their order, ascending and descending", () => {
  const { compare } = new Intl.Collator("en", { sensitivity: "accent" })
  fc.assert(
    fc.property(fc.uniqueArray(line, { maxLength: 40 }), fc.constantFrom("asc", "desc"), (input, order) => {
      const sorted = sortLines(input, order, false)
      const place = new Map(input.map((text, index) => [text, index]))
      for (const [index, text] of sorted.entries()) {
        const next = sorted[index + 1]
        if (next === undefined) continue
        const step = order === "asc" ? compare(text, next) : compare(next, text)
        expect(step).toBeLessThanOrEqual(0)
        if (step === 0) expect(place.get(text) ?? NaN).toBeLessThan(place.get(next) ?? NaN)
      }
    }),
    { numRuns: 200 },
  )
})

function compareCodePoints(a: string, b: string): number {
  const [as, bs] = [[...a], [...b]]
  for (const [index, character] of as.entries()) {
    const other = bs[index]
    if (other === undefined) return 1
    const difference = (character.codePointAt(0) ?? 0) - (other.codePointAt(0) ?? 0)
    if (difference !== 0) return difference
  }
  return as.length - bs.length
}

const natural = "a file file1.2 file1.10 file2 file10a file10b File100 file00101 fileb".split(" ")
test("natural and numeric order: natural: numbers in the text count by their size", () => {
  for (const caseSensitive of [false, true]) {
    const wanted = caseSensitive ? natural.filter((line) => line !== "File100") : natural
    expect(sortLines(wanted.toReversed(), "asc", caseSensitive, { sortBy: "natural" })).toEqual(wanted)
    expect(sortLines(wanted, "desc", caseSensitive, { sortBy: "natural" })).toEqual(wanted.toReversed())
  }
})

test("natural and numeric order: numeric: the number at the begin, of any length, and lines without one last", () => {
  const wanted = [
    ..."-9007199254740993|-9007199254740992|-10|-1.5 kg|-1|-.5|0|.5| 0.75|+1|2 a|10".split("|"),
    ..."9007199254740992|9007199254740993|-|a1|kg".split("|"),
  ]
  expect(sortLines(wanted.toReversed(), "asc", true, { sortBy: "numeric" })).toEqual(wanted)
  expect(sortLines(wanted, "desc", true, { sortBy: "numeric" })).toEqual(wanted.toReversed())
})

test("natural and numeric order: numeric: as numbers are compared", () =>
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.integer({ min: -2000, max: 2000 }), fc.integer({ min: 0, max: 3 }))),
      (pairs) => {
        const texts = pairs.map(([number, digits]) => (number / 10 ** digits).toFixed(digits))
        const sorted = sortLines(texts, "asc", false, { sortBy: "numeric" }).map(Number)
        const wanted = texts.map((one) => Number(one) + 0).sort((a, b) => a - b)
        expect(sorted.map((one) => one + 0)).toEqual(wanted)
      },
    ),
  ))

test("natural and numeric order: the first of equal lines is kept", () => {
  expect(sortLines(["b", "A", "a", "B", "a"], "asc", false, { isUnique: true })).toEqual(["A", "b"])
  expect(sortLines(["b", "A", "a", "B", "a"], "desc", true, { isUnique: true })).toEqual("b a B A".split(" "))
  const rule = { sortBy: "numeric", isUnique: true } as const
  expect(sortLines(["1", "01", "1"], "asc", false, rule)).toEqual(["01", "1"])
  fc.assert(
    fc.property(lines, (given) => {
      const kept = sortLines(given, "asc", true, { isUnique: true })
      expect(kept).toEqual(sortLines([...new Set(given)], "asc", true))
    }),
  )
})
