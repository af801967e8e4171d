import { fixedFault, inputFault } from "../../call/fault.ts"
import { formats } from "../../encode/formats.ts"
import { keyedFaults, refusal } from "./fault-responses.ts"
import { commonHeaders, etagHeader, standingHeaders } from "./headers.ts"
import { type ApiDocInput, type JsonObject, type PathGroup, refTo } from "./json-object.ts"
import { errorShown, okEnvelope, okShown, restContent } from "./rest-answer.ts"

/** What is beside the APIs: usage, and the paths that need no key. */
export function servicePaths({ apis, version, metrics }: ApiDocInput): PathGroup {
  return {
    paths: {
      "/v1/usage": { get: usageOperation(apis[0]?.definition.id ?? "hmac", apis[0]?.credits ?? 1) },
      "/health": {
        get: open("health", "The process is up", {
          200: json(okEnvelope(dataOf({ version: { type: "string" } })), { version }),
        }),
      },
      "/ready": {
        get: open("ready", "The store answers", {
          200: json(okEnvelope({ type: "object" }), {}),
          503: unready,
        }),
      },
      ...(metrics !== "off" && { "/metrics": { get: metricsOperation(metrics) } }),
      "/openapi.json": {
        get: open("openapi", "This document", {
          200: {
            description: "OpenAPI 3.1.",
            headers: { ...commonHeaders, ...etagHeader },
            content: { "application/json": { schema: { type: "object" } } },
          },
          304: {
            description: "The version that `If-None-Match` names is the newest.",
            headers: { ...commonHeaders, ...etagHeader },
          },
        }),
      },
    },
    schemas: { Usage: usage },
  }
}

function usageOperation(api: string, credits: number): JsonObject {
  const headers = { ...commonHeaders, ...standingHeaders }
  const example = {
    account: "acc_1a2b3c",
    plan: "free",
    credits: { allowance: 1000, used: credits, bonus: 500, bonus_used: 0, remaining: 1500 - credits },
    period_start: "2025-01-01T00:00:00.000Z",
    renewal: "2025-02-01T00:00:00.000Z",
    usage: [{ day: "2025-01-01", api, calls: 1, credits }],
  }
  return {
    operationId: "usage",
    tags: ["account"],
    summary: "Plan, credits and usage",
    description: "The plan, the credits and the month's usage by API and day. Costs nothing.",
    "x-credits": 0,
    parameters: [refTo("parameters", "format")],
    responses: {
      200: {
        description: "Where the caller stands.",
        headers,
        content: restContent(okEnvelope(refTo("schemas", "Usage")), { usage: okShown("Usage", example) }),
      },
      400: refusal("The `format` was refused.", headers, [
        ["format", inputFault("format", `must be one of ${formats.join(", ")}`)],
      ]),
      ...keyedFaults("GET"),
    },
  }
}

function metricsOperation(access: "open" | "token"): JsonObject {
  const operation = open("metrics", "Figures for Prometheus", {
    200: {
      description: "Prometheus text.",
      headers: commonHeaders,
      content: { "text/plain": { schema: { type: "string" } } },
    },
    ...(access === "token" && {
      401: {
        description: "The token is missing or another one.",
        headers: commonHeaders,
        content: {
          "application/json": {
            schema: refTo("schemas", "Refused"),
            example: errorShown("", metricsTokenNeeded).envelope,
          },
        },
      },
    }),
  })
  return access === "token" ? { ...operation, security: [{ metricsToken: [] }] } : operation
}

const metricsTokenNeeded =
  "The metrics need the token of --metrics-token: send it as 'Authorization: Bearer TOKEN'."

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

function json(schema: JsonObject, data: object): JsonObject {
  const { envelope } = okShown("", data)
  return {
    description: "It is.",
    headers: commonHeaders,
    content: { "application/json": { schema, example: envelope } },
  }
}

const unready: JsonObject = {
  description: "It does not.",
  headers: commonHeaders,
  content: {
    "application/json": {
      schema: refTo("schemas", "Refused"),
      example: errorShown("", fixedFault("storeUnavailable").message).envelope,
    },
  },
}

function dataOf(properties: Readonly<Record<string, JsonObject>>): JsonObject {
  return { type: "object", required: Object.keys(properties), properties }
}

const instant: JsonObject = { type: "string", format: "date-time" }
const count: JsonObject = { type: "integer", minimum: 0 }
const unlimited: JsonObject = { type: ["integer", "null"], minimum: 0, description: "Null is unlimited." }

const usage = dataOf({
  account: { type: "string" },
  plan: { type: "string" },
  credits: dataOf({
    allowance: unlimited,
    used: { ...count, description: "Of this month's allowance." },
    bonus: { ...count, description: "Bonus credits left." },
    bonus_used: { ...count, description: "What this month's calls cost beyond its allowance." },
    remaining: unlimited,
  }),
  period_start: instant,
  renewal: instant,
  usage: {
    type: "array",
    items: dataOf({
      day: { type: "string", format: "date" },
      api: { type: "string" },
      calls: count,
      credits: count,
    }),
  },
})
