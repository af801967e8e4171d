import { RE2JS } from "re2js"
import { reject } from "../contract.ts"

/** A pattern of a schema that is ready for use. Its time grows with the length of the text alone. */
export interface Pattern {
  test(text: string): boolean
}

/**
 * Makes a pattern ready. JSON Schema has the expressions of ECMAScript with the flag `u` (JSON Schema 2020-12 §6.4). They are
 * translated for re2js: the runtime's own expressions give up after 0.6 s and say that a text does not match.
 * @throws InputRejected for what is no expression, and for lookarounds and back-references, which re2js does not have
 */
export function toPattern(source: string): Pattern {
  const shown = source.length > 100 ? `${source.slice(0, 100)}…` : source
  try {
    new RegExp(source, "u")
  } catch {
    reject("schema", `must have patterns that are regular expressions of ECMAScript, and has '${shown}'`)
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
    reject("schema", `has the pattern '${shown}', which is not supported: ${thrown.message.slice(0, 200)}`)
  }
}

const lookaroundOrReference = /\(\?<?[=!]|\\k<|\\[1-9]/

const spaces =
  "\\t-\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}"
const notSpaces =
  "\\x00-\\x08\\x0e-\\x1f!-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}"

/** Writes what means something else in RE2: `\s`, `.` and the long names of properties. */
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

/** General categories by their long names (Unicode Standard Annex 44, table 12). */
const categories: Readonly<Record<string, string>> = {
  ...{
    Letter: "L",
    Uppercase_Letter: "Lu",
    Lowercase_Letter: "Ll",
    Titlecase_Letter: "Lt",
    Modifier_Letter: "Lm",
  },
  ...{
    Other_Letter: "Lo",
    Mark: "M",
    Nonspacing_Mark: "Mn",
    Spacing_Mark: "Mc",
    Enclosing_Mark: "Me",
    Number: "N",
  },
  ...{
    Decimal_Number: "Nd",
    digit: "Nd",
    Letter_Number: "Nl",
    Other_Number: "No",
    Punctuation: "P",
    punct: "P",
  },
  ...{ Connector_Punctuation: "Pc", Dash_Punctuation: "Pd", Open_Punctuation: "Ps", Close_Punctuation: "Pe" },
  ...{
    Initial_Punctuation: "Pi",
    Final_Punctuation: "Pf",
    Other_Punctuation: "Po",
    Symbol: "S",
    Math_Symbol: "Sm",
  },
  ...{
    Currency_Symbol: "Sc",
    Modifier_Symbol: "Sk",
    Other_Symbol: "So",
    Separator: "Z",
    Space_Separator: "Zs",
  },
  ...{ Line_Separator: "Zl", Paragraph_Separator: "Zp", Control: "Cc", Format: "Cf", Private_Use: "Co" },
}

function toShortName(token: string): string {
  const name = token.slice(3, -1).replace(/^(?:General_Category|gc|Script|sc)=/, "")
  return `${token.slice(0, 3)}${categories[name] ?? name}}`
}
