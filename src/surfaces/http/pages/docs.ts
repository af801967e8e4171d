import viewerStyle from "swagger-ui-dist/swagger-ui.css" with { type: "file" }
import viewerScript from "swagger-ui-dist/swagger-ui-bundle.js" with { type: "file" }
import type { Resource } from "../resource.ts"
import { page, start } from "./docs-page.ts"
import { pageResources } from "./page-resource.ts"

const { html, script, scriptFile, styleFile } = pageResources()

/** The page of `GET /docs`. */
export const docsPage = html(() => page)

/** What the page loads, by its name below `/docs/`. */
export const docsParts: ReadonlyMap<string, Resource> = new Map([
  ["start.js", script(start)],
  ["viewer.js", scriptFile(viewerScript)],
  ["viewer.css", styleFile(viewerStyle)],
])
