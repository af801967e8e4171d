/**
 * The types of `@whatwg-node/fetch`, which graphql-yoga's types refer to. The package's own bring the types of browsers along
 * (`lib="dom"`), which contradict those of Bun; `paths` in tsconfig.json names this file in their place.
 */
type Names =
  | ("fetch" | "Request" | "Response" | "Headers" | "FormData" | "Blob" | "File" | "URL" | "URLSearchParams")
  | (
      | "ReadableStream"
      | "WritableStream"
      | "TransformStream"
      | "TextDecoder"
      | "TextEncoder"
      | "crypto"
      | "btoa"
    )
export declare function createFetch(): Readonly<Pick<typeof globalThis, Names>>
