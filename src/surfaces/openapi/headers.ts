import { type JsonObject, refTo } from "./json-object.ts"

const unlimited = { type: "string", const: "unlimited" }

/** The headers of the answers by name. A required one is on every answer that refers to it. */
export const headerComponents = {
  "X-Request-ID": {
    ...headerOf("The id of this request. Quote it when you report a problem."),
    required: true,
    schema: { type: "string", pattern: "^[A-Za-z0-9._-]{1,128}$" },
  },
  Allow: { ...headerOf("The methods that the path takes."), required: true },
  "Retry-After": counterOf("Seconds to wait before trying again."),
  "WWW-Authenticate": { ...headerOf("The scheme that is taken: `Bearer`."), required: true },
  ETag: { ...headerOf("The version of this document, for `If-None-Match`."), required: true },
  "X-RateLimit-Limit": counterOf("Calls allowed per minute. Absent without a limit."),
  "X-RateLimit-Remaining": counterOf("Calls left right now."),
  "X-RateLimit-Reset": counterOf("Seconds until the full limit is available again."),
  "RateLimit-Policy": headerOf("The limit: `q` calls in `w` seconds. Absent without a limit."),
  RateLimit: headerOf("What is left of it: `r` calls; in `t` seconds all are back."),
  "X-Error-Code": { ...headerOf("A code for programs, which does not change."), required: true },
  "Idempotent-Replayed": headerOf(
    "`true` on the answer of a call that was charged before, under the same `Idempotency-Key`.",
  ),
  Deprecation: headerOf("Since when what was called is deprecated: `@` and Unix seconds (RFC 9745)."),
  Sunset: headerOf("From when on it is gone (RFC 8594)."),
  Link: headerOf("Other documents and their relation to this answer (RFC 8288)."),
  "X-API-Credits-Used": counterOf("Credits of this month that are used."),
  "X-API-Remaining-Credits": creditsOf("Credits left, bonus included."),
  "X-API-Max-Credits": creditsOf("Credits per month."),
  "X-API-Renewal": counterOf("When the monthly credits renew, in Unix seconds."),
  "X-API-Current-Plan": headerOf("The plan of the account."),
} as const satisfies Readonly<Record<string, JsonObject>>

/** On every answer. */
export const commonHeaders = refsTo("X-Request-ID")

/** On answers to a known key that has a limit per minute. */
export const rateHeaders = {
  ...refsTo("X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"),
  ...refsTo("RateLimit-Policy", "RateLimit"),
}

/** On the answers of a REST path that needs a key. */
export const keyedHeaders = {
  ...commonHeaders,
  ...rateHeaders,
  ...refsTo("X-API-Credits-Used", "X-API-Remaining-Credits", "X-API-Max-Credits"),
  ...refsTo("X-API-Renewal", "X-API-Current-Plan"),
}

export function refsTo(...names: (keyof typeof headerComponents)[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, refTo("headers", name)]))
}

function headerOf(description: string) {
  return { description, schema: { type: "string" } }
}

function counterOf(description: string) {
  return { description, schema: { type: "integer", minimum: 0 } }
}

function creditsOf(description: string) {
  return { description, schema: { anyOf: [{ type: "integer", minimum: 0 }, unlimited] } }
}
