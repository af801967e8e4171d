/**
 * Names as the DNS port gives them, in lower case, without a trailing dot and empty for the root; a dot inside a label is `\.`,
 * a backslash `\\`. Labels are without escapes, one character per byte.
 */
import { splitLabels as labelsOf, joinLabels as nameOf } from "../../../values/dns-labels.ts"
import { toLowerAscii as lower } from "../../../values/text.ts"

export { labelsOf, lower, nameOf }

/** The last labels of a name. */
export function suffixOf(name: string, count: number): string {
  const labels = labelsOf(name)
  return nameOf(labels.slice(labels.length - count))
}

/** The name without its first label; the root for the root. */
export function parentOf(name: string): string {
  return nameOf(labelsOf(name).slice(1))
}

/** Whether a name is another one or below it. */
export function isWithin(name: string, other: string): boolean {
  return name === other || isBelow(name, other)
}

/** Whether a name is below another one. */
export function isBelow(name: string, other: string): boolean {
  const count = labelsOf(other).length
  return labelsOf(name).length > count && suffixOf(name, count) === other
}

/** The wildcard of the names below `name`. */
export function wildcardOf(name: string): string {
  return nameOf(["*", ...labelsOf(name)])
}

/** The longest name that two names are both at or below. */
export function commonAncestor(one: string, other: string): string {
  const [left, right] = [labelsOf(one).toReversed(), labelsOf(other).toReversed()]
  const count = left.findIndex((label, index) => label !== right[index])
  return suffixOf(one, count === -1 ? left.length : count)
}

/** The name in wire format (RFC 1035 §3.1). */
export function toWire(name: string): Buffer {
  const bytes = labelsOf(name).map((label) => String.fromCharCode(label.length) + label)
  return Buffer.from(`${bytes.join("")}\0`, "latin1")
}

/** The canonical order of names (RFC 4034 §6.1): by labels from the right, each as unsigned bytes, and what is absent first. */
export function compareNames(one: string, other: string): number {
  const [left, right] = [labelsOf(one).toReversed(), labelsOf(other).toReversed()]
  for (const [index, label] of left.entries()) {
    const against = right[index]
    if (against === undefined) return 1
    if (label !== against) return label < against ? -1 : 1
  }
  return left.length - right.length
}
