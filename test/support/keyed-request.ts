/** What `fetch` takes, with an API key; `null` and `undefined` stand for a request without one. */
export type KeyedRequest = BunFetchRequestInit & { readonly key?: string | null | undefined }

export function withKey({ key, ...init }: KeyedRequest = {}): BunFetchRequestInit {
  const headers = new Headers(init.headers)
  if (typeof key === "string") headers.set("x-api-key", key)
  return { ...init, headers }
}

/** A POST of text or octets as they are, or of anything else as JSON. `init.headers` win over the JSON content type. */
export function postWith(body: unknown, init: KeyedRequest = {}): KeyedRequest {
  const isRaw =
    body === null || typeof body === "string" || body instanceof Uint8Array || body instanceof FormData
  return {
    ...init,
    method: "POST",
    headers: init.headers ?? { "content-type": "application/json" },
    body: isRaw ? body : JSON.stringify(body),
  }
}
