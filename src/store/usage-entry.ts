/**
 * Names the usage of one API by one key within the usage of a day: `hmac key_1`, or `hmac` without a key. Both kinds of stores keep
 * a day's usage under these names, and their SQL splits them at the first space.
 */
export function usageEntry(api: string, keyId: string | undefined): string {
  return keyId === undefined ? api : `${api} ${keyId}`
}

/** The API and the key of a name; the key is empty without one. */
export function splitUsageEntry(name: string): { readonly api: string; readonly keyId: string } {
  const end = name.indexOf(" ")
  return end < 0 ? { api: name, keyId: "" } : { api: name.slice(0, end), keyId: name.slice(end + 1) }
}
