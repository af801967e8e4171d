/** The names and indexes of a JSON Pointer (RFC 6901), as text; null if the text is no pointer. */
export function parsePointer(text: string): readonly string[] | null {
  if (text === "") return []
  if (!text.startsWith("/") || /~(?![01])/.test(text)) return null
  return text
    .slice(1)
    .split("/")
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"))
}

/** A name as a step of a JSON Pointer. */
export function escapeStep(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1")
}

/** The index that a step names in a list (RFC 6901 §4); null if it is no index. `-` is the index after the last item. */
export function toIndex(step: string, length: number): number | null {
  if (step === "-") return length
  return /^(?:0|[1-9]\d{0,9})$/.test(step) ? Number(step) : null
}
