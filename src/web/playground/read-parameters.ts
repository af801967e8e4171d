import { toNumber } from "../../values/number-text.ts"
import type { OfferedApi } from "./offered-api.ts"

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
