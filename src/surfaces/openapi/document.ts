import { isDeepStrictEqual } from "node:util"
import { defaultPlans, describePlan, offeredPlans, type Plans } from "../../accounts/plan.ts"
import { byCategory } from "../../apis/categories.ts"
import { fixedFault } from "../../call/fault.ts"
import { usageSchema } from "../../call/usage-report.ts"
import { indexOf } from "../discovery/documents.ts"
import { metricsTokenNeeded } from "../http/frame.ts"
import { apiPaths } from "./api-paths.ts"
import components from "./components.json"
import description from "./description.txt" with { type: "text" }
import {
  exampleComponents,
  faultResponse,
  faultResponses,
  formatFault,
  keyedFaults,
} from "./fault-responses.ts"
import { graphqlPath } from "./graphql-path.ts"
import { commonHeaders, headerComponents, keyedHeaders, refsTo } from "./headers.ts"
import {
  type ApiDocInput,
  type DocumentedApi,
  type JsonObject,
  type OpenApiDocument,
  type PathGroup,
  refTo,
  toJsonSchema,
} from "./json-object.ts"
import {
  errorExample,
  formatParameter,
  idempotencyKeyParameter,
  okEnvelope,
  okExample,
  restContent,
  textSchemas,
} from "./rest-answer.ts"

/** The parts that the document has. */
export interface DocumentOptions {
  /** Leaves out the paths that do not belong to one API. */
  readonly apisOnly?: boolean
}

/**
 * The OpenAPI 3.1 document as text. The same service gets the same text.
 * @param turn called between steps, since the first document of a process takes 60 ms
 */
export async function printOpenApi(
  service: ApiDocInput,
  options: DocumentOptions = {},
  turn: () => void | Promise<void> = () => {},
) {
  const groups: PathGroup[] = []
  for (const group of groupsOf(service)) {
    groups.push(group)
    await turn()
  }
  const document = createOpenApiDocument(service, options, groups)
  await turn()
  return `${JSON.stringify(document)}\n`
}

/** The paths of each API, by category. */
function* groupsOf({ apis }: ApiDocInput): Generator<PathGroup> {
  for (const { heading, apis: members } of byCategory(apis))
    for (const api of members) yield apiPaths(api, heading)
}

/** The OpenAPI 3.1 document of a service, made from the catalog, the table of faults and the encoders. */
export function createOpenApiDocument(
  service: ApiDocInput,
  { apisOnly = false }: DocumentOptions = {},
  ofApis: Iterable<PathGroup> = groupsOf(service),
): OpenApiDocument {
  const groups = [
    ...ofApis,
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

/** The paths besides the APIs: usage, and those that need no key. */
function servicePaths(service: ApiDocInput): PathGroup {
  const { apis, version, metrics } = service
  const documentHeaders = { ...commonHeaders, ...refsTo("ETag") }
  const health = answered("The process is up.", components.program, { version, commit: null })
  return {
    paths: {
      "/v1/usage": { get: usageOperation(apis[0]) },
      "/": { get: indexOperation(service) },
      "/health": { get: open("health", "The process is up", { 200: health }) },
      "/ready": {
        get: open("ready", "Calls can be charged", {
          200: answered("Calls can be charged.", { type: "object" }, {}),
          503: refused(
            "The store does not answer, or the service stops.",
            fixedFault("storeUnavailable").message,
            { ...commonHeaders, ...refsTo("Retry-After") },
          ),
        }),
      },
      ...(metrics !== "off" && { "/metrics": { get: metricsOperation(metrics) } }),
      "/openapi.json": {
        get: open("openapi", "This document", {
          200: {
            description: "An OpenAPI 3.1 document.",
            headers: documentHeaders,
            content: { "application/json": { schema: { type: "object" } } },
          },
          304: { description: "The version in `If-None-Match` is current.", headers: documentHeaders },
        }),
      },
    },
    schemas: { Usage: toJsonSchema(usageSchema) },
  }
}

const formatRefusal = { description: "The `format` was refused.", faults: { format: formatFault } }

function usageOperation(api: DocumentedApi | undefined): JsonObject {
  const credits = api?.credits ?? 1
  const example = {
    account: "acc_1a2b3c",
    plan: "free",
    credits: { allowance: 1000, used: credits, bonus: 500, bonus_used: 0, remaining: 1500 - credits },
    period_start: "2025-01-01T00:00:00.000Z",
    renewal: "2025-02-01T00:00:00.000Z",
    usage: [{ day: "2025-01-01", api: api?.definition.id ?? "hmac", calls: 1, credits }],
  }
  return {
    operationId: "usage",
    tags: ["account"],
    summary: "Plan, credits and usage",
    description: "The plan, the credits and this month's usage by API and day. Costs nothing.",
    "x-credits": 0,
    parameters: [refTo("parameters", "format")],
    responses: {
      200: {
        description: "Plan, credits and usage of the account.",
        headers: keyedHeaders,
        content: restContent(okEnvelope(refTo("schemas", "Usage")), { usage: okExample("Usage", example) }),
      },
      400: faultResponse(formatRefusal),
      ...keyedFaults("GET"),
    },
  }
}

function metricsOperation(access: "open" | "token"): JsonObject {
  const operation = open("metrics", "Metrics for Prometheus", {
    200: {
      description: "Metrics in the Prometheus text format.",
      headers: commonHeaders,
      content: { "text/plain": { schema: { type: "string" } } },
    },
    ...(access === "token" && {
      401: refused("The token is missing or wrong.", metricsTokenNeeded, {
        ...commonHeaders,
        ...refsTo("WWW-Authenticate"),
      }),
    }),
  })
  return access === "token" ? { ...operation, security: [{ metricsToken: [] }] } : operation
}

function indexOperation(service: ApiDocInput): JsonObject {
  const success = {
    description: "The APIs, and links to what describes them.",
    headers: { ...commonHeaders, ...refsTo("Link") },
    content: {
      ...restContent(okEnvelope(components.index), { index: okExample("Index", indexOf(service)) }),
      "text/html": {
        schema: { type: "string", description: "A page for people, for browsers that open it." },
      },
    },
  }
  const format = faultResponse({ ...formatRefusal, headers: commonHeaders })
  return {
    ...open("index", "What this service offers", { 200: success, 400: format }),
    parameters: [refTo("parameters", "format")],
  }
}

/** An operation that needs no key. */
function open(operationId: string, summary: string, responses: JsonObject): JsonObject {
  return {
    operationId,
    tags: ["service"],
    summary,
    security: [],
    responses: { ...responses, 405: refTo("responses", "TakesGet") },
  }
}

function answered(description: string, data: JsonObject, example: object): JsonObject {
  return json(description, okEnvelope(data), okExample("", example).envelope)
}

function refused(description: string, message: string, headers: JsonObject = commonHeaders): JsonObject {
  const all = { ...headers, ...refsTo("X-Error-Code") }
  return json(description, refTo("schemas", "Refused"), errorExample("", message).envelope, all)
}

function json(description: string, schema: JsonObject, example: object, headers: JsonObject = commonHeaders) {
  return { description, headers, content: { "application/json": { schema, example } } }
}
