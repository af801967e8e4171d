import { isObject } from "../../values/is-object.ts"
import { type RunOf, reject } from "../contract.ts"
import { toPointer, toSchemaLocation } from "./findings.ts"
import type { jsonschemavalidator } from "./index.ts"
import { type Json, type OtherSchemas, validate } from "./validate.ts"

const maxErrors = 20
const maxAll = 1_000
const maxOthers = 20
const maxSchemaLength = 200_000
const maxDocumentLength = 500_000

export const run: RunOf<typeof jsonschemavalidator> = async (
  { schema, others = {}, document },
  { premium },
) => {
  requireLength("schema", schema, maxSchemaLength)
  requireLength("others", others, maxSchemaLength)
  requireLength("document", document, maxDocumentLength)
  if (!isObject(others) || Object.keys(others).length > maxOthers)
    reject("others", `must be an object with at most ${maxOthers} addresses`)
  // They come from a JSON body.
  const options = { isAnnotated: premium, others: others as OtherSchemas }
  const { valid, dialect, findings, annotations } = await validate(schema as Json, document as Json, options)
  return {
    valid,
    dialect,
    errors: findings.first(maxErrors),
    all_errors: premium ? findings.first(maxAll) : [],
    annotations: annotations.slice(0, maxAll).map((one) => ({
      keyword: one.absoluteKeywordLocation.split("/").at(-1) ?? "",
      value: one.annotation ?? null,
      where: toPointer(one.instanceLocation),
      schema_location: toSchemaLocation(one.absoluteKeywordLocation),
    })),
  }
}

function requireLength(name: string, value: unknown, limit: number): void {
  if (JSON.stringify(value).length > limit)
    reject(name, `must have at most ${limit.toLocaleString("en-US")} characters as JSON`)
}
