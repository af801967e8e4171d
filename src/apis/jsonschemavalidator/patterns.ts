import { RE2JS } from "re2js"
import { shorten } from "../../values/text.ts"
import { reject } from "../contract.ts"
import stored from "./categories.json"

/** A compiled pattern of a schema. It takes linear time. */
export interface Pattern {
  test(text: string): boolean
}

/**
 * Compiles a pattern. JSON Schema has the regular expressions of ECMAScript with the flag `u` (2020-12 §6.4). They are translated
 * for re2js: the runtime's own give up on some after 0.6 s and say that a text does not match.
 * @throws InputRejected if it is not a regular expression, or has lookarounds or back-references, which re2js lacks
 */
export function toPattern(source: string): Pattern {
  const shown = shorten(source, 100)
  try {
    new RegExp(source, "u")
  } catch {
    reject("schema", `must have regular expressions of ECMAScript as patterns, and has '${shown}'`)
  }
  if (lookaroundOrReference.test(source.replace(/\\[^k\d]/g, "")))
    reject(
      "schema",
      `must have patterns without lookaheads, lookbehinds and back-references, and has '${shown}'`,
    )
  try {
    return RE2JS.compile(RE2JS.translateRegExp(translate(source)))
  } catch (thrown) {
    if (!(thrown instanceof Error) || !thrown.name.startsWith("RE2JS")) throw thrown
    const [, limit] = limits.find(([message]) => message.test(thrown.message)) ?? []
    reject("schema", `must have patterns with ${limit ?? "fewer parts in one another"}, and has '${shown}'`)
  }
}

/** The limits of re2js that its messages tell of. */
const limits: readonly (readonly [message: RegExp, limit: string])[] = [
  [/repeat/, "at most 1,000 repetitions of a part"],
  [/class range/, "no properties of characters but general categories and scripts"],
  [/capture/, "groups whose names differ and have only letters of ASCII, digits and _"],
]

const lookaroundOrReference = /\(\?<?[=!]|\\k<|\\[1-9]/

const spaces =
  "\\t-\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}"
const notSpaces =
  "\\x00-\\x08\\x0e-\\x1f!-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}"

/** Rewrites the parts that differ in RE2: `\s`, `.` and the long names of properties. */
function translate(source: string): string {
  let isInClass = false
  return source.replace(/\\[pP]\{[^}]*\}|\\.|\[|\]|\./gsu, (token) => {
    if (token === "[") isInClass = true
    if (token === "]") isInClass = false
    if (token === "\\s") return isInClass ? spaces : `[${spaces}]`
    if (token === "\\S") return isInClass ? notSpaces : `[${notSpaces}]`
    if (token === "\\b" && isInClass) return "\\x08"
    if (token === "." && !isInClass) return "[^\\n\\r\\x{2028}\\x{2029}]"
    return /^\\[pP]\{/.test(token) ? toShortName(token) : token
  })
}

/** General categories: their short names by their long ones (Unicode Standard Annex 44, table 12). */
const categories = new Map(Object.entries(stored))

function toShortName(token: string): string {
  const name = token.slice(3, -1).replace(/^(?:General_Category|gc|Script|sc)=/, "")
  return `${token.slice(0, 3)}${categories.get(name) ?? name}}`
}
