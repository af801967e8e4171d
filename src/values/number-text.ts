/** The texts that stand for a number where a parameter is text: as in JSON, but leading zeros are allowed. */
const numberText = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/

/** The number of a text; the text itself when it is not exactly a number, so that the check refuses it. */
export function toNumber(text: string): number | string {
  return numberText.test(text) ? Number(text) : text
}
