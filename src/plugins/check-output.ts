import { Kind, type TObject, type TSchema, Type } from "@sinclair/typebox"
import { TypeCompiler } from "@sinclair/typebox/compiler"
import { ApiMistake } from "../apis/contract.ts"

/** Compiles the check of an API's output: everything that the schema says, and no field besides. */
export function compileOutputCheck(output: TObject): (value: unknown) => Record<string, unknown> {
  const check = TypeCompiler.Compile(closed(output))
  return (value) => {
    if (check.Check(value)) return value as Record<string, unknown>
    const error = check.Errors(value).First()
    throw new ApiMistake(
      `its output does not follow its schema: '${error?.path.slice(1).replaceAll("/", ".")}': ${error?.message}`,
    )
  }
}

/** The schema without room for fields that it does not name. */
function closed(schema: TSchema): TSchema {
  const kind = schema[Kind]
  if (kind === "Object") {
    const { properties } = schema as TObject
    const fields = Object.entries(properties).map(([name, field]) => [name, closed(field)])
    return { ...schema, properties: Object.fromEntries(fields), additionalProperties: false }
  }
  if (kind === "Array") return { ...schema, items: closed(schema.items) }
  if (kind === "Union") return { ...schema, anyOf: schema.anyOf.map(closed) }
  return Type.Unsafe(schema)
}
