import type { ApiDocInput } from "../openapi/json-object.ts"

/** RFC 9727 §4.2. */
export const apiCatalogType = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'

/** The media type of an OpenAPI 3.1 document. */
const openApiType = "application/vnd.oai.openapi+json;version=3.1"

/**
 * The list of all APIs for programs that look for them (RFC 9727), as a set of links (RFC 9264). Addresses are complete with a
 * public URL, and otherwise relative to the document.
 */
export function printApiCatalog({ apis, publicUrl }: ApiDocInput): string {
  const at = (path: string) => `${publicUrl ?? ""}${path}`
  const status = [{ href: at("/health"), type: "application/json" }]
  const linkset = [
    {
      anchor: at("/"),
      item: apis.map(({ definition }) => ({ href: at(`/v1/${definition.id}`) })),
      "service-desc": [{ href: at("/openapi.json"), type: openApiType }],
      "service-doc": [
        { href: at("/docs"), type: "text/html" },
        { href: at("/llms.txt"), type: "text/markdown" },
      ],
      status,
    },
    ...apis.map(({ definition: { id, title } }) => ({
      anchor: at(`/v1/${id}`),
      "service-desc": [{ href: at(`/openapi/${id}.json`), type: openApiType, title }],
      "service-doc": [{ href: at(`/docs/${id}.md`), type: "text/markdown", title }],
      status,
    })),
  ]
  return `${JSON.stringify({ linkset }, null, 2)}\n`
}
