import type { TSchema } from "@sinclair/typebox"
import type { Plans } from "../../accounts/plan.ts"
import { choicesOf, deprecationOf, deprecationText, isPremium } from "../../apis/contract.ts"
import type { PreparedApi } from "../../call/prepared-api.ts"
import type { Config } from "../../config/load.ts"

/** Everything that a service's document is made from. */
export interface ApiDocInput {
  readonly apis: readonly Pick<PreparedApi, "definition" | "credits" | "readInput">[]
  readonly version: string
  /** Whether the service has `/v1/graphql`. */
  readonly graphql: boolean
  /** Whether the service has `/metrics`, and whether that needs a token. */
  readonly metrics: "open" | "token" | "off"
  readonly maxBodyBytes: number
  /** Whether the service has `/mcp`. */
  readonly mcp: boolean
  /** The address that clients use, such as `https://api.example.com`; null when it is not configured. */
  readonly publicUrl: string | null
  /** The name of the service. */
  readonly title: string
  /** The path of the operator's logo; null without one. */
  readonly logo: string | null
  readonly plans: Plans
}

/** Collects the document's input from a service's configuration. */
export function toDocInput(
  config: Config,
  catalog: Pick<ApiDocInput, "apis" | "version" | "logo">,
): ApiDocInput {
  const { noGraphql, noMcp, noMetrics, metricsToken, maxBodyBytes, publicUrl, title, plans } = config
  const metrics = metricsToken === null ? "open" : "token"
  return {
    ...{ ...catalog, maxBodyBytes, publicUrl, title, plans },
    graphql: !noGraphql,
    mcp: !noMcp,
    metrics: noMetrics ? "off" : metrics,
  }
}

/** An API as the document needs it. */
export type DocumentedApi = ApiDocInput["apis"][number]

/** A JSON object of the document. */
export type JsonObject = Readonly<Record<string, unknown>>

/** Paths, and the schemas that they refer to. */
export interface PathGroup {
  readonly paths: Readonly<Record<string, JsonObject>>
  readonly schemas: Readonly<Record<string, JsonObject>>
}

/** An OpenAPI 3.1 document. */
export interface OpenApiDocument extends JsonObject {
  readonly openapi: "3.1.0"
  readonly info: JsonObject
  readonly paths: Readonly<Record<string, JsonObject>>
  readonly components: Readonly<Record<string, Readonly<Record<string, JsonObject>>>>
}

/** A reference to a component of the document (OpenAPI 3.1 §4.8.23, Reference Object). */
export function refTo(
  kind: "examples" | "headers" | "parameters" | "responses" | "schemas",
  name: string,
): JsonObject {
  return { $ref: `#/components/${kind}/${name}` }
}

/** The schema of an object whose properties are all required. */
export function objectOf(properties: JsonObject): JsonObject {
  return { type: "object", required: Object.keys(properties), properties }
}

/** Converts a definition's schema to JSON Schema 2020-12. Premium fields are not required: not every plan gets them. */
export function toJsonSchema(schema: TSchema): JsonObject {
  const {
    "x-requirement": _,
    "x-deprecation": __,
    anyOf,
    properties = {},
    required = [],
    items,
    ...plain
  } = schema
  const choices = choicesOf(schema)
  const mark = deprecationOf(schema)
  const members = Object.entries(properties as Readonly<Record<string, TSchema>>)
  const needed = members.filter(([name, member]) => required.includes(name) && !isPremium(member))
  return {
    ...(choices ? { type: "string", enum: choices } : unionOf(anyOf)),
    ...plain,
    ...((isPremium(schema) || mark) && {
      description: [isPremium(schema) && "Premium.", schema.description, mark && deprecationText(mark)]
        .filter(Boolean)
        .join(" "),
    }),
    ...(members.length > 0 && {
      properties: Object.fromEntries(members.map(([name, member]) => [name, toJsonSchema(member)])),
    }),
    ...(needed.length > 0 && { required: needed.map(([name]) => name) }),
    ...(items && { items: toJsonSchema(items) }),
  }
}

/** A union of null and a simple type becomes a list of two types, which is easier to read. */
function unionOf(members: readonly TSchema[] = []): JsonObject {
  const [other, ...more] = members.filter(({ type }) => type !== "null")
  const isSimple = typeof other?.type === "string" && !("properties" in other) && !("items" in other)
  if (isSimple && more.length === 0) return { ...toJsonSchema(other), type: [other.type, "null"] }
  return members.length > 0 ? { anyOf: members.map(toJsonSchema) } : {}
}
