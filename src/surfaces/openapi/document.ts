import { apiPaths } from "./api-paths.ts"
import { faultResponses } from "./fault-responses.ts"
import { graphqlPath } from "./graphql-path.ts"
import { headerComponents } from "./headers.ts"
import type { ApiDocInput, JsonObject, OpenApiDocument } from "./json-object.ts"
import { formatParameter } from "./rest-answer.ts"
import { servicePaths } from "./service-paths.ts"

/**
 * The OpenAPI 3.1 document of a service: everything in it is read from the catalog, from the table of faults and from the
 * encoders that write the answers. Gives the same text for the same service; takes a few milliseconds.
 */
export function printOpenApi(service: ApiDocInput): string {
  return `${JSON.stringify(createOpenApiDocument(service), null, 2)}\n`
}

export function createOpenApiDocument(service: ApiDocInput): OpenApiDocument {
  const groups = [
    ...service.apis.map((api) => apiPaths(api)),
    ...(service.graphql ? [graphqlPath(service)] : []),
    servicePaths(service),
  ]
  return {
    openapi: "3.1.0",
    info: {
      title: "penknife",
      version: service.version,
      summary: "Many small utility APIs behind one key.",
      description,
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/", description: "The service that this document came from." }],
    security: [{ apiKey: [] }],
    tags,
    paths: Object.assign({}, ...groups.map(({ paths }) => paths)),
    components: {
      securitySchemes: {
        apiKey: {
          type: "apiKey",
          in: "header",
          name: "x-api-key",
          description: "The API key: `pk_` and 38 letters and digits.",
        },
        ...(service.metrics === "token" && {
          metricsToken: { type: "http", scheme: "bearer", description: "The token of `--metrics-token`." },
        }),
      },
      parameters: { format: formatParameter },
      headers: headerComponents,
      responses: faultResponses(service),
      schemas: { Refused: refused, ...Object.assign({}, ...groups.map(({ schemas }) => schemas)) },
    },
  }
}

const description = `Every answer of a REST API is the same envelope: \`status\` (\`ok\` or \`error\`), \`error\` (null, or a sentence that names what to change) and \`data\`. It comes as JSON, XML, YAML or CSV: by the \`Accept\` header, or by \`?format=\`, which wins.

A call that does not answer 200 costs nothing. What a successful one costs is its \`x-credits\`, for a batch its \`x-credits-per-input\`. Fields and parameters marked \`x-premium\` belong to plans with premium fields: on other plans such a field is absent and such a parameter is checked but takes no effect.

Every answer has an \`X-Request-ID\`: the request's own, if it sends a well-formed one (1 to 128 of A–Z a–z 0–9 . _ -), otherwise one made here. A path that there is not is answered with 404 and the same envelope.`

const tags: readonly JsonObject[] = [
  { name: "apis", description: "One call, one answer." },
  { name: "many", description: "Many calls in one request." },
  { name: "account", description: "Where the caller stands." },
  { name: "service", description: "The service itself; no key needed." },
]

const refused: JsonObject = {
  type: "object",
  description: "The envelope of an answer that is none.",
  required: ["status", "error", "data"],
  properties: {
    status: { type: "string", const: "error" },
    error: { type: "string", description: "What is wrong; for input, the parameter that has to change." },
    data: { type: "null" },
  },
}
