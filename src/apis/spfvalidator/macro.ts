import { limits, type Macro, type MacroLetter, type MacroString, type SyntaxCode } from "./record.ts"

/** A term that breaks the grammar; the message goes on after it and says how. */
export class TermError extends Error {
  override readonly name = "TermError"
  readonly code: SyntaxCode

  constructor(code: SyntaxCode, detail: string) {
    super(detail)
    this.code = code
  }
}

function fail(detail: string): never {
  throw new TermError("INVALID_MACRO", detail)
}

const token = /%\{([a-z])(\d*)(r?)([-.+,/_=]*)\}|%([%_-])|([\x20-\x24\x26-\x7e]+)/iy
const escapes: Readonly<Record<string, string>> = { "%": "%", _: " ", "-": "%20" }

/**
 * Parses a macro-string, or with `isExplanation` an explain-string, which may use `c`, `r` and `t` too (RFC 7208 §7.1, §7.2).
 * @returns also the literal text after the last macro, which has to end like a domain name; null without such text
 * @throws TermError
 */
export function parseMacroString(text: string, isExplanation: boolean) {
  const macro: (string | Macro)[] = []
  let tail: string | null = ""
  token.lastIndex = 0
  while (token.lastIndex < text.length) {
    const at: number = token.lastIndex
    const match = token.exec(text)
    if (match === null) fail(`'${text.slice(at, at + 12)}' is not a macro`)
    const [, , , , , percent, literal] = match
    tail = literal ?? null
    if (literal !== undefined) macro.push(literal)
    else if (percent !== undefined) macro.push(escapes[percent] ?? "")
    else macro.push(toMacro(match, isExplanation))
  }
  return { macro, tail }
}

function toMacro(match: RegExpExecArray, isExplanation: boolean): Macro {
  const [whole, letter = "", digits = "", reversed, delimiters] = match
  const lower = letter.toLowerCase()
  if (!isMacroLetter(lower)) fail(`'${whole}' has an unknown macro letter`)
  if ("crt".includes(lower) && !isExplanation) fail(`'${whole}' is allowed in explanation text only`)
  if (/^0+$/.test(digits)) fail(`'${whole}' keeps no part of its value`)
  return {
    letter: lower,
    isEscaped: lower !== letter,
    parts: Number(digits),
    isReversed: reversed !== "",
    delimiters: delimiters || ".",
  }
}

function isMacroLetter(letter: string): letter is MacroLetter {
  return "slodipvhcrt".includes(letter)
}

/** The macro letters that a macro-string uses. */
export function lettersOf(macro: MacroString): ReadonlySet<MacroLetter> {
  return new Set(macro.flatMap((part) => (typeof part === "string" ? [] : [part.letter])))
}

export type MacroValues = (letter: MacroLetter) => string

/** 253 bytes, a trailing dot, and the dot before the first label that is kept. */
const maxUsefulLength = 255

/**
 * Replaces the macros of a domain-spec by their values (RFC 7208 §7.3). Works from the right and stops early, since only
 * the last 253 bytes of a name count: an attacker's record of thousands of macros costs no more.
 */
export function expandDomainSpec(macro: MacroString, values: MacroValues): string {
  let name = ""
  for (const part of macro.toReversed()) {
    name = expandPart(part, values) + name
    if (name.length > maxUsefulLength) break
  }
  return name
}

function expandPart(part: string | Macro, values: MacroValues): string {
  if (typeof part === "string") return part
  // A backslash before each delimiter, since a hyphen has a meaning inside brackets.
  const pieces = values(part.letter).split(new RegExp(`[${part.delimiters.replace(/./g, "\\$&")}]`))
  if (part.isReversed) pieces.reverse()
  const text = pieces.slice(-part.parts).join(".")
  return part.isEscaped ? urlEscape(text) : text
}

/** Escapes the bytes of all but the unreserved characters of RFC 3986 §2.3. */
function urlEscape(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/** An explanation with its macros replaced; null when the result is too long. */
export function expandExplanation(macro: MacroString, values: MacroValues): string | null {
  const expanded = macro.map((part) => expandPart(part, values)).join("")
  return expanded.length <= limits.explanationBytes ? expanded : null
}

/** Parses the text of an explanation; null when receivers drop it, for bytes outside ASCII or a syntax error (RFC 7208 §6.2). */
export function parseExplanation(text: string): MacroString | null {
  if (text.length > limits.explanationBytes) return null
  try {
    return parseMacroString(text, true).macro
  } catch (error) {
    if (error instanceof TermError) return null
    throw error
  }
}
