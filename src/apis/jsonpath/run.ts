import { jsonpath as library } from "json-p3"
import { escapeHidden } from "../../values/hidden-characters.ts"
import { shorten } from "../../values/shorten.ts"
import { type RunOf, reject } from "../contract.ts"
import { correctParser } from "./corrections.ts"
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
  for (const node of query.lazyQuery(toJson(document))) {
    if (values.length === maxValues)
      reject("path", `must match at most ${maxValues.toLocaleString("en-US")} values`)
    values.push(node.value)
    paths.push(node.getPath({ form: "canonical" }))
  }
  const problems = [...wrong].map((pattern) =>
    problem("regular_expression", "path", `The pattern '${shown(pattern)}' is not an I-Regexp (RFC 9485).`),
  )
  return { values, paths, problems }
}

type Json = Parameters<library.JSONPathQuery["lazyQuery"]>[0]

/** Parameters are read from JSON, so the library's type for JSON is right. */
function toJson(value: unknown): Json {
  return value as Json
}

function compile(environment: library.JSONPathEnvironment, path: string): library.JSONPathQuery {
  try {
    return environment.compile(path)
  } catch (thrown) {
    if (!(thrown instanceof library.JSONPathError)) throw thrown
    const { token } = thrown
    // The library ends its messages with a part of the path, which may be any text.
    const reason = thrown.message.slice(0, thrown.message.lastIndexOf(" ('")).replace("backup", "back up")
    const place = Math.min(token.index, path.length) + 1
    reject("path", `must be a JSONPath (RFC 9535); character ${place}: ${shown(reason)}`)
  }
}

function shown(text: string): string {
  return shorten(escapeHidden(text), 100)
}
