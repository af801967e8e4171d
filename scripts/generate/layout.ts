const lineWidth = 110

/** JSON for people: a value that fits one line is written on one line. The outermost object never is. */
export function toLayout(value: unknown, indent = ""): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  const flat = toOneLine(value)
  if (indent !== "" && flat.length + indent.length <= lineWidth) return flat
  const inner = `${indent}  `
  const lines = entriesOf(value).map(([name, item]) => inner + name + toLayout(item, inner))
  const [open, close] = Array.isArray(value) ? "[]" : "{}"
  return `${open}\n${lines.join(",\n")}\n${indent}${close}`
}

function toOneLine(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  const items = entriesOf(value).map(([name, item]) => name + toOneLine(item))
  if (Array.isArray(value)) return `[${items.join(", ")}]`
  return items.length === 0 ? "{}" : `{ ${items.join(", ")} }`
}

function entriesOf(value: object): [name: string, item: unknown][] {
  if (Array.isArray(value)) return value.map((item) => ["", item])
  return Object.entries(value).map(([name, item]) => [`${JSON.stringify(name)}: `, item])
}
