import { check as isIRegexp } from "iregexp-check"
import { jsonpath } from "json-p3"
import { RE2JS } from "re2js"
import { reject } from "../contract.ts"

/** The most compiled patterns that are kept. A document may contain a pattern for each of its items. */
const maxKept = 100

type Test = (text: string) => boolean

/**
 * The functions `match` and `search` for one call (RFC 9535 §2.4.6, §2.4.7). They use re2js: the runtime's own expressions take
 * exponential time for some patterns, and then return a wrong answer.
 */
export function createRegexpFunctions() {
  const wrong = new Set<string>()

  function define(compile: (expression: RE2JS) => Test): jsonpath.FilterFunction {
    const kept = new Map<string, Test>()
    return {
      argTypes: [jsonpath.FunctionExpressionType.ValueType, jsonpath.FunctionExpressionType.ValueType],
      returnType: jsonpath.FunctionExpressionType.LogicalType,
      call(text: unknown, pattern: unknown): boolean {
        if (typeof text !== "string" || typeof pattern !== "string") return false
        const test = kept.get(pattern) ?? compileChecked(pattern)
        if (kept.size === maxKept) kept.clear()
        kept.set(pattern, test)
        return test(text)
      },
    }

    function compileChecked(pattern: string): Test {
      if (isIRegexp(pattern)) return compile(toExpression(pattern))
      wrong.add(pattern)
      return () => false
    }
  }

  return {
    match: define((expression) => (text) => expression.matches(text)),
    search: define((expression) => (text) => expression.matcher(text).find()),
    /** Patterns of the call that are not an I-Regexp. */
    wrong,
  }
}

/** An I-Regexp in the syntax of RE2. The only difference is the dot, which also matches a carriage return in RE2. */
function toExpression(pattern: string): RE2JS {
  const parts = pattern.match(/\\.|\[(?:\\.|[^\]\\])*\]|./gsu) ?? []
  try {
    return RE2JS.compile(parts.map((part) => (part === "." ? "[^\\n\\r]" : part)).join(""))
  } catch (error) {
    if (!(error instanceof Error) || !error.name.startsWith("RE2JS")) throw error
    reject("path", "must have regular expressions that repeat a part at most 1,000 times")
  }
}
