/** The arguments of `fetch`, with an API key; `null` and `undefined` stand for a request without one. */
export type KeyedRequest = BunFetchRequestInit & { readonly key?: string | null | undefined }

export function withKey({ key, ...init }: KeyedRequest = {}): BunFetchRequestInit {
  const headers = new Headers(init.headers)
  if (typeof key === "string") headers.set("x-api-key", key)
  return { ...init, headers }
}

/**
 * A POST of text, bytes, a form or a stream as they are, or of anything else as JSON. `init.headers` win over its content type.
 */
export const postWith = (body: unknown, init: KeyedRequest = {}): KeyedRequest => ({
  ...init,
  method: "POST",
  headers: init.headers ?? { "content-type": "application/json" },
  body: isRaw(body) ? body : JSON.stringify(body),
})

function isRaw(body: unknown): body is string | Uint8Array<ArrayBuffer> | FormData | ReadableStream | null {
  if (typeof body === "string" || body === null) return true
  return [Uint8Array, FormData, ReadableStream].some((type) => body instanceof type)
}
