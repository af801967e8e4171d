import type { Content, Shape } from "./aggregate-schema.ts"
import type { Findings } from "./findings.ts"
import type { Element } from "./xml-tree.ts"

/** Where the differences of an element from its shape go. */
export interface ShapeCheck {
  readonly findings: Findings
  /** Whether unknown elements and blanks around values are errors, as an XML Schema has it. */
  readonly isStrict: boolean
}

/**
 * Compares an element with its shape, and its children with theirs.
 * @param where the path of the element, for people
 */
export function checkShape(element: Element, shape: Shape, where: string, check: ShapeCheck): void {
  const { findings } = check
  const names = Object.keys(shape.children)
  const counts = new Map<string, number>()
  if (element.text.trim() !== "") findings.add("stray_text", where, "There is text between the elements.")
  let last = 0
  for (const child of element.children) {
    const at = `${where}/${child.name}`
    const place = child.namespace === element.namespace ? names.indexOf(child.name) : -1
    const [occurs, content] = shape.children[names[place] ?? ""] ?? []
    if (occurs === undefined || content === undefined) {
      // Elements of extensions come after all others.
      if (shape.isOpen) last = names.length
      else addUnknown(at, check)
      continue
    }
    const count = (counts.get(child.name) ?? 0) + 1
    counts.set(child.name, count)
    if (count > 1 && (occurs === "1" || occurs === "?"))
      findings.add("repeated", at, "The element may be here only once.")
    if (shape.isOrdered && place < last)
      findings.add("order", at, `The element must come before ${names[last] ?? "those of extensions"}.`)
    last = Math.max(last, place)
    checkContent(child, content, at, check)
  }
  for (const [name, [occurs]] of Object.entries(shape.children))
    if (occurs === "1" && !counts.has(name))
      findings.add("missing", `${where}/${name}`, "The element is missing.")
}

function checkContent(element: Element, content: Content, where: string, check: ShapeCheck): void {
  if (typeof content === "object" && "children" in content) checkShape(element, content, where, check)
  else if (element.children.length > 0) addUnknown(where, check)
  else if (!isOfContent(check.isStrict ? element.text : element.text.trim(), content)) {
    const wanted = typeof content === "string" ? `of the kind ${content}` : `one of ${content.join(", ")}`
    check.findings.add("value", where, `The value must be ${wanted}.`)
  }
}

function addUnknown(where: string, { findings, isStrict }: ShapeCheck): void {
  if (isStrict) findings.add("unknown_element", where, "RFC 9990 has no such element here.")
  else findings.add("extra_element", where, "RFC 7489 has no such element here.")
}

function isOfContent(text: string, content: "text" | "integer" | "decimal" | readonly string[]): boolean {
  // XML Schema takes blanks away from numbers, but not from texts.
  if (content === "integer") return /^[ \t\r\n]*[+-]?\d+[ \t\r\n]*$/.test(text)
  if (content === "decimal") return /^[ \t\r\n]*[+-]?(?:\d+(?:\.\d*)?|\.\d+)[ \t\r\n]*$/.test(text)
  return content === "text" || content.includes(text)
}
