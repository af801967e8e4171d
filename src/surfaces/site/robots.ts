/** What crawlers may read (RFC 9309): pages and documents, not what needs a key or changes with every request. */
export const robots = `User-agent: *
Disallow: /v1/
Disallow: /admin
Disallow: /console
Disallow: /portal
Disallow: /mcp
Disallow: /graphiql
Disallow: /metrics
Disallow: /health
Disallow: /ready
Disallow: /_mock
Allow: /
`
