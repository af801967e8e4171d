import { priceText } from "../openapi/api-parts.ts"
import type { ApiDocInput } from "../openapi/json-object.ts"

/** A short description of the service for language models, with links to the rest (llmstxt.org). */
export function printLlms({ apis, publicUrl, graphql, mcp }: ApiDocInput): string {
  const at = (path: string) => `${publicUrl ?? ""}${path}`
  const lines = apis.map(
    ({ definition: { id, title, description }, credits }) =>
      `- [${title}](${at(`/docs/${id}.md`)}): \`${id}\`, ${priceText(credits)}. ${description}`,
  )
  return `# penknife

> Many small utility APIs behind one key. Every call needs an API key in the \`x-api-key\` header, or as \`Authorization: Bearer KEY\`. A successful call costs credits; a refused one is free.

Every answer is JSON with three fields: \`status\` (\`ok\` or \`error\`), \`error\` (what to change) and \`data\`. \`?format=\` gives \`xml\`, \`yaml\` or \`csv\`.

There are several ways to call them:

- REST: one call, or up to 200 inputs at once (\`POST /v1/{api}/batch\`)
${graphql ? `- GraphQL: \`POST ${at("/v1/graphql")}\`, several APIs in one query\n` : ""}${mcp ? `- Model Context Protocol: \`${at("/mcp")}\`, a tool for each API; \`${at("/mcp/search")}\`, three tools that find and call any API\n` : ""}
## APIs

${lines.join("\n")}

## Documents

- [OpenAPI document](${at("/openapi.json")}): every path, parameter and answer

## Optional

- [List of the APIs for programs](${at("/.well-known/api-catalog")}): a set of links (RFC 9727)
- [Documentation](${at("/docs")}): for browsers
`
}
