/** A text with A to Z as small letters; all other characters stay. */
export function toLowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}
