import type { PreparedApi } from "../../call/execute.ts"

/** What the document of a service is made from. */
export interface Described {
  readonly apis: readonly Pick<PreparedApi, "definition" | "credits" | "readInput">[]
  readonly version: string
  /** Without it, `/v1/graphql` is left out. */
  readonly graphql: boolean
  /** Whether `/metrics` is there, and whether it asks for a token. */
  readonly metrics: "open" | "token" | "off"
  readonly maxBodyBytes: number
}

export type DescribedApi = Described["apis"][number]

/** An object of the document: what goes into JSON and nothing else. */
export type Part = Readonly<Record<string, unknown>>

/** Paths, and the schemas that they refer to. */
export interface PathGroup {
  readonly paths: Readonly<Record<string, Part>>
  readonly schemas: Readonly<Record<string, Part>>
}

/** An OpenAPI 3.1 document, as far as anything here looks into it. */
export interface OpenApiDocument extends Part {
  readonly openapi: "3.1.0"
  readonly info: Part
  readonly paths: Readonly<Record<string, Part>>
  readonly components: Readonly<Record<string, Readonly<Record<string, Part>>>>
}

export type ComponentKind = "headers" | "parameters" | "responses" | "schemas"

export function refTo(kind: ComponentKind, name: string): Part {
  return { $ref: `#/components/${kind}/${name}` }
}
