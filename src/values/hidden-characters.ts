/**
 * Characters that deceive the reader of a text: controls, which move a terminal's cursor; line separators; and those that
 * change the direction of text, so that it reads differently from what it is (Unicode UAX #9; CVE-2021-42574).
 */
const hidden = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu
/**
 * The same without those that JSON escapes itself. Written as ranges, and tested before replacing, since every line of the
 * request log comes here: with properties a line costs 0.25 µs more, 2 % of a call.
 */
const hiddenInJson = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/
const allHiddenInJson = new RegExp(hiddenInJson, "g")
/** The same without line breaks and tabs. */
const hiddenInLines = /[^\P{Cc}\n\t]|[\p{Zl}\p{Zp}\p{Bidi_Control}]/gu

/** Escapes all hidden characters as JSON does, line breaks too: `\u202e`. */
export function escapeHidden(text: string): string {
  return text.replace(hidden, toEscape)
}

/** Escapes those hidden characters that JSON does not escape. JSON keeps its value, and a coloured line its colours. */
export function escapeHiddenInJson(text: string): string {
  return hiddenInJson.test(text) ? text.replace(allHiddenInJson, toEscape) : text
}

/** Escapes the hidden characters of a text of several lines. */
export function escapeHiddenInLines(text: string): string {
  return text.replace(hiddenInLines, toEscape)
}

/** The code point of the first hidden character, such as `U+202E`; null if the text has none. */
export function firstHidden(text: string): string | null {
  const index = text.search(hidden)
  return index === -1 ? null : `U+${toHex(text.charAt(index)).toUpperCase()}`
}

/**
 * A character that shows by itself: no space, no format control such as U+200B, no lone mark or half of a character, and none
 * that is drawn empty, such as the Hangul fillers and the empty Braille pattern (Unicode UAX #44, Default_Ignorable_Code_Point).
 */
const visible = /[^\p{White_Space}\p{Cc}\p{Cf}\p{Cs}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/u

/** Whether a text has a character that a reader sees. */
export function isVisible(text: string): boolean {
  return visible.test(text)
}

function toEscape(character: string): string {
  return `\\u${toHex(character)}`
}

function toHex(character: string): string {
  return character.charCodeAt(0).toString(16).padStart(4, "0")
}
