/** Whether a value is what JSON calls an object: neither null nor a list. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** The value of a JSON text; undefined for any other text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The value if it is an object; otherwise one without members. */
export function toObject(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {}
}
