import { fixedFault } from "../../call/fault.ts"
import { usageSchema } from "../../call/usage-report.ts"
import { indexOf } from "../discovery/documents.ts"
import { metricsTokenNeeded } from "../http/frame.ts"
import components from "./components.json"
import { faultResponse, formatFault, keyedFaults } from "./fault-responses.ts"
import { commonHeaders, keyedHeaders, refsTo } from "./headers.ts"
import {
  type ApiDocInput,
  type DocumentedApi,
  type JsonObject,
  type PathGroup,
  refTo,
  toJsonSchema,
} from "./json-object.ts"
import { errorExample, okEnvelope, okExample, restContent } from "./rest-answer.ts"

/** The paths besides the APIs: usage, and those that need no key. */
export function servicePaths(service: ApiDocInput): PathGroup {
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
