import type { ApiDefinition } from "../apis/contract.ts"

/** The definition of an API without its function. */
export type DefinitionData = Omit<ApiDefinition, "run">

/**
 * TypeBox keeps the kind of a schema under symbols, which JSON leaves out. They are registered symbols, so another thread finds
 * the same ones by their names.
 */
const symbols = ["TypeBox.Kind", "TypeBox.Optional", "TypeBox.Readonly", "TypeBox.Hint"].map(
  (name) => [Symbol.for(name), `symbol ${name}`] as const,
)
const symbolOf = new Map(symbols.map(([symbol, name]) => [name, symbol]))

/**
 * Writes a definition as text.
 * @throws {TypeError} that names the place of a value that is no data, such as a function in a schema
 */
export function packDefinition({ run: _, ...data }: ApiDefinition): string {
  return JSON.stringify(pack(data, "the definition", []))
}

/** Reads what {@link packDefinition} wrote. */
export function unpackDefinition(text: string): DefinitionData {
  return JSON.parse(text, (_, value) => (isTable(value) ? withSymbols(value) : value))
}

function pack(value: unknown, place: string, outer: readonly unknown[]): unknown {
  if (value === undefined || value === null || typeof value === "string" || typeof value === "boolean")
    return value
  if (typeof value === "number" && Number.isFinite(value)) return value
  if (outer.includes(value)) throw new TypeError(`${place} contains itself`)
  const inside = [...outer, value]
  if (Array.isArray(value)) return value.map((item, index) => pack(item, `${place}[${index}]`, inside))
  if (!isTable(value)) throw new TypeError(`${place} must be plain data, not ${kindOf(value)}`)
  const packed: Record<string, unknown> = {}
  for (const [key, item] of Object.entries(value)) packed[key] = pack(item, `${place}.${key}`, inside)
  for (const [symbol, name] of symbols) {
    const item: unknown = Reflect.get(value, symbol)
    if (item !== undefined) packed[name] = item
  }
  return packed
}

function withSymbols(value: Record<string, unknown>): object {
  for (const [name, symbol] of symbolOf) {
    if (!Object.hasOwn(value, name)) continue
    const item = value[name]
    delete value[name]
    // As with TypeBox, `Object.keys` does not list them.
    Object.defineProperty(value, symbol, { value: item, enumerable: true })
  }
  return value
}

function isTable(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

function kindOf(value: unknown): string {
  if (typeof value === "object") return `an object of ${value?.constructor?.name ?? "another kind"}`
  return typeof value === "number" ? String(value) : `a ${typeof value}`
}
