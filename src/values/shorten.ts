/** The text, or its first `limit` characters and an ellipsis. */
export function shorten(text: string, limit: number): string {
  return text.length > limit ? `${text.slice(0, limit).toWellFormed()}…` : text
}
