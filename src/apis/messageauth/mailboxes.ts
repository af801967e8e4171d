// A field is read as one letter for each token: `a` an atom, `q` a quoted string, `l` a domain literal, or a special character.
const domain = "(?:a(?:\\.a)*|l)"
const addrSpec = `[aq](?:\\.[aq])*@${domain}`
const route = `,*@${domain}(?:,(?:@${domain})?)*:`
/** The name before the angle bracket may be an address without quotation marks, which many programs write. */
const mailbox = new RegExp(
  `(?:(?:[aq][aq.]*|(?<name>${addrSpec}))?<(?:${route})?(?<angle>${addrSpec})>|(?<bare>${addrSpec}))(?=[,;]|$)`,
  "dy",
)
const separator = /[aq][aq.]*:|,|;(?=,|$)/y

/**
 * Reads the addresses of a field such as From, in groups too (RFC 5322 §3.4, the obsolete forms of §4.4, RFC 6532 and RFC 6854).
 * @param text the value of the field, which may be folded
 * @returns each without comments and blanks, its local part quoted only where it must be. Null if any part of the field is no
 *   mailbox: then readers may take different addresses for the author's
 * @example readAddresses("Ann (at (home)) <ann@a.example>") // ["ann@a.example"]
 */
export function readAddresses(text: string): readonly string[] | null {
  const tokens = tokensOf(text)
  if (tokens === null) return null
  const shape = tokens.map(({ letter }) => letter).join("")
  const found: string[] = []
  let isInGroup = false
  for (let at = 0; at < shape.length; ) {
    separator.lastIndex = at
    const [mark] = separator.exec(shape) ?? []
    if (mark !== undefined) {
      // A group is not in another one, and its semicolon ends it.
      if (mark !== "," && isInGroup !== (mark === ";")) return null
      if (mark !== ",") isInGroup = mark !== ";"
      at += mark.length
      continue
    }
    mailbox.lastIndex = at
    const { indices } = mailbox.exec(shape) ?? {}
    const range = indices?.groups?.angle ?? indices?.groups?.bare
    if (range === undefined) return null
    const address = toAddress(tokens.slice(...range))
    const name = indices?.groups?.name
    // Such a name must not be in another domain: nobody could tell which address is meant.
    if (name && domainOf(toAddress(tokens.slice(...name))) !== domainOf(address)) return null
    found.push(address)
    at = mailbox.lastIndex
  }
  return isInGroup ? null : found
}

/**
 * Reads the one address of Return-Path or MAIL FROM, with angle brackets or without.
 * @returns an empty text for the empty path of a bounce, null if it is no address
 */
export function readPath(text: string): string | null {
  if (/^[ \t\r\n]*(?:<[ \t\r\n]*>[ \t\r\n]*)?$/.test(text)) return ""
  const [address, second] = readAddresses(text) ?? []
  return address === undefined || second !== undefined ? null : address
}

interface Token {
  readonly letter: string
  /** The text that it means: of a quoted string, without its marks. */
  readonly text: string
}

const blanks = /[ \t]+/y
const word =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not be in a word
  /(?<a>[\w!#$%&'*+\-/=?^`{|}~\u{a0}-\u{10ffff}]+)|"(?<q>(?:[^"\\\0-\x08\x0a-\x1f\x7f]|\\[^\0-\x08\x0a-\x1f\x7f])*)"|(?<l>\[[^[\]\\@\0-\x1f\x7f]*\])|[.@<>,:;]/uy

/** The tokens of a text without comments and blanks between them; null where it has any other character. */
function tokensOf(text: string): readonly Token[] | null {
  const unfolded = text.replace(/\r\n/g, "")
  const tokens: Token[] = []
  for (let at = 0; at < unfolded.length; ) {
    blanks.lastIndex = at
    word.lastIndex = at
    const match = word.exec(unfolded)
    if (unfolded[at] === "(") {
      at = endOfComment(unfolded, at)
      if (at < 0) return null
    } else if (blanks.test(unfolded)) at = blanks.lastIndex
    else if (match === null) return null
    else {
      const [all, { a, q, l } = {}] = [match[0], match.groups]
      if (q !== undefined) tokens.push({ letter: "q", text: q.replace(/\\(.)/gsu, "$1") })
      else tokens.push({ letter: a ? "a" : l ? "l" : all, text: all })
      at += all.length
    }
  }
  return tokens
}

/** The place after a comment, -1 without its end. Comments nest, and a backslash takes the next character as it is (§3.2.2). */
function endOfComment(text: string, start: number): number {
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const character = text[at]
    if (character === "\\") at++
    else if (character === "(") depth++
    else if (character === ")" && --depth === 0) return at + 1
  }
  return -1
}

function toAddress(tokens: readonly Token[]): string {
  const at = tokens.findIndex(({ letter }) => letter === "@")
  const [local = "", domainText = ""] = [tokens.slice(0, at), tokens.slice(at + 1)].map((part) =>
    part.map(({ text }) => text).join(""),
  )
  const isPlain = /^[^\s"(),:;<>@[\\\].]+(?:\.[^\s"(),:;<>@[\\\].]+)*$/.test(local)
  return `${isPlain ? local : `"${local.replace(/["\\]/g, "\\$&")}"`}@${domainText}`
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf("@") + 1).toLowerCase()
}
