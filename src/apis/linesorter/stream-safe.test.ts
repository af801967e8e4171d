import { describe, expect, test } from "bun:test"
import { isStreamSafe } from "./index.ts"

describe("runs of non-starters, as UAX #15 §13 counts them", () => {
  const scenarios: readonly (readonly [name: string, longest: string, further: string])[] = [
    ["one mark", `a${"\u0301".repeat(30)}`, "\u0301"],
    ["two marks in turn", `a${"\u0323\u0301".repeat(15)}`, "\u0323"],
    ["a mark that is two after decomposition", `a${"\u0f73".repeat(15)}`, "\u0f71"],
    ["a letter that ends with marks", `ᾂ${"\u0301".repeat(27)}`, "\u0301"],
    ["halfwidth voiced sound marks", `ｶ${"\uff9e".repeat(30)}`, "\uff9f"],
    ["marks outside the BMP", `a${"\u{1d165}".repeat(30)}`, "\u{1d165}"],
    ["marks with which a line begins", "\u0301".repeat(30), "\u0345"],
  ]
  for (const [name, longest, further] of scenarios)
    test(name, () => {
      expect([isStreamSafe(`x${longest}x`), isStreamSafe(`${longest}x${longest}`)]).toEqual([true, true])
      expect([isStreamSafe(longest + further), isStreamSafe(`${longest}${further}x`)]).toEqual([false, false])
    })

  test("a mark of combining class 0 ends a run", () => {
    expect(isStreamSafe(`a${"\u0301".repeat(30)}\u0903${"\u0301".repeat(30)}`)).toBe(true)
    expect(isStreamSafe(`a${"\u0903".repeat(1_000)}`)).toBe(true)
    expect(isStreamSafe(`a${"\u0301".repeat(30)}\u034f${"\u0301".repeat(30)}`)).toBe(true)
  })

  test("is right for each code point of Unicode", () => {
    const wrong: string[] = []
    for (let code = 0; code < 0x20000; code++) {
      if (code >= 0xd800 && code <= 0xdfff) continue
      const character = String.fromCodePoint(code)
      // Normalizing moves U+0334, which has the lowest combining class, over non-starters only.
      const isMark = `\u0345${character}\u0334`.normalize("NFKD")[0] !== "\u0345"
      if (isStreamSafe(character.repeat(31)) === isMark) wrong.push(`U+${code.toString(16)}`)
    }
    expect(wrong).toEqual([])
  })
})

test("text of many languages is Stream-Safe", () => {
  for (const text of "Việt Nam|שָׁלוֹם|السَّلَامُ|བཀྲ་ཤིས།|नमस्ते|สวัสดี|한국어|日本語が|👩‍👩‍👧‍👦".split("|")) {
    expect(isStreamSafe(text.repeat(100))).toBe(true)
    expect(isStreamSafe(text.normalize("NFD").repeat(100))).toBe(true)
  }
})
