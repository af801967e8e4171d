import type { ApiDocInput } from "../openapi/json-object.ts"
import { crossOriginHeaders } from "./cross-origin.ts"
import { createResource } from "./resource.ts"
import type { Exchange } from "./respond.ts"

/** The handler of `GET /openapi.json`. The document is made with the first request, since a start has no time for it. */
export function createOpenApiHandler(
  service: ApiDocInput,
): (exchange: Omit<Exchange, "address">) => Promise<Response> {
  return createResource({
    headers: {
      ...crossOriginHeaders,
      "content-type": "application/json",
      "x-content-type-options": "nosniff",
    },
    async read() {
      const { printOpenApi } = await import("../openapi/document.ts")
      return new TextEncoder().encode(printOpenApi(service))
    },
  })
}
