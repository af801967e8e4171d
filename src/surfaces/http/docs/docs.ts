import { resolve } from "node:path"
import viewerStyle from "swagger-ui-dist/swagger-ui.css" with { type: "file" }
import viewerScript from "swagger-ui-dist/swagger-ui-bundle.js" with { type: "file" }
import { createResource, type Resource } from "../resource.ts"
import { page, start } from "./page.ts"

/**
 * What the page may do: load what this host serves, and run no script that stands in the page itself. Swagger UI draws its
 * icons as `data:` images. No other site may show the page in a frame, where a click could be stolen.
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
  "x-frame-options": "DENY",
}

/** The page of `GET /docs`. */
export const docsPage = resource("text/html; charset=utf-8", async () => new TextEncoder().encode(page))

/** What the page loads, by its name below `/docs/`. */
export const docsParts: ReadonlyMap<string, Resource> = new Map([
  ["start.js", resource("text/javascript; charset=utf-8", async () => new TextEncoder().encode(start))],
  ["viewer.js", resource("text/javascript; charset=utf-8", () => embedded(viewerScript))],
  ["viewer.css", resource("text/css; charset=utf-8", () => embedded(viewerStyle))],
])

/** Reads a file that the build embeds. The path of the import is relative when the program is one file for Bun. */
function embedded(file: string): Promise<Uint8Array> {
  return Bun.file(resolve(import.meta.dir, file)).bytes()
}

function resource(contentType: string, read: () => Promise<Uint8Array>): Resource {
  return createResource({ headers: { ...pageHeaders, "content-type": contentType }, read })
}
