import { reject } from "../contract.ts"

/** Refuses the record. `requirement` continues the sentence "The 'record' parameter". */
export function refuse(requirement: string): never {
  return reject("record", requirement)
}

/**
 * Splits one zone-file entry (RFC 1035 §5.1) into its fields, in time linear in its length. Comments, blank lines and
 * parentheses are removed; quotes and backslashes are kept in their field.
 * @throws InputRejected for `record` when the text is not exactly one entry
 */
export function toZoneFields(text: string): string[] {
  const fields: string[] = []
  let depth = 0
  let isEnded = false
  let at = 0
  while (at < text.length) {
    const character = text.charAt(at)
    if (character === "\n") {
      isEnded = depth === 0 && fields.length > 0
      at++
    } else if (isBlank(character)) {
      at++
    } else if (character === ";") {
      const end = text.indexOf("\n", at)
      at = end === -1 ? text.length : end
    } else if (isEnded) {
      refuse("must be one record: it may continue on the next line only inside parentheses")
    } else if (character === "(" || character === ")") {
      depth += character === "(" ? 1 : -1
      if (depth < 0) refuse("must have an opening parenthesis before each closing one")
      at++
    } else {
      const end = endOfField(text, at)
      fields.push(requireVisible(text.slice(at, end)))
      at = end
    }
  }
  if (depth > 0) refuse("must close each parenthesis, and not inside a comment")
  return fields
}

function endOfField(text: string, start: number): number {
  let at = start
  while (at < text.length) {
    const character = text.charAt(at)
    if (character === "\\") at += 2
    else if (character === '"') at = endOfQuoted(text, at)
    else if (character === "\n" || isBlank(character) || ";()".includes(character)) break
    else at++
  }
  return Math.min(at, text.length)
}

function endOfQuoted(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const character = text.charAt(at)
    if (character === "\\") at++
    else if (character === '"') return at + 1
    else if (character === "\n") break
  }
  return refuse("must close each quote on its line; hexadecimal data needs no quotes")
}

function isBlank(character: string): boolean {
  return character === " " || character === "\t" || character === "\r"
}

/** No-break spaces and zero-width characters, copied from a web page, look right but break the zone file. */
function requireVisible(field: string): string {
  const invisible = /[\p{Cc}\p{Cf}\p{Z}]/u.exec(field)?.[0]
  // A plain space in a field is inside quotes or after a backslash.
  if (invisible === undefined || isBlank(invisible)) return field
  const code = invisible.codePointAt(0) ?? 0
  const name = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`
  return refuse(`must not contain the invisible character ${name}; use plain spaces`)
}
