import headerComponents from "./headers.json"
import { type JsonObject, refTo } from "./json-object.ts"

/** The headers of the answers by name. A required one is on every answer that refers to it. */
export { headerComponents }

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
