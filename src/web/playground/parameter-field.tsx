import { toNumber } from "../../values/number-text.ts"
import { LinesField, SelectField, TextField } from "../kit/field.tsx"
import { Description } from "../kit/text.tsx"
import type { OfferedApi, OfferedParameter } from "./offered-api.ts"

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
  if (isFreeText(schema)) return <LinesField {...common} rows={1} />
  return <TextField {...common} />
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

/** Reads the parameters, exactly as they were typed. An empty field is left out, unless it is a required text or list. */
export function readParameters(
  { method, parameters }: Pick<OfferedApi, "method" | "parameters">,
  typed: (name: string) => string,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    parameters.flatMap(({ name, isRequired, schema: { type } }) => {
      const text = typed(name)
      const mayBeEmpty = isRequired && (type === "string" || type === "array")
      return text === "" && !mayBeEmpty ? [] : [[name, toValue(type, method, text)]]
    }),
  )
}

/** In a query every value is text. In JSON, text that is no number stays text, so that the service says what is wrong with it. */
function toValue(type: string | undefined, method: OfferedApi["method"], text: string): unknown {
  if (type === "array") return toLines(text)
  if (method === "GET") return text
  if (type === "boolean") return text === "true"
  return type === "number" || type === "integer" ? toNumber(text) : text
}

/** The lines of a text. A line break at its end begins no line. */
function toLines(text: string): readonly string[] {
  const lines = text.split("\n")
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines
}
