import { expect, test } from "bun:test"
import { escapeHidden, escapeHiddenInJson, escapeHiddenInLines, firstHidden } from "./hidden-characters.ts"

const allCharacters = Array.from({ length: 0x1_0000 }, (_, code) => String.fromCharCode(code))
const hidden = allCharacters.filter((character) => /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u.test(character))

test("controls, line separators and controls of direction are escaped as JSON does, and nothing else", () => {
  expect(hidden).toHaveLength(32 + 33 + 2 + 12)
  for (const character of allCharacters) {
    const escaped = escapeHidden(`a${character}`)
    if (hidden.includes(character)) expect(JSON.parse(`"${escaped}"`)).toBe(`a${character}`)
    else expect(escaped).toBe(`a${character}`)
  }
  expect(escapeHidden("x\u202ey\nz\u202e")).toBe("x\\u202ey\\u000az\\u202e")
})

test("in lines, breaks and tabs stay", () => {
  const escaped = hidden.filter((character) => escapeHiddenInLines(character) !== character)
  expect(hidden.filter((character) => !escaped.includes(character))).toEqual(["\t", "\n"])
})

test("in JSON, only what JSON leaves as it is, and the value stays", () => {
  const text = hidden.join("")
  const json = escapeHiddenInJson(JSON.stringify(text))
  expect(json).toBe(escapeHidden(json))
  expect(JSON.parse(json)).toBe(text)
  expect(escapeHiddenInJson("\u001b[32mINFO\u001b[39m")).toBe("\u001b[32mINFO\u001b[39m")
})

test("the first one is named by its code point", () => {
  const texts = ["", "Ä 山田 👩\u200d💻", "a\u001bb\u202e", "\u2069", "a\u2800b"]
  expect(texts.map(firstHidden)).toEqual([null, null, "U+001B", "U+2069", "U+2800"])
})

test("of all characters, each blank one and each without a shape is found, but for the spaces of Latin and Japanese", () => {
  const found = allCharacters.filter((character) => firstHidden(`a${character}b`) !== null)
  const blank = allCharacters.filter((character) => /[\p{Zs}\u2800\p{Co}\p{Cs}]/u.test(character))
  expect(blank).toHaveLength(17 + 1 + 6_400 + 2_048)
  expect(blank.filter((character) => !found.includes(character))).toEqual([" ", "\u3000"])
  expect(
    found.filter((character) => /[\p{L}\p{N}\p{P}\p{Sc}]/u.test(character) && !/\p{DI}/u.test(character)),
  ).toEqual([])
})
