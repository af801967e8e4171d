import type { TSchema } from "@sinclair/typebox"
import { timeAheadFormat } from "./fields.ts"
import type { Operation } from "./operation.ts"

/** A parameter of an operation that changes something, as a form draws it. */
export interface FormParameter {
  /** `time` is a date, an instant, or a time from now, which the service reads. */
  readonly kind: "text" | "time" | "number" | "flag" | "list"
  /** Plain text, whose backticks mark code. */
  readonly description: string
  /** Whether the operation needs it. */
  readonly isRequired?: boolean
  /** Whether null takes the value away. */
  readonly isNullable?: boolean
  /** Whether a text cannot be empty. */
  readonly isFilled?: boolean
  /** The only values that the service takes. */
  readonly choices?: readonly string[]
}

/** Returns the parameters of an operation that a form can ask for: all but objects, and those of its path. */
export function formParametersOf({ input, path }: Operation): Readonly<Record<string, FormParameter>> {
  const asked = Object.entries(input.properties).filter(([name]) => !path.includes(`{${name}}`))
  return Object.fromEntries(
    asked.flatMap(([name, schema]) => {
      const parameter = toParameter(schema, input.required?.includes(name) ?? false)
      return parameter ? [[name, parameter]] : []
    }),
  )
}

function toParameter(schema: TSchema, isRequired: boolean): FormParameter | null {
  const options: readonly TSchema[] = schema.anyOf ?? [schema]
  const value = options.find(({ type }) => type !== "null") ?? schema
  const kind = value.format === timeAheadFormat ? "time" : kinds[value.type]
  if (kind === undefined) return null
  const choices = choicesOf(value.items ?? schema)
  return {
    kind,
    description: schema.description ?? "",
    ...(isRequired && { isRequired }),
    ...(options.some(({ type }) => type === "null") && { isNullable: true }),
    ...(value.minLength > 0 && { isFilled: true }),
    ...(choices.length > 0 && { choices }),
  }
}

const kinds: Readonly<Record<string, FormParameter["kind"]>> = {
  string: "text",
  integer: "number",
  boolean: "flag",
  array: "list",
}

function choicesOf({ anyOf = [] }: TSchema): readonly string[] {
  return anyOf.flatMap(({ const: value }: TSchema) => (typeof value === "string" ? [value] : []))
}
