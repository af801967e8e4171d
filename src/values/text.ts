/** The text, or its first `limit` characters and an ellipsis. */
export function shorten(text: string, limit: number): string {
  return text.length > limit ? `${text.slice(0, limit).toWellFormed()}…` : text
}

/** A text with A to Z as small letters; all other characters stay. */
export function toLowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

/** The texts that stand for a number where a parameter is text: as in JSON, but leading zeros are allowed. */
const numberText = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/

/** The number of a text; the text itself when it is not exactly a number, so that the check refuses it. */
export function toNumber(text: string): number | string {
  return numberText.test(text) ? Number(text) : text
}

/**
 * A URL without its password and without its query, which may hold one too. Other texts stay, such as the name of a data file.
 */
export function withoutPassword(text: string): string {
  if (!/^[a-z][a-z\d+.-]*:\/\//i.test(text)) return text
  return text.replace(/^([^:]+:\/\/[^:@/?]*):.*@/, "$1@").replace(/\?.*$/, "")
}

/** A number with commas between groups of three digits. */
export function group(count: number): string {
  return count.toLocaleString("en-US")
}
