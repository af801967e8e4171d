import { distance } from "fastest-levenshtein"

/** Known names for the message about an unknown one, the most similar first. */
export function nearestFirst(unknown: string, known: readonly string[]): readonly string[] {
  return [...known]
    .map((name) => ({ name, edits: distance(unknown.toLowerCase(), name.toLowerCase()) }))
    .sort((a, b) => a.edits - b.edits)
    .map(({ name }) => name)
}
