import { fromUtf8 } from "../../values/byte-text.ts"

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
