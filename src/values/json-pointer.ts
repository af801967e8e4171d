/** The JSON Pointer (RFC 6901) to a member or an item of a value, from the pointer to that value. */
export function pointerTo(parent: string, key: string | number): string {
  return `${parent}/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`
}
