/** Where the list of all APIs is. */
export const apiCatalogLink = '</.well-known/api-catalog>; rel="api-catalog"'

/** Where programs find the rest, for the `Link` header (RFC 8288) of pages where they start. */
export const discoveryLinks = [
  apiCatalogLink,
  '</openapi.json>; rel="service-desc"; type="application/vnd.oai.openapi+json;version=3.1"',
  '</docs>; rel="service-doc"; type="text/html"',
  '</llms.txt>; rel="describedby"; type="text/markdown"',
].join(", ")
