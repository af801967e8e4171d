import { LinesField, SelectField, TextField } from "../kit/field.tsx"
import { Description } from "../kit/text.tsx"
import { isJson, type OfferedParameter } from "./offered-api.ts"

interface ParameterFieldProps {
  readonly parameter: OfferedParameter
  /** The value that it has at first. */
  readonly value: unknown
  /** Whether premium parameters have an effect on the caller's plan; null when the plan is not known. */
  readonly hasPremium: boolean | null
}

/** The control for one parameter: a list for choices, lines for lists, a box of several lines for free text. */
export function ParameterField({ parameter, value, hasPremium }: ParameterFieldProps) {
  const { name, isRequired, isPremium, schema } = parameter
  const label = isPremium ? `${name} (premium)` : name
  const isIdle = isPremium && hasPremium === false
  const isList = schema.type === "array"
  const said =
    hintOf(parameter) +
    (isIdle ? " It has no effect on your plan." : "") +
    (isList ? " One per line." : isJson(schema) ? " Written as JSON." : "")
  const hint = <Description text={said} />
  const text = toText(schema, value)
  const common = { name, label, hint, required: isRequired, value: text }
  const choices = schema.enum ?? (schema.type === "boolean" ? ["true", "false"] : null)
  if (choices) {
    const standard = schema.default === undefined ? "not given" : `${schema.default} (default)`
    return (
      <SelectField
        {...common}
        choices={[
          ...(isRequired ? [] : [["", standard] as const]),
          ...choices.map((choice) => [choice, choice] as const),
        ]}
      />
    )
  }
  if (isList || isJson(schema)) return <LinesField {...common} rows={6} />
  // A browser must not offer it again.
  const autocomplete = schema["x-secret"] ? "off" : undefined
  if (isFreeText(schema)) return <LinesField {...common} rows={1} autocomplete={autocomplete} />
  return <TextField {...common} />
}

function toText(schema: OfferedParameter["schema"], value: unknown): string {
  if (value === undefined) return ""
  if (isJson(schema)) return JSON.stringify(value, null, 2)
  return Array.isArray(value) ? value.join("\n") : String(value)
}

function hintOf({ description, schema }: OfferedParameter): string {
  const { minimum, maximum } = schema
  const range = minimum !== undefined && maximum !== undefined ? ` From ${minimum} to ${maximum}.` : ""
  const standard = schema.default === undefined || schema.enum ? "" : ` Default: ${schema.default}.`
  return `${description.replace(/^Premium\. /, "")}${range}${standard}`
}

function isFreeText({ type, format, pattern }: OfferedParameter["schema"]): boolean {
  return type === "string" && format === undefined && pattern === undefined
}
