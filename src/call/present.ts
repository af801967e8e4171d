import type { TObject, TSchema } from "@sinclair/typebox"
import { isPremium } from "../apis/contract.ts"

/** Returns a copy of an answer without its premium fields. */
export type Mask = (data: Record<string, unknown>) => Record<string, unknown>

/** Compiles the mask of an output schema. It lists the fields that may pass, so that an unknown field never passes. */
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

/** The mask of a nested value; null when nothing in it is premium. */
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
