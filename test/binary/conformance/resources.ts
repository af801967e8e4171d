import {
  type ReadResourceResult,
  type Resource,
  ResourceNotFoundError,
  type ResourceTemplateType,
} from "@modelcontextprotocol/server"
import { png } from "./samples.ts"

export const resources: readonly Resource[] = [
  { uri: "test://static-text", name: "text", description: "A text.", mimeType: "text/plain" },
  { uri: "test://static-binary", name: "image", description: "An image.", mimeType: "image/png" },
  { uri: "test://watched-resource", name: "watched", description: "A text.", mimeType: "text/plain" },
]

export const resourceTemplates: readonly ResourceTemplateType[] = [
  {
    uriTemplate: "test://template/{id}/data",
    name: "data",
    description: "Data of an id.",
    mimeType: "application/json",
  },
]

export function readResource(uri: string): ReadResourceResult {
  if (uri === "test://static-binary") return { contents: [{ uri, mimeType: "image/png", blob: png }] }
  if (uri === "test://static-text" || uri === "test://watched-resource") {
    const text = "This is the content of the static text resource."
    return { contents: [{ uri, mimeType: "text/plain", text }] }
  }
  const [, id] = /^test:\/\/template\/([^/]+)\/data$/.exec(uri) ?? []
  if (id === undefined) throw new ResourceNotFoundError(uri)
  const text = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` })
  return { contents: [{ uri, mimeType: "application/json", text }] }
}
