/**
 * The types of `@whatwg-node/fetch`, which graphql-yoga's types refer to. The package's own bring the types of browsers along
 * (`lib="dom"`), which contradict those of Bun; `paths` in tsconfig.json names this file in their place.
 */
export declare function createFetch(): {
  readonly fetch: typeof globalThis.fetch
  readonly Request: typeof globalThis.Request
  readonly Response: typeof globalThis.Response
  readonly Headers: typeof globalThis.Headers
  readonly FormData: typeof globalThis.FormData
  readonly ReadableStream: typeof globalThis.ReadableStream
  readonly WritableStream: typeof globalThis.WritableStream
  readonly TransformStream: typeof globalThis.TransformStream
  readonly Blob: typeof globalThis.Blob
  readonly File: typeof globalThis.File
  readonly crypto: typeof globalThis.crypto
  readonly btoa: typeof globalThis.btoa
  readonly TextDecoder: typeof globalThis.TextDecoder
  readonly TextEncoder: typeof globalThis.TextEncoder
  readonly URL: typeof globalThis.URL
  readonly URLSearchParams: typeof globalThis.URLSearchParams
}
