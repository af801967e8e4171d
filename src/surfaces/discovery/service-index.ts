import type { ApiDocInput } from "../openapi/json-object.ts"

/** The service in short, for a program that opens its address. */
export function indexOf({ version, apis, mcp, graphql }: ApiDocInput) {
  return {
    name: "penknife",
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
  '</openapi.json>; rel="service-desc"; type="application/vnd.oai.openapi+json;version=3.1"',
  '</docs>; rel="service-doc"; type="text/html"',
  '</llms.txt>; rel="describedby"; type="text/markdown"',
].join(", ")
