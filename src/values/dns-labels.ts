/**
 * The labels of a name with dots between them and none at its end; none for an empty name. A dot or a backslash inside a label
 * has a backslash before it (RFC 1035 §5.1, RFC 4343 §2.1); a backslash before anything else stands for itself.
 * @example splitLabels("a\\.b.example") // ["a.b", "example"]
 */
export function splitLabels(name: string): string[] {
  if (name === "") return []
  if (!name.includes("\\")) return name.split(".")
  const labels: string[] = []
  let label = ""
  for (const [part] of name.matchAll(/\\[.\\]|./gs)) {
    if (part === ".") {
      labels.push(label)
      label = ""
    } else label += part.length === 2 ? part.slice(1) : part
  }
  return [...labels, label]
}

/** The name of labels, the reverse of {@link splitLabels}. */
export function joinLabels(labels: readonly string[]): string {
  return labels.map(escapeLabel).join(".")
}

/** A label as it stands in a name. */
export function escapeLabel(label: string): string {
  return /[.\\]/.test(label) ? label.replace(/[.\\]/g, "\\$&") : label
}
