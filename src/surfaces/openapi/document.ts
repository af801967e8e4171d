import { isDeepStrictEqual } from "node:util"
import { defaultPlans, describePlan, offeredPlans, type Plans } from "../../accounts/plan.ts"
import { byCategory } from "../../apis/categories.ts"
import { apiPaths } from "./api-paths.ts"
import components from "./components.json"
import description from "./description.txt" with { type: "text" }
import { exampleComponents, faultResponses } from "./fault-responses.ts"
import { graphqlPath } from "./graphql-path.ts"
import { headerComponents } from "./headers.ts"
import type { ApiDocInput, JsonObject, OpenApiDocument, PathGroup } from "./json-object.ts"
import { formatParameter, idempotencyKeyParameter, textSchemas } from "./rest-answer.ts"
import { servicePaths } from "./service-paths.ts"

/** The parts that the document has. */
export interface DocumentOptions {
  /** Leaves out the paths that do not belong to one API. */
  readonly apisOnly?: boolean
}

/** The OpenAPI 3.1 document as text. The same service gets the same text. */
export function printOpenApi(service: ApiDocInput, options: DocumentOptions = {}): string {
  return `${JSON.stringify(createOpenApiDocument(service, options))}\n`
}

/** The OpenAPI 3.1 document of a service, made from the catalog, the table of faults and the encoders. */
export function createOpenApiDocument(
  service: ApiDocInput,
  { apisOnly = false }: DocumentOptions = {},
): OpenApiDocument {
  const groups = [
    ...byCategory(service.apis).flatMap(({ heading, apis }) => apis.map((api) => apiPaths(api, heading))),
    ...(service.graphql && !apisOnly ? [graphqlPath(service)] : []),
    ...(apisOnly ? [] : [servicePaths(service)]),
  ]
  const used = new Set(groups.flatMap(({ paths }) => tagsOf(paths)))
  const paths = Object.assign({}, ...groups.map((group) => group.paths))
  return {
    openapi: "3.1.0",
    info: {
      title: service.title,
      version: service.version,
      ...(service.logo !== null && {
        "x-logo": { url: `${service.publicUrl ?? ""}${service.logo}`, altText: service.title },
      }),
      summary: "Many small utility APIs behind one key.",
      description: description.trimEnd(),
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: service.publicUrl ?? "/", description: "The service that serves this document." }],
    security: [{ apiKey: [] }, { bearerKey: [] }],
    ...(!apisOnly && { "x-plans": publicPlans(service.plans) }),
    tags: [...categoryTags(service), ...tags.filter(({ name }) => used.has(name))],
    paths,
    components: usedComponents(paths, componentsOf(service, groups)),
  }
}

/** The plans that strangers know: those of the landing page, and built-in ones. Names and limits of others are the operator's. */
function publicPlans(plans: Plans): JsonObject {
  const builtIn = defaultPlans.filter((plan) => isDeepStrictEqual(plan, plans.get(plan.name)))
  return Object.fromEntries(
    [...builtIn, ...offeredPlans(plans)].map((plan) => [plan.name, describePlan(plan)]),
  )
}

function componentsOf(service: ApiDocInput, groups: readonly PathGroup[]): OpenApiDocument["components"] {
  return {
    securitySchemes: {
      ...components.securitySchemes,
      ...(service.metrics === "token" && { metricsToken: components.metricsToken }),
    },
    parameters: { format: formatParameter, "Idempotency-Key": idempotencyKeyParameter },
    headers: headerComponents,
    responses: faultResponses(service),
    examples: exampleComponents(),
    schemas: {
      ...components.schemas,
      ...textSchemas,
      ...Object.assign({}, ...groups.map(({ schemas }) => schemas)),
    },
  }
}

/** The tags of all operations of some paths. */
function tagsOf(paths: PathGroup["paths"]): unknown[] {
  const operations = Object.values(paths).flatMap((path) => Object.values(path))
  return operations.flatMap((operation) => (operation as { tags?: unknown[] }).tags ?? [])
}

/** A tag for each category, named as its heading. */
function categoryTags({ apis }: ApiDocInput): readonly JsonObject[] {
  return byCategory(apis).map(({ heading, apis: members }) => ({
    name: heading,
    description: `${members.map(({ definition }) => definition.title).join(", ")}.`,
  }))
}

const { tags } = components

type Components = Readonly<Record<string, Readonly<Record<string, JsonObject>>>>

/** The components that some paths refer to, also through others. Security schemes are named, not referred to, and stay. */
function usedComponents(paths: JsonObject, all: Components): Components {
  const used = new Set<string>()
  const waiting: unknown[] = [paths]
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (typeof value !== "object" || value === null) continue
    for (const [name, child] of Object.entries(value)) {
      // The data of an example may contain a `$ref`.
      const isComponent = name === "$ref" && typeof child === "string" && child.startsWith("#/components/")
      if (!isComponent) waiting.push(child ?? null)
      else if (!used.has(child)) {
        used.add(child)
        const [kind = "", component = ""] = child.replace("#/components/", "").split("/")
        waiting.push(all[kind]?.[component] ?? null)
      }
    }
  }
  const kept = Object.entries(all).map(([kind, members]) => {
    const isUsed = (name: string) => kind === "securitySchemes" || used.has(`#/components/${kind}/${name}`)
    return [kind, Object.fromEntries(Object.entries(members).filter(([name]) => isUsed(name)))]
  })
  return Object.fromEntries(kept)
}
