import { resolve } from "node:path"
import viewerStyle from "swagger-ui-dist/swagger-ui.css" with { type: "file" }
import viewerScript from "swagger-ui-dist/swagger-ui-bundle.js" with { type: "file" }
import { createResource } from "../resource.ts"
import type { Exchange } from "../respond.ts"
import { page, start } from "./page.ts"

/**
 * What a page may do: load what this host serves, and nothing that stands in the page itself. Swagger UI draws its icons
 * as `data:` images. Nobody may show the page in a frame, where a click could be stolen.
 */
const pageHeaders = {
  "content-security-policy": [
    "default-src 'self'",
    "img-src 'self' data:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
}

type Handler = (exchange: Omit<Exchange, "address">) => Promise<Response>

/** The handlers of `GET /docs` and of what the page loads, by name below `/docs/`. Nothing is read before it is asked for. */
export function createDocsHandlers(): {
  readonly page: Handler
  readonly parts: ReadonlyMap<string, Handler>
} {
  const parts = new Map([
    ["start.js", resource("text/javascript; charset=utf-8", async () => new TextEncoder().encode(start))],
    ["viewer.js", resource("text/javascript; charset=utf-8", () => embedded(viewerScript))],
    ["viewer.css", resource("text/css; charset=utf-8", () => embedded(viewerStyle))],
  ])
  return {
    page: resource("text/html; charset=utf-8", async () => new TextEncoder().encode(page)),
    parts,
  }
}

/** From the path that the import gave: absolute, but where the program is one file for Bun with these beside it. */
function embedded(file: string): Promise<Uint8Array> {
  return Bun.file(resolve(import.meta.dir, file)).bytes()
}

function resource(contentType: string, read: () => Promise<Uint8Array>): Handler {
  return createResource({ headers: { ...pageHeaders, "content-type": contentType }, read })
}
