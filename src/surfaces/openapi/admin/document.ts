import type { Operation } from "../../../admin/operation.ts"
import { permissions } from "../../../admin/permission.ts"
import { documentPath, routesOf } from "../../http/admin/operation-routes.ts"
import { type JsonObject, type OpenApiDocument, refTo } from "../json-object.ts"
import components from "./components.json"
import description from "./description.txt" with { type: "text" }
import { createSchemas, groupOf, operationOf } from "./operation.ts"
import { adminHeaders, problemResponses, problemSchema } from "./problem-responses.ts"

/** The input of the admin API's document. */
interface AdminDocInput {
  readonly operations: readonly Operation[]
  /** The ids of the APIs that the service offers. */
  readonly apiIds: readonly string[]
  readonly version: string
  /** The name of the service; penknife by default. */
  readonly title?: string
}

/** The OpenAPI 3.1 document of the admin API as text. The same input always has the same text. */
export function printAdminOpenApi(input: AdminDocInput): string {
  return `${JSON.stringify(createAdminDocument(input), null, 2)}\n`
}

/** The OpenAPI 3.1 document of the admin API, made from the definitions of the operations. */
export function createAdminDocument({
  operations,
  apiIds,
  version,
  title = "penknife",
}: AdminDocInput): OpenApiDocument {
  const schemas = createSchemas(operations, apiIds)
  const names = Object.keys(permissions).map((name) => `\`${name}\``)
  const paths: Record<string, JsonObject> = {}
  for (const route of routesOf(operations)) {
    const method = route.operation.method.toLowerCase()
    paths[route.template] = { ...paths[route.template], [method]: operationOf(route, schemas) }
  }
  return {
    openapi: "3.1.0",
    info: {
      title: `${title} admin API`,
      version,
      summary: "Accounts, keys, credits, usage and everything else that an operator looks after.",
      description: description.trimEnd().replace("PERMISSIONS", names.join(", ")),
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/", description: "The service that serves this document." }],
    security: [
      { adminKey: [] },
      { bearerKey: [] },
      { consoleSession: [], csrfToken: [] },
      { consoleSession: [] },
    ],
    tags: tagsOf(operations),
    paths: { ...paths, [documentPath]: { get: documentOperation } },
    components: {
      securitySchemes: components.securitySchemes,
      parameters: components.parameters,
      headers: adminHeaders,
      responses: problemResponses(),
      schemas: { Problem: problemSchema, ...schemas.components() },
    },
  }
}

/** Descriptions of the groups of operations. */
const groups: Readonly<Record<string, string>> = components.groups

function tagsOf(operations: readonly Operation[]): readonly JsonObject[] {
  const names = new Set(operations.map(({ id }) => groupOf(id)))
  return [
    ...[...names].map((name) => ({ name, description: groups[name] ?? `Operations on ${name}.` })),
    documentTag,
  ]
}

const documentTag = { name: "document", description: "This document." }

const documentOperation: JsonObject = {
  operationId: "openapi",
  tags: [documentTag.name],
  summary: "This document",
  description: "Needs no key: it tells nothing about this installation.",
  security: [],
  responses: {
    200: {
      description: "An OpenAPI 3.1 document.",
      headers: { "X-Request-ID": refTo("headers", "X-Request-ID"), ETag: refTo("headers", "ETag") },
      content: { "application/json": { schema: { type: "object" } } },
    },
    405: refTo("responses", "MethodNotAllowed"),
  },
}
