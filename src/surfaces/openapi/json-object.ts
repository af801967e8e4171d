import type { PreparedApi } from "../../call/prepared-api.ts"

/** What the document of a service is made from. */
export interface ApiDocInput {
  readonly apis: readonly Pick<PreparedApi, "definition" | "credits" | "readInput">[]
  readonly version: string
  /** Without it, `/v1/graphql` is left out. */
  readonly graphql: boolean
  /** Whether `/metrics` is there, and whether it asks for a token. */
  readonly metrics: "open" | "token" | "off"
  readonly maxBodyBytes: number
}

export type DescribedApi = ApiDocInput["apis"][number]

/** An object of the document: what goes into JSON and nothing else. */
export type JsonObject = Readonly<Record<string, unknown>>

/** Paths, and the schemas that they refer to. */
export interface PathGroup {
  readonly paths: Readonly<Record<string, JsonObject>>
  readonly schemas: Readonly<Record<string, JsonObject>>
}

/** An OpenAPI 3.1 document, as far as anything here looks into it. */
export interface OpenApiDocument extends JsonObject {
  readonly openapi: "3.1.0"
  readonly info: JsonObject
  readonly paths: Readonly<Record<string, JsonObject>>
  readonly components: Readonly<Record<string, Readonly<Record<string, JsonObject>>>>
}

export type ComponentKind = "headers" | "parameters" | "responses" | "schemas"

export function refTo(kind: ComponentKind, name: string): JsonObject {
  return { $ref: `#/components/${kind}/${name}` }
}
