/** The API key of a request: `x-api-key`, or `Authorization: Bearer KEY` (RFC 6750 §2.1). Null without a key. */
export function sentKey(headers: Headers): string | null {
  return headers.get("x-api-key") || bearerToken(headers.get("authorization"))
}

/** Whether a request names another key in `Authorization` than in `x-api-key`, so that it is not clear who calls. */
export function hasTwoKeys(headers: Headers): boolean {
  const authorization = headers.get("authorization")
  if (authorization === null) return false
  const token = bearerToken(authorization)
  return token !== null && token !== sentKey(headers)
}

/** The scheme's name is case-insensitive (RFC 9110 §11.1). */
export function bearerToken(authorization: string | null): string | null {
  return (authorization && /^bearer +([^ ]+) *$/i.exec(authorization)?.[1]) || null
}
