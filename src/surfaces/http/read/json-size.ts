import { inputFault } from "../../../call/fault.ts"

/** Texts up to this size are parsed within a few milliseconds, whatever is in them. */
export const quickBytes = 50_000
const maxParts = 20_000
const maxDepth = 100

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const colon = 0x3a
const openingBracket = 0x5b
const closingBracket = 0x5d
const openingBrace = 0x7b
const closingBrace = 0x7d

/**
 * Refuses a JSON text that would take long to parse: 2 MB of small objects take over 0.1 s, in which nothing else runs. A batch
 * of 200 inputs has a few thousand parts. Lists of texts are parsed fast and are not limited.
 * @param json UTF-8, whose bytes over 0x7F are never part of an ASCII character
 * @throws Fault 400 for `body`
 */
export function requireModerate(json: Uint8Array): void {
  if (json.length <= quickBytes) return
  let parts = 0
  let depth = 0
  for (let at = 0; at < json.length && parts <= maxParts; at++) {
    switch (json[at]) {
      case quote:
        at = endOfString(json, at)
        break
      case openingBracket:
      case openingBrace:
        parts++
        depth++
        if (depth > maxDepth) throw inputFault("body", `must be JSON of at most ${maxDepth} levels`)
        break
      case closingBracket:
      case closingBrace:
        depth--
        break
      case colon:
        parts++
        break
      case comma:
        while (isBlank(json[at + 1])) at++
        if (json[at + 1] !== quote) parts++
        break
    }
  }
  if (parts <= maxParts) return
  const most = maxParts.toLocaleString("en-US")
  throw inputFault("body", `must be JSON of at most ${most} objects, arrays, member names and numbers`)
}

/** So many bytes of a string are looked at one by one. After that, the search of the runtime is faster. */
const searchAfter = 32

/** The place of the closing quote, or the end of the text when it is missing. */
function endOfString(json: Uint8Array, start: number): number {
  let at = start + 1
  while (at < json.length) {
    for (const end = at + searchAfter; at < end; at++) {
      if (json[at] === quote) return at
      if (json[at] === backslash) at++
    }
    const end = json.indexOf(quote, at)
    if (end === -1) break
    let first = end
    while (first > at && json[first - 1] === backslash) first--
    if ((end - first) % 2 === 0) return end
    at = end + 1
  }
  return json.length
}

/** Space, tab, line feed and carriage return (RFC 8259 §2). */
function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d
}
