import { jsonpath as library } from "json-p3"
import { escapeHidden } from "../../values/hidden-characters.ts"
import { largeNumberSentence } from "../../values/json-value.ts"
import { shorten } from "../../values/text.ts"
import { type RunOf, reject } from "../contract.ts"
import { correctParser, FoundMistake } from "./corrections.ts"
import type { jsonpath } from "./index.ts"
import { problem } from "./problems.ts"
import { createRegexpFunctions } from "./regular-expressions.ts"

/** Documents have at most 100 levels. */
const maxRecursionDepth = 200
const maxValues = 10_000

export const run: RunOf<typeof jsonpath> = ({ document, path }) => {
  const environment = new library.JSONPathEnvironment({ maxRecursionDepth })
  correctParser(environment)
  const { match, search, wrong } = createRegexpFunctions()
  environment.functionRegister.set("match", match)
  environment.functionRegister.set("search", search)
  const query = compile(environment, path)

  const values: unknown[] = []
  const paths: string[] = []
  for (const node of query.lazyQuery(document as Json)) {
    if (values.length === maxValues)
      reject("path", `must match at most ${maxValues.toLocaleString("en-US")} values`)
    values.push(node.value)
    paths.push(node.getPath({ form: "canonical" }))
  }
  const problems = [...wrong].map((pattern) =>
    problem("regular_expression", "path", `The pattern '${shown(pattern)}' is not an I-Regexp (RFC 9485).`),
  )
  return { values, paths, problems: [...problems, ...largeNumbers(document, path)] }
}

/** Warnings for numbers that may have lost digits, so that they are equal to others or shown wrong. */
function largeNumbers(document: unknown, path: string) {
  const sentence = largeNumberSentence(document)
  const inPath = path
    .replace(quotedText, "")
    .match(wholeNumber)
    ?.find((digits) => BigInt(digits) > Number.MAX_SAFE_INTEGER)
  return [
    ...(sentence === null ? [] : [problem("large_number", "document", sentence)]),
    ...(inPath === undefined
      ? []
      : [
          problem(
            "large_number",
            "path",
            `The number ${shown(inPath)} is beyond 2^53 and is compared without its last digits.`,
          ),
        ]),
  ]
}

const quotedText = /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/gs
const wholeNumber = /(?<![\w.])\d{16,}(?![\w.])/g

/** The library's type for JSON, from which parameters are read. */
type Json = Parameters<library.JSONPathQuery["lazyQuery"]>[0]

function compile(environment: library.JSONPathEnvironment, path: string): library.JSONPathQuery {
  try {
    return environment.compile(path)
  } catch (thrown) {
    if (!(thrown instanceof library.JSONPathError)) throw thrown
    const place = Math.min(thrown.token.index, path.length)
    reject("path", `must be a JSONPath (RFC 9535); character ${place + 1}: ${shown(toReason(thrown, path))}`)
  }
}

function shown(text: string): string {
  return shorten(escapeHidden(text), 150)
}

/** Sentences for the messages of json-p3, which are written for its developers. */
const reasons: readonly (readonly [RegExp, (found: RegExpExecArray, character: string) => string])[] = [
  [/^expected '\$'/, () => "a path begins with '$'"],
  [/backup beyond start|end of (?:query|expression)|'token\.eof'$/i, () => "the path ends too early"],
  [/trailing whitespace/, () => "a path does not end with a blank"],
  [/whitespace after dot/, () => "no blank must follow a full stop"],
  [/^expected '\.'/, (_, character) => `'.', '..' or '[' must follow, and not ${character}`],
  [/descend[ae]nt/, () => "a name, '*' or '[' must follow '..'"],
  [/shorthand selector/, () => "a name or '*' must follow '.'"],
  [/unbalanced|unclosed bracket/, () => "a bracket or parenthesis has no counterpart"],
  [/empty bracketed/, () => "brackets need a selector, such as [0], ['name'] or [*]"],
  [/empty paren/, () => "parentheses need an expression in them"],
  [/fractional digit/, () => "a digit must follow the decimal point"],
  [/unclosed string/, () => "a quotation mark has no counterpart"],
  [
    /escape|codepoint|\\uXXXX|invalid character/,
    () => "a backslash must begin an escape of JSON, such as \\n or \\u00e9",
  ],
  [/index out of range/, () => "indexes are whole numbers from -(2^53-1) to 2^53-1"],
  [/leading zero/, () => "an index must not be -0, nor begin with 0 before other digits"],
  [/number literal/, () => "a number must be written as in JSON"],
  [/^no such function '(\w+)'|^filter function '(\w+)'/, toUnknownFunction],
  [
    /^(\w+)\(\) takes (\d+)/,
    ([, name, count]) => `${name}() takes ${count === "1" ? "1 argument" : `${count} arguments`}`,
  ],
  [/^(\w+)\(\) argument (\d+) must be of (\w+)Type/, toArgument],
  [
    /^result of (\w+)\(\)\s+must be compared/,
    ([, name]) => `the result of ${name}() must be compared, as in ${name}(@) == 1`,
  ],
  [/^result of (\w+)\(\) is not/, ([, name]) => `${name}() is true or false and cannot be compared`],
  [/literals .* must be compared/, () => "a value in a filter must be compared, as in @.a == 1"],
  [/non-singular/, () => "only a path to one value can be compared: without '*', '..', slices and filters"],
]

/** Why a path is refused, as a clause for the sentence of the refusal. It has no text of the library. */
function toReason(mistake: library.JSONPathError, path: string): string {
  if (mistake instanceof FoundMistake) return mistake.reason
  const at = String.fromCodePoint(path.codePointAt(mistake.token.index) ?? 0x20)
  const character = mistake.token.index >= path.length ? "the end" : `'${at}'`
  for (const [message, toSentence] of reasons) {
    const found = message.exec(mistake.message)
    if (found) return toSentence(found, character)
  }
  if (at === "=") return "write == to compare"
  return `${character} is not expected here`
}

function toUnknownFunction([, name, other]: RegExpExecArray): string {
  return `there is no function '${name ?? other}', only length, count, match, search and value`
}

function toArgument([, name, index, kind]: RegExpExecArray): string {
  const wanted =
    kind === "Value" ? "one value: a literal, or a path without '*', '..', slices and filters" : "a path"
  return `argument ${Number(index) + 1} of ${name}() must be ${wanted}`
}
