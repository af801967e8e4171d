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

/** Neighbours of a joiner: in an emoji (Unicode UTS #51), in a script whose letters join, and in one with a virama. */
const emoji = "\\p{Extended_Pictographic}"
const joined = "[\\p{scx=Arab}\\p{scx=Syrc}\\p{scx=Mong}\\p{scx=Khmr}]"
const indic =
  "[\\p{scx=Deva}\\p{scx=Beng}\\p{scx=Guru}\\p{scx=Gujr}\\p{scx=Orya}\\p{scx=Taml}\\p{scx=Telu}\\p{scx=Knda}\\p{scx=Mlym}\\p{scx=Sinh}]"
const virama = "[\\u094d\\u09cd\\u0a4d\\u0acd\\u0b4d\\u0bcd\\u0c4d\\u0ccd\\u0d4d\\u0dca]"
/** Joiners, and the choice of an emoji's form, where they change what is seen (RFC 5892, A.1 and A.2). */
const seen = [
  `(?<=[${emoji}\\p{Emoji_Modifier}\\ufe0f])\\u200d(?=${emoji})`,
  `(?<=${joined})\\u200c(?=${joined})`,
  `(?<=${virama})[\\u200c\\u200d](?=${indic})|(?<=${indic})\\u200d(?=${virama})`,
  `(?<=(?!\\p{Emoji_Component})\\p{Emoji})[\\ufe0e\\ufe0f]|(?<=[\\d#*])\\ufe0f(?=\\u20e3)`,
].join("|")
/**
 * Drawn empty, or as a plain space though they are none (the wide one of Japanese is seen); or without a shape of their own:
 * private use, noncharacters and halves of a character (Unicode UAX #44, General_Category).
 */
const blank =
  "(?![ \\u3000])\\p{Zs}|[\\u2800\\ufff9-\\ufffb\\u{13430}-\\u{1343f}\\u{16fe4}\\u{1d159}]|" +
  "[\\p{Co}\\p{Cs}\\p{Noncharacter_Code_Point}]"
/** Characters that deceive or are not seen. */
const unseen = new RegExp(`${hidden.source}|${blank}|(?!${seen})\\p{Default_Ignorable_Code_Point}`, "u")

/** The code point of the first character that deceives or is not seen, such as `U+202E`; null if the text has none. */
export function firstHidden(text: string): string | null {
  const found = unseen.exec(text)?.[0].codePointAt(0)
  return found === undefined ? null : `U+${found.toString(16).padStart(4, "0").toUpperCase()}`
}

/** The escape of a character in JSON. */
export function toEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
}
