import { jsonpath as library } from "json-p3"
import { escapeHidden } from "../../values/hidden-characters.ts"
import { largeNumberSentence } from "../../values/json-value.ts"
import { shorten } from "../../values/text.ts"
import { type RunOf, reject } from "../contract.ts"
import { correctParser } from "./corrections.ts"
import type { jsonpath } from "./index.ts"
import { problem } from "./problems.ts"
import { toReason } from "./reasons.ts"
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
