import type { WireName } from "./name.ts"

/** A word of a zone file. Escapes such as `\.` and `\032` are still in it. */
export interface Word {
  readonly text: string
  readonly isQuoted: boolean
}

/** The words of a record's data in a zone file (RFC 1035 §5.1), on one line. Throws an Error that goes on after "must have". */
export function splitWords(text: string): Word[] {
  if (!/^[\x20-\x7e\t]*$/.test(text)) throw new Error("ASCII characters, others as \\ and three digits")
  const words: Word[] = []
  // A quoted part may also stand inside a word, as in `alpn="h2"`.
  const word = /(?:"(?:[^"\\]|\\.)*"|[^\s"\\]|\\.)+/y
  for (let at = 0; ; ) {
    at += /^\s*/.exec(text.slice(at))?.[0].length ?? 0
    if (at === text.length) return words
    word.lastIndex = at
    const [found] = word.exec(text) ?? []
    if (found === undefined) throw new Error("quotation marks in pairs, and something after each \\")
    at += found.length
    const isQuoted = found.startsWith('"')
    words.push({ text: found.replace(/"((?:[^"\\]|\\.)*)"|\\./g, (part, inner) => inner ?? part), isQuoted })
  }
}

/** A text without its escapes; each UTF-16 unit is one byte. Throws an Error for a number above 255. */
export function unescapeText(text: string): string {
  return text.replace(/\\(\d{3}|.)/gs, (_, escaped: string) => {
    if (!/^\d{3}$/.test(escaped)) return escaped
    if (Number(escaped) > 255) throw new Error(`no byte \\${escaped}`)
    return String.fromCharCode(Number(escaped))
  })
}

/** Bytes as text in quotation marks. */
export function quoteText(bytes: string): string {
  return `"${escapeBytes(bytes, /["\\]/g)}"`
}

/** A name as a zone file writes it, with a trailing dot. */
export function printName(wire: WireName): string {
  let text = ""
  for (let at = 0; wire.charCodeAt(at) > 0; at += 1 + wire.charCodeAt(at)) {
    const label = wire.slice(at + 1, at + 1 + wire.charCodeAt(at))
    text += `${escapeBytes(label, /["().;\\@$]/g).replaceAll(" ", "\\032")}.`
  }
  return text === "" ? "." : text
}

/** A name of a zone file to wire format, in its own spelling. Throws an Error that goes on after "must have". */
export function parseName(text: string): WireName {
  if (text === ".") return "\0"
  const labels = text.match(/(?:[^.\\]|\\\d{3}|\\.)+|\.(?=\.)|^\./g) ?? []
  const bytes = labels.map(unescapeText)
  const wire = `${bytes.map((label) => String.fromCharCode(label.length) + label).join("")}\0`
  const isName = labels.every((label) => label !== ".") && bytes.every(({ length }) => length <= 63)
  if (labels.length === 0 || !isName || wire.length > 255)
    throw new Error(`a domain name, not ${JSON.stringify(text)}`)
  return wire
}

function escapeBytes(bytes: string, special: RegExp): string {
  return bytes
    .replace(special, "\\$&")
    .replace(/[^\x20-\x7e]/g, (byte) => `\\${byte.charCodeAt(0).toString().padStart(3, "0")}`)
}
