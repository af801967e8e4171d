/**
 * A text as PostgreSQL can keep it: without U+0000 and halves of surrogate pairs, which SQLite takes. U+FFFD is in their place.
 */
export function toStorableText(text: string): string {
  return text.replaceAll("\0", "\uFFFD").toWellFormed()
}
