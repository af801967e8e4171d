import { Kind, type TObject, type TSchema } from "@sinclair/typebox"

/**
 * A schema without its regular expressions. Only the API's own thread checks them, since a slow one would hold up the service.
 */
export function withoutPatterns<S extends TSchema>(schema: S): S {
  const { pattern: _, ...rest } = schema
  return { ...rest, ...partsOf(schema, withoutPatterns) } as S
}

/** A schema without room for fields that it does not name. */
export function closed<S extends TSchema>(schema: S): S {
  const isObject = schema[Kind] === "Object"
  return { ...schema, ...partsOf(schema, closed), ...(isObject && { additionalProperties: false }) }
}

/** Returns the first field whose value does not match its pattern, with the pattern; null if all do. */
export type PatternCheck = (values: unknown) => { readonly name: string; readonly pattern: string } | null

/** Makes the check of a schema's patterns. */
export async function compilePatternCheck(schema: TObject): Promise<PatternCheck> {
  const fields = Object.entries(schema.properties).flatMap(([name, field]) => {
    const pattern = patternIn(field)
    return pattern === null ? [] : { name, field, pattern }
  })
  if (fields.length === 0) return () => null
  // Loaded only here: each thread would keep 0.4 MB of it, and few APIs have patterns.
  const { Value } = await import("@sinclair/typebox/value")
  return (values) => {
    const given = typeof values === "object" && values !== null ? values : {}
    for (const { name, field, pattern } of fields) {
      const value: unknown = Reflect.get(given, name)
      if (value !== undefined && !Value.Check(field, value)) return { name, pattern }
    }
    return null
  }
}

/** The first pattern in a schema. */
function patternIn(schema: TSchema): string | null {
  if (typeof schema.pattern === "string") return schema.pattern
  for (const part of innerOf(schema)) {
    const pattern = patternIn(part)
    if (pattern !== null) return pattern
  }
  return null
}

function innerOf(schema: TSchema): readonly TSchema[] {
  if (schema[Kind] === "Object") return Object.values((schema as TObject).properties)
  if (schema[Kind] === "Array") return [schema.items]
  return schema[Kind] === "Union" ? schema.anyOf : []
}

function partsOf(schema: TSchema, change: (part: TSchema) => TSchema): object {
  if (schema[Kind] === "Object") {
    const fields = Object.entries((schema as TObject).properties)
    return { properties: Object.fromEntries(fields.map(([name, field]) => [name, change(field)])) }
  }
  if (schema[Kind] === "Array") return { items: change(schema.items) }
  return schema[Kind] === "Union" ? { anyOf: schema.anyOf.map(change) } : {}
}
