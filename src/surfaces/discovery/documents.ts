import { byCategory } from "../../apis/categories.ts"
import { priceText } from "../openapi/api-parts.ts"
import type { ApiDocInput } from "../openapi/json-object.ts"

/** A short description of the service for language models, with links to the rest (llmstxt.org). */
export function printLlms({ apis, publicUrl, graphql, mcp, title }: ApiDocInput): string {
  const at = (path: string) => `${publicUrl ?? ""}${path}`
  const toLine = ({ definition: { id, title, description }, credits }: ApiDocInput["apis"][number]) =>
    `- [${title}](${at(`/docs/${id}.md`)}): \`${id}\`, ${priceText(credits)}. ${description}`
  return `# ${title}

> Many small utility APIs behind one key. Every call needs an API key in the \`x-api-key\` header, or as \`Authorization: Bearer KEY\`. A successful call costs credits; a refused one is free.

Every answer is JSON with three fields: \`status\` (\`ok\` or \`error\`), \`error\` (what to change) and \`data\`. \`?format=\` returns \`xml\`, \`yaml\` or \`csv\`.

There are several ways to call them:

- REST: one call, or up to 200 inputs at once (\`POST /v1/{api}/batch\`)
${graphql ? `- GraphQL: \`POST ${at("/v1/graphql")}\`, several APIs in one query\n` : ""}${mcp ? `- Model Context Protocol: \`${at("/mcp")}\`, a tool for each API; \`${at("/mcp/search")}\`, three tools that find and call any API\n` : ""}
${byCategory(apis)
  .map(({ heading, apis }) => `## ${heading}\n\n${apis.map(toLine).join("\n")}`)
  .join("\n\n")}

## Documents

- [OpenAPI document](${at("/openapi.json")}): every path, parameter and answer

## Optional

- [List of the APIs for programs](${at("/.well-known/api-catalog")}): a set of links (RFC 9727)
- [Documentation](${at("/docs")}): for browsers
`
}

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

/** The service in short, for a program that opens its address. */
export function indexOf({ title, version, apis, mcp, graphql }: ApiDocInput) {
  return {
    name: title,
    version,
    apis: apis.map(({ definition: { id, title, method }, credits }) => ({
      id,
      title,
      method,
      path: `/v1/${id}`,
      credits,
      documentation: `/docs/${id}.md`,
    })),
    links: {
      openapi: "/openapi.json",
      documentation: "/docs",
      catalog: "/.well-known/api-catalog",
      llms: "/llms.txt",
      ...(graphql && { graphql: "/v1/graphql" }),
      ...(mcp && { mcp: "/mcp" }),
    },
  }
}

/** The `Link` to the list of all APIs. */
export const apiCatalogLink = '</.well-known/api-catalog>; rel="api-catalog"'

/** Links to the documents for programs, for the `Link` header (RFC 8288) of pages where they start. */
export const discoveryLinks = [
  apiCatalogLink,
  `</openapi.json>; rel="service-desc"; type="${openApiType}"`,
  '</docs>; rel="service-doc"; type="text/html"',
  '</llms.txt>; rel="describedby"; type="text/markdown"',
].join(", ")

/** The name of a service for programs: `acme-checks` for `Acme Checks`; undefined without a letter or digit. */
export function toMachineName(title: string): string | undefined {
  return title
    .toLowerCase()
    .match(/[a-z\d]+/g)
    ?.join("-")
}
