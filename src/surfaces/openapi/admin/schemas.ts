import type { TSchema } from "@sinclair/typebox"
import type { Operation } from "../../../admin/operation.ts"
import { itemOf } from "../../../admin/pages.ts"
import { toName } from "../../http/admin/operation-routes.ts"
import { type JsonObject, objectOf, refTo } from "../json-object.ts"
import { toJsonSchema } from "../json-schema.ts"

/** The schemas of answers. One that several operations share has one name, so that a generated client has one type for it. */
export type AdminSchemas = ReturnType<typeof createSchemas>

/** @param apiIds the ids that a parameter for an API takes */
export function createSchemas(operations: readonly Operation[], apiIds: readonly string[]) {
  const convert = (schema: TSchema) => clean(toJsonSchema(schema), apiIds) as JsonObject
  const names = new Map<TSchema, string>()
  for (const { id, output, run } of operations) {
    if (run.kind === "file") continue
    const schema = itemOf(output) ?? output
    if (names.has(schema)) continue
    const [group = id] = id.split(".")
    const short = toName(group.replace(/s$/, ""))
    names.set(schema, [...names.values()].includes(short) ? `${toName(id)}Answer` : short)
  }
  const referTo = (schema: TSchema) => refTo("schemas", names.get(schema) ?? "")
  return {
    /** Converts a schema to JSON Schema, without what only the command line reads. */
    convert,
    /** The schema of an operation's answer, or a reference to it. */
    outputOf({ output }: Operation): JsonObject {
      const item = itemOf(output)
      if (!item) return referTo(output)
      const { data, ...others } = output.properties
      const properties = Object.fromEntries(
        Object.entries(others).map(([name, schema]) => [name, convert(schema as TSchema)]),
      )
      const all = objectOf({
        data: { type: "array", description: data.description, items: referTo(item) },
        ...properties,
      })
      return { ...all, required: output.required }
    },
    /** All named schemas. */
    components: (): Readonly<Record<string, JsonObject>> =>
      Object.fromEntries([...names].map(([schema, name]) => [name, convert(schema)])),
  }
}

/** A TypeBox record becomes an object with additional properties, which more client generators know. */
function clean(value: unknown, apiIds: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((item) => clean(item, apiIds))
  if (typeof value !== "object" || value === null) return value
  const {
    "x-flag": _flag,
    "x-pairs": _pairs,
    "x-requirement": _words,
    "x-ungrouped": _plain,
    "x-operator-only": _for,
    "x-customer-text": _text,
    "x-api-id": isApiId,
    patternProperties,
    ...rest
  } = value as JsonObject
  const members = Object.entries(rest).map(([name, part]) => [name, clean(part, apiIds)])
  const [values] = Object.values((patternProperties ?? {}) as JsonObject)
  return {
    ...Object.fromEntries(members),
    ...(isApiId === true && { enum: apiIds }),
    ...(values !== undefined && { additionalProperties: clean(values, apiIds) }),
  }
}
