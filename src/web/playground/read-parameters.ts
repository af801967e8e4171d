import { toNumber } from "../../values/text.ts"
import { type Callable, isJson } from "./offered-api.ts"

type Typed = (name: string) => string

/** Reads the parameters, exactly as they were typed. An empty field is left out, unless it is a required text or list. */
export function readParameters(
  { method, parameters }: Pick<Callable, "method" | "parameters">,
  typed: Typed,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    parameters.flatMap(({ name, isRequired, schema }) => {
      const { type } = schema
      const text = typed(name)
      const mayBeEmpty = isRequired && (type === "string" || type === "array")
      if (text === "" && !mayBeEmpty) return []
      return [[name, isJson(schema) ? fromJson(text).value : toValue(type, method, text)]]
    }),
  )
}

/** The first JSON parameter whose text is not JSON; null if all are. */
export function findMistakenJson({ parameters }: Pick<Callable, "parameters">, typed: Typed) {
  const wrong = parameters.find(
    ({ name, schema }) => isJson(schema) && typed(name) !== "" && !fromJson(typed(name)).isValid,
  )
  return wrong?.name ?? null
}

function fromJson(text: string): { readonly isValid: boolean; readonly value: unknown } {
  try {
    return { isValid: true, value: JSON.parse(text) }
  } catch {
    return { isValid: false, value: text }
  }
}

/** In a query every value is text. In JSON, text that is no number stays text, so that the service says what is wrong with it. */
function toValue(type: string | undefined, method: Callable["method"], text: string): unknown {
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
