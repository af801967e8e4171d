import { isObject } from "../../values/is-object.ts"
import { findLargeNumber, largeNumberSentence } from "../../values/json-value.ts"
import { type RunOf, reject } from "../contract.ts"
import { toPointer, toSchemaLocation } from "./findings.ts"
import type { jsonschemavalidator } from "./index.ts"
import { type Json, showLiteral } from "./literals.ts"
import { type OtherSchemas, validate } from "./validate.ts"

const maxShown = 20
const maxAll = 1_000
const maxOthers = 20
const maxSchemaLength = 200_000
const maxDocumentLength = 500_000

export const run: RunOf<typeof jsonschemavalidator> = async (
  { schema, others = {}, document, assert_formats: hasFormats = false },
  { premium, giveWay },
) => {
  requireLength("schema", schema, maxSchemaLength)
  requireLength("others", others, maxSchemaLength)
  requireLength("document", document, maxDocumentLength)
  if (!isObject(others) || Object.keys(others).length > maxOthers)
    reject("others", `must be an object with at most ${maxOthers} addresses`)
  // They come from a JSON body.
  const options = { isAnnotated: premium, hasFormats, others: others as OtherSchemas, giveWay }
  const { valid, dialect, findings, annotations } = await validate(schema as Json, document as Json, options)
  const warnings = Object.entries({ schema, others, document }).flatMap(([name, value]) =>
    toWarning(name, value),
  )
  return {
    is_valid: valid,
    dialect,
    problems: [...findings.first(maxShown), ...warnings],
    all_problems: premium ? [...findings.first(maxAll), ...warnings] : [],
    annotations: annotations.slice(0, maxAll).map((one) => ({
      keyword: one.absoluteKeywordLocation.split("/").at(-1) ?? "",
      // It comes from the schema, so it is JSON.
      value: showLiteral((one.annotation ?? null) as Json),
      where: toPointer(one.instanceLocation),
      schema_location: toSchemaLocation(one.absoluteKeywordLocation),
    })),
  }
}

/** A warning for the first number of a parameter that may have lost digits. */
function toWarning(name: string, value: unknown) {
  const message = largeNumberSentence(value)
  if (message === null) return []
  const place = { where: findLargeNumber(value) ?? "", schema_location: "" }
  return [
    { code: "large_number", severity: "warning" as const, message: `In '${name}': ${message}`, ...place },
  ]
}

function requireLength(name: string, value: unknown, limit: number): void {
  if (JSON.stringify(value).length > limit)
    reject(name, `must have at most ${limit.toLocaleString("en-US")} characters as JSON`)
}
