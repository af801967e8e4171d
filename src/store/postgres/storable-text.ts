/** A text without U+0000, which PostgreSQL cannot keep and SQLite can. U+FFFD is in its place. */
export function toStorableText(text: string): string {
  return text.replaceAll("\0", "\uFFFD")
}
