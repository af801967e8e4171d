import { fromUtf8 } from "../../values/byte-text.ts"

/** A part of a list such as `v=DKIM1; p=…`. */
export interface Tag {
  readonly name: string
  /** Null for a part without `=`. */
  readonly value: string | null
  /** The whole part, without blanks around it. */
  readonly text: string
}

/** The parts of a list of tags (RFC 6376 §3.2), without blanks around names and values. One semicolon may end the list. */
export function readTagList(text: string): readonly Tag[] {
  const parts = text.split(";").map(trimBlanks)
  if (parts.length > 1 && parts.at(-1) === "") parts.pop()
  return parts.map((part) => {
    const at = part.indexOf("=")
    const name = trimBlanks(at < 0 ? part : part.slice(0, at))
    return { name, value: at < 0 ? null : trimBlanks(part.slice(at + 1)), text: part }
  })
}

/**
 * Quotes a part of a list of tags that is not name and value, or has a wrong value, and names the usual cause.
 * @param otherwise the sentence for a part that has none of the usual causes
 */
export function explainPart(part: string, otherwise = "Write a name, an equals sign and a value."): string {
  if (part === "") return "Between two semicolons there is nothing: leave one out."
  const cause = partCauses.find(([form]) => form.test(part))?.[1] ?? otherwise
  return `'${showBytes(part)}' is wrong. ${cause}`
}

const partCauses: readonly (readonly [form: RegExp, cause: string])[] = [
  [/\\/, "Leave out the backslash: it is for zone files alone."],
  [/["'`]|\xe2\x80[\x98-\x9f]/, "Leave out the quotation marks."],
  [/^(?:mailto|https?):/i, "Put a comma between addresses: a semicolon ends the list."],
  [/=[^=]*[\s,:][a-z][a-z\d]{0,5}[ \t]*=/i, "A semicolon is missing between two tags."],
  [/^[a-z][a-z\d]{0,5}[ \t]*:/i, "Write an equals sign for the colon."],
  [/^[^\s=]+[ \t]+[^\s=]/, "A semicolon is missing, or there is a blank too many."],
  [/^[^=]*=$/, "There is no value: add one, or leave the tag out."],
  [/[^\t\x20-\x7e]/, "It has a character that is not ASCII."],
]

/** The text without spaces and tabs (WSP of RFC 5234) around it. In linear time, which no regular expression for it takes. */
export function trimBlanks(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isBlank(text, start)) start++
  while (end > start && isBlank(text, end - 1)) end--
  return text.slice(start, end)
}

function isBlank(text: string, at: number): boolean {
  const character = text.charAt(at)
  return character === " " || character === "\t"
}

/** Makes a stranger's bytes fit for a sentence: of bounded length, control characters escaped as in RFC 1035 §5.1. */
export function showBytes(bytes: string, limit = 200): string {
  return showText(toDisplayText(bytes), limit)
}

/** The same for a text that is decoded already. */
export function showText(decoded: string, limit = 200): string {
  const text = decoded.replace(
    /\p{Cc}/gu,
    (character) => `\\${String(character.charCodeAt(0)).padStart(3, "0")}`,
  )
  return text.length <= limit ? text : `${text.slice(0, limit - 1).toWellFormed()}…`
}

/** Decodes bytes from the DNS as UTF-8 where they are valid UTF-8, and otherwise returns one character per byte. */
export function toDisplayText(bytes: string): string {
  if (!/[\u0080-\u00ff]/.test(bytes)) return bytes
  return fromUtf8(Uint8Array.from(bytes, (character) => character.charCodeAt(0))) ?? bytes
}
