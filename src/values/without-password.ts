/**
 * A URL without its password and without its query, which may hold one too. Other texts stay, such as the name of a data file.
 */
export function withoutPassword(text: string): string {
  if (!/^[a-z][a-z\d+.-]*:\/\//i.test(text)) return text
  return text.replace(/^([^:]+:\/\/[^:@/?]*):.*@/, "$1@").replace(/\?.*$/, "")
}
