import { LinesField, SelectField, TextField } from "../../kit/field.tsx"
import type { FormValues } from "../../kit/form.tsx"
import { Description } from "../../kit/text.tsx"
import type { OfferedParameter } from "./offered-api.ts"

interface ParameterFieldProps {
  readonly parameter: OfferedParameter
  /** What stands in it at first. */
  readonly value: unknown
  /** Whether premium parameters have an effect on the customer's plan. */
  readonly hasPremium: boolean
}

/** The control for one parameter: a list for choices, lines for lists, a box of several lines for texts that may have them. */
export function ParameterField({ parameter, value, hasPremium }: ParameterFieldProps) {
  const { name, isRequired, isPremium, schema } = parameter
  const label = isPremium ? `${name} (premium)` : name
  const isIdle = isPremium && !hasPremium
  const isList = schema.type === "array"
  const said =
    hintOf(parameter) + (isIdle ? " It has no effect on your plan." : "") + (isList ? " One a line." : "")
  const hint = <Description text={said} />
  const text = value === undefined ? "" : Array.isArray(value) ? value.join("\n") : String(value)
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
  if (isList) return <LinesField {...common} rows={6} />
  if (schema.type === "string" && text.length > 60) return <LinesField {...common} rows={4} />
  return <TextField {...common} type={schema.type === "integer" ? "number" : "text"} />
}

function hintOf({ description, schema }: OfferedParameter): string {
  const { minimum, maximum } = schema
  const range = minimum !== undefined && maximum !== undefined ? ` From ${minimum} to ${maximum}.` : ""
  const standard = schema.default === undefined || schema.enum ? "" : ` Default: ${schema.default}.`
  return `${description.replace(/^Premium\. /, "")}${range}${standard}`
}

/** What was filled in, as the API takes it. An empty field that is not required is left out. */
export function readParameters(
  parameters: readonly OfferedParameter[],
  { text, raw }: Pick<FormValues, "text"> & { raw(name: string): string },
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    parameters.flatMap(({ name, isRequired, schema }) => {
      const trimmed = text(name)
      if (trimmed === "" && !(isRequired && schema.type === "string")) {
        return isRequired && schema.type === "array" ? [[name, []]] : []
      }
      return [[name, toValue(schema.type, trimmed, raw(name))]]
    }),
  )
}

function toValue(type: string | undefined, trimmed: string, raw: string): unknown {
  if (type === "boolean") return trimmed === "true"
  if (type === "array") return raw.split("\n").filter((line) => line !== "")
  // What is no number is sent as it is, so that the service says what is wrong with it.
  if (type === "number" || type === "integer")
    return Number.isNaN(Number(trimmed)) ? trimmed : Number(trimmed)
  return raw
}
