import { trimBlanks } from "./trim-blanks.ts"

/** A part of a list such as `v=DKIM1; p=…`. */
export interface Tag {
  readonly name: string
  /** Null for a part without `=`. */
  readonly value: string | null
}

/** The parts of a list of tags (RFC 6376 §3.2), without blanks around names and values. One semicolon may end the list. */
export function readTagList(text: string): readonly Tag[] {
  const parts = text.split(";").map(trimBlanks)
  if (parts.length > 1 && parts.at(-1) === "") parts.pop()
  return parts.map((part) => {
    const at = part.indexOf("=")
    const name = trimBlanks(at < 0 ? part : part.slice(0, at))
    return { name, value: at < 0 ? null : trimBlanks(part.slice(at + 1)) }
  })
}
