import { limits } from "./limits.ts"
import type { Macro, MacroLetter, MacroString } from "./record.ts"

/** A macro-string that is not in the grammar; the message says why. */
export class MacroSyntaxError extends Error {
  override readonly name = "MacroSyntaxError"
}

const token = /%\{([a-z])(\d*)(r?)([-.+,/_=]*)\}|%([%_-])|([\x20-\x24\x26-\x7e]+)/iy
const escapes: Readonly<Record<string, string>> = { "%": "%", _: " ", "-": "%20" }

export interface ParsedMacroString {
  readonly macro: MacroString
  /** Text after the last macro-expand, to which the rules of a domain's end apply; null when it ends in a macro-expand. */
  readonly tail: string | null
}

/**
 * Parses a macro-string, or with `explanation` an explain-string, where `c`, `r` and `t` are allowed
 * (RFC 7208 §7.1, §7.2).
 * @throws MacroSyntaxError
 */
export function parseMacroString(text: string, explanation: boolean): ParsedMacroString {
  const macro: (string | Macro)[] = []
  let tail: string | null = ""
  token.lastIndex = 0
  while (token.lastIndex < text.length) {
    const at: number = token.lastIndex
    const match = token.exec(text)
    if (match === null) throw new MacroSyntaxError(`'${text.slice(at, at + 12)}' is no macro`)
    const [whole, letter, digits = "", reversed, delimiters, percent, literal] = match
    tail = literal ?? null
    if (literal !== undefined) macro.push(literal)
    else if (percent !== undefined) macro.push(escapes[percent] ?? "")
    else macro.push(toMacro(whole, letter ?? "", digits, reversed !== "", delimiters || ".", explanation))
  }
  return { macro, tail }
}

function toMacro(
  whole: string,
  letter: string,
  digits: string,
  reversed: boolean,
  delimiters: string,
  explanation: boolean,
): Macro {
  const lower = letter.toLowerCase()
  if (!isMacroLetter(lower)) throw new MacroSyntaxError(`'${whole}' has an unknown macro letter`)
  if ("crt".includes(lower) && !explanation) {
    throw new MacroSyntaxError(`'${whole}' is allowed in explanation text only`)
  }
  if (/^0+$/.test(digits)) throw new MacroSyntaxError(`'${whole}' keeps no part`)
  return { letter: lower, escaped: lower !== letter, parts: Number(digits), reversed, delimiters }
}

function isMacroLetter(letter: string): letter is MacroLetter {
  return "slodipvhcrt".includes(letter)
}

/** The macro letters that a macro-string uses. */
export function lettersOf(macro: MacroString): ReadonlySet<MacroLetter> {
  return new Set(macro.flatMap((part) => (typeof part === "string" ? [] : [part.letter])))
}

export type MacroValues = (letter: MacroLetter) => string

/**
 * Replaces the macros of a domain-spec by their values (RFC 7208 §7.3), from the right: only the last 253 octets of a
 * name are used, so a record of thousands of macros costs no more than that.
 */
export function expandDomainSpec(macro: MacroString, values: MacroValues): string {
  let name = ""
  for (const part of macro.toReversed()) {
    name = expandPart(part, values) + name
    if (name.length > longestUseful) break
  }
  return name
}

/** 253 octets, a trailing dot, and the dot that ends the first label to be dropped. */
const longestUseful = 255

function expandPart(part: string | Macro, values: MacroValues): string {
  return typeof part === "string" ? part : transform(part, values(part.letter))
}

function transform({ delimiters, reversed, parts, escaped }: Macro, value: string): string {
  let pieces = splitAtAny(value, delimiters)
  if (reversed) pieces = pieces.reverse()
  if (parts > 0) pieces = pieces.slice(-parts)
  const text = pieces.join(".")
  return escaped ? urlEscape(text) : text
}

function splitAtAny(value: string, delimiters: string): string[] {
  const pieces: string[] = []
  let start = 0
  for (let index = 0; index < value.length; index++) {
    if (!delimiters.includes(value.charAt(index))) continue
    pieces.push(value.slice(start, index))
    start = index + 1
  }
  return [...pieces, value.slice(start)]
}

/** Everything but the unreserved characters of RFC 3986 §2.3, as octets of UTF-8. */
function urlEscape(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/** An explanation with its macros replaced; null when it grows beyond all use. */
export function expandExplanation(macro: MacroString, values: MacroValues): string | null {
  const expanded = macro.map((part) => expandPart(part, values)).join("")
  return expanded.length <= limits.explanationOctets ? expanded : null
}

/**
 * Explanation text as fetched, taken apart; null where RFC 7208 §6.2 says to go on as if there were none: octets beyond
 * ASCII, or a syntax error.
 */
export function parseExplanation(text: string): MacroString | null {
  if (text.length > limits.explanationOctets) return null
  try {
    return parseMacroString(text, true).macro
  } catch (error) {
    if (error instanceof MacroSyntaxError) return null
    throw error
  }
}
