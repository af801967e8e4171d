/** The first sentence of a description, for lists. A full stop within a word or a number ends none. */
export function firstSentence(text: string): string {
  return /^.*?\.(?=\s|$)/s.exec(text)?.[0] ?? text
}
