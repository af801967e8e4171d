/**
 * The API key of a request: `x-api-key`, or `Authorization: Bearer KEY` (RFC 6750 §2.1). With both, `x-api-key` decides, so that a
 * proxy or a client may use Authorization for itself. Null without a key.
 */
export function sentKey(headers: Headers): string | null {
  return headers.get("x-api-key") || bearerToken(headers.get("authorization"))
}

/** The scheme's name is case-insensitive (RFC 9110 §11.1). */
function bearerToken(authorization: string | null): string | null {
  return (authorization && /^bearer +([^ ]+) *$/i.exec(authorization)?.[1]) || null
}
