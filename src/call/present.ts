import type { TObject, TSchema } from "@sinclair/typebox"
import { isPremium } from "../apis/contract.ts"

/** Takes the premium fields out of an answer. Leaves its argument as it is. */
export type Mask = (data: Record<string, unknown>) => Record<string, unknown>

/**
 * Projects an output schema into its mask, once, at start: a list of the fields that may pass, so that a field that the
 * schema does not know never passes either.
 */
export function compileMask(output: TObject): Mask {
  const fields = Object.entries(output.properties)
    .filter(([, schema]) => !isPremium(schema))
    .map(([name, schema]) => ({ name, inner: compileInner(schema) }))

  return (data) => {
    const shown: Record<string, unknown> = {}
    for (const { name, inner } of fields) {
      const value = data[name]
      if (value !== undefined) shown[name] = inner ? inner(value) : value
    }
    return shown
  }
}

/** The mask of a nested value, or null when nothing below is premium and the value can pass as it is. */
function compileInner(schema: TSchema): ((value: unknown) => unknown) | null {
  if (!hasPremium(schema)) return null
  if (schema.type === "object") {
    const mask = compileMask(schema as TObject)
    return (value) => mask(value as Record<string, unknown>)
  }
  if (schema.type === "array") {
    const inner = compileInner(schema.items as TSchema)
    return (value) => (inner ? (value as unknown[]).map(inner) : value)
  }
  throw new Error("premium() inside a union is not supported: mark the field that holds the union")
}

function hasPremium(schema: TSchema): boolean {
  const children: TSchema[] = [
    ...Object.values((schema.properties ?? {}) as Record<string, TSchema>),
    ...(schema.items ? [schema.items as TSchema] : []),
    ...((schema.anyOf ?? []) as TSchema[]),
  ]
  return children.some((child) => isPremium(child) || hasPremium(child))
}
