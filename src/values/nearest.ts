import { closest, distance } from "fastest-levenshtein"

/** Known names for the message about an unknown one, the most similar first. */
export function nearestFirst(unknown: string, known: readonly string[]): readonly string[] {
  return [...known]
    .map((name) => ({ name, edits: distance(unknown.toLowerCase(), name.toLowerCase()) }))
    .sort((a, b) => a.edits - b.edits)
    .map(({ name }) => name)
}

/** The known name that was probably meant by an unknown one: about one edit in three characters. Null if none is so near. */
export function meantBy(unknown: string, known: readonly string[]): string | null {
  if (known.length === 0) return null
  const found = closest(unknown, known)
  return distance(unknown, found) <= Math.max(1, Math.floor(unknown.length / 3)) ? found : null
}
