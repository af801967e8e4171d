/** The API key that is typed for calls stays in this tab until it is closed, for this page and for the portal's playground. */

const place = "penknife-api-key"

/** The key that was typed in this tab; null when there is none. */
export function keptKey(): string | null {
  return sessionStorage.getItem(place)
}

/** Null forgets the key. */
export function keepKey(key: string | null): void {
  if (key === null) sessionStorage.removeItem(place)
  else sessionStorage.setItem(place, key)
}
