import type { fromJs } from "@hyperjump/json-schema/instance/experimental"

export type Json = Parameters<typeof fromJs>[0]

/** Keywords whose values are data: `$id` or `$ref` in them means nothing (JSON Schema 2020-12, validation §6.1, §9.2, §9.5). */
const literalKeywords = new Set(["const", "enum", "default", "examples"])
/** Keywords with a schema, or with a list of schemas. */
const schemaKeywords = new Set(
  "items additionalItems prefixItems contains additionalProperties propertyNames not if then else allOf anyOf oneOf unevaluatedItems unevaluatedProperties contentSchema".split(
    " ",
  ),
)
/** Keywords with an object of schemas, whose names are any text. */
const namedSchemaKeywords = new Set(
  "properties patternProperties $defs definitions dependentSchemas dependencies".split(" "),
)

/** The library looks for its own keywords in every object. A mark before names that begin with `$` hides them from it. */
const mark = "\0"

/**
 * Hides data in a schema from the library, which would take an object in it for a schema. {@link showLiteral} shows it again.
 * @param onKeyword gets each keyword with its value
 */
export function hideLiterals(schema: Json, onKeyword: (keyword: string, value: Json) => void): Json {
  if (Array.isArray(schema)) return schema.map((inner) => hideLiterals(inner, onKeyword))
  return mapMembers(schema, (keyword, value) => {
    onKeyword(keyword, value)
    if (literalKeywords.has(keyword)) return hideNames(value)
    if (schemaKeywords.has(keyword)) return hideLiterals(value, onKeyword)
    if (namedSchemaKeywords.has(keyword))
      return mapMembers(value, (_, inner) => hideLiterals(inner, onKeyword))
    // A `$ref` may lead into an unknown keyword, but addresses in it count for nothing (core, section 6.5).
    return hideNames(value, /^\0*\$(?:id|anchor|dynamicAnchor)$/)
  })
}

function hideNames(value: Json, hidden = /^\0*\$/): Json {
  if (Array.isArray(value)) return value.map((inner) => hideNames(inner, hidden))
  return mapMembers(
    value,
    (_, inner) => hideNames(inner, hidden),
    (name) => (hidden.test(name) ? mark + name : name),
  )
}

/** A value in which {@link hideLiterals} hid names, as it was sent. */
export function showLiteral(value: Json): Json {
  if (Array.isArray(value)) return value.map(showLiteral)
  return mapMembers(
    value,
    (_, inner) => showLiteral(inner),
    (name) => (/^\0+\$/.test(name) ? name.slice(mark.length) : name),
  )
}

function mapMembers(
  value: Json,
  change: (name: string, inner: Json) => Json,
  rename: (name: string) => string = (name) => name,
): Json {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [rename(name), change(name, inner)]))
}

/** The same text for equal values: members in the order of their names, and -0 as 0 (JSON Schema 2020-12, core §4.2.2). */
export function toCanonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(toCanonical).join(",")}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, inner]) => `${JSON.stringify(name)}:${toCanonical(inner)}`).join(",")}}`
}
