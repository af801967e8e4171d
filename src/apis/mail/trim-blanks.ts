/** The text without spaces and tabs (WSP of RFC 5234) around it. In linear time, which no regular expression for it takes. */
export function trimBlanks(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isBlank(text, start)) start++
  while (end > start && isBlank(text, end - 1)) end--
  return text.slice(start, end)
}

function isBlank(text: string, at: number): boolean {
  const character = text.charAt(at)
  return character === " " || character === "\t"
}
