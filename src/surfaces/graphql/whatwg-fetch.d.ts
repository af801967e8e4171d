/**
 * The types of `@whatwg-node/fetch`, which graphql-yoga's types refer to. The package's own types bring those of browsers along
 * (`lib="dom"`), which contradict Bun's; `paths` in tsconfig.json names this file instead.
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
