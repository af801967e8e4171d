import viewerStyle from "swagger-ui-dist/swagger-ui.css" with { type: "file" }
import viewerScript from "swagger-ui-dist/swagger-ui-bundle.js" with { type: "file" }
import type { Resource } from "../resource.ts"
import { pageResources } from "./page-resource.ts"

const { scriptFile, styleFile } = pageResources()

/** Swagger UI, by the names of its files below `/docs/`. */
export const docsParts: ReadonlyMap<string, Resource> = new Map([
  ["viewer.js", scriptFile(viewerScript)],
  ["viewer.css", styleFile(viewerStyle)],
])
